export function findUsual(known: readonly number[]): number | undefined {
  const sorted = known.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * The median of the known figures if this one is at least ten times or at most a tenth of it and differs by more than
 * 20; otherwise undefined.
 */
export function findUnlike(figure: number, known: readonly number[]): number | undefined {
  const usual = findUsual(known);
  if (usual === undefined || Math.abs(figure - usual) <= 20) return undefined;
  return figure >= usual * 10 || figure * 10 <= usual ? usual : undefined;
}
