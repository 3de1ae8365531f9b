/** The median of four weeks' figures; undefined if there are none. */
export function findUsual(known: readonly number[]): number | undefined {
  const sorted = known.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * The median if the figure is an outlier: at least tenfold or at most a tenth of it, and more than 20 away; otherwise
 * undefined.
 */
export function findUnlike(figure: number, known: readonly number[]): number | undefined {
  const usual = findUsual(known);
  if (usual === undefined || Math.abs(figure - usual) <= 20) return undefined;
  return figure >= usual * 10 || figure * 10 <= usual ? usual : undefined;
}
