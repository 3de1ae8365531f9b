/** What is usual of the figures of four weeks, their median; undefined without any. */
export function findUsual(known: readonly number[]): number | undefined {
  const sorted = known.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** What is usual where the figure is unlike it: ten times or a tenth of it, and more than 20 away; undefined where it is not. */
export function findUnlike(figure: number, known: readonly number[]): number | undefined {
  const usual = findUsual(known);
  if (usual === undefined || Math.abs(figure - usual) <= 20) return undefined;
  return figure >= usual * 10 || figure * 10 <= usual ? usual : undefined;
}
