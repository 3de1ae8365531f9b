const steps = [1, 2, 2.5, 5, 10] as const;

/** The ticks of an axis from zero to at least the greatest value, at round figures; whole ones, as people are counted. */
export function toTicks(most: number, count: number): number[] {
  const rough = Math.max(1, most / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, Math.ceil((steps.find((one) => one * power >= rough) ?? 10) * power));
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, place) => place * step);
}

/** At most so many of the days, the last one always among them, as far from one another as can be. */
export function pickDays(days: readonly string[], most: number): { readonly day: string; readonly place: number }[] {
  const step = Math.max(1, Math.ceil(days.length / most));
  return days.map((day, place) => ({ day, place })).filter(({ place }) => (days.length - 1 - place) % step === 0);
}
