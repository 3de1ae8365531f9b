export function findUsual(known: readonly number[]): number | undefined {
  const sorted = known.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Returns the median of the known figures if `figure` is at least ten times the median or at most a tenth of it, and
 * differs from it by more than 20; otherwise undefined.
 */
export function findUnlike(figure: number, known: readonly number[]): number | undefined {
  const usual = findUsual(known);
  if (usual === undefined || Math.abs(figure - usual) <= 20) return undefined;
  return figure >= usual * 10 || figure * 10 <= usual ? usual : undefined;
}
