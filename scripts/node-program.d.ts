export function findNodeFault(program: string, platform?: string): string | undefined;
