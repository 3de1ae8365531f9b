/** The fault of a downloaded Node; undefined if it is sound or no hash is known for the platform. */
export function findNodeFault(program: string, platform?: string): string | undefined;
