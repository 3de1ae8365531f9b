/** What is wrong with a Node that has been fetched; undefined where nothing is, or for a platform of which no hash is known. */
export function findNodeFault(program: string, platform?: string): string | undefined;
