import type { Period } from "#platform/contract/times.ts";

/** A span of time whose ends may be open. */
export interface Span {
  readonly start: Date | undefined;
  readonly end: Date | undefined;
}

export interface SplitSpan {
  /** What consists of whole hours, when there is any. */
  readonly whole: Span | undefined;
  /** What is left before and after it: none, one or two pieces, each shorter than two hours. */
  readonly edges: readonly Period[];
}

const hourMs = 3_600_000;

/** Splits a span (end exclusive) at the hours of UTC, by which the audit log is tallied. */
export function splitAtHours({ start, end }: Span): SplitSpan {
  if (start && end && start >= end) return { whole: undefined, edges: [] };
  const wholeStart = start && new Date(Math.ceil(start.getTime() / hourMs) * hourMs);
  const wholeEnd = end && new Date(Math.floor(end.getTime() / hourMs) * hourMs);
  if (start && end && wholeStart && wholeEnd && wholeStart >= wholeEnd)
    return { whole: undefined, edges: [{ start, end }] };
  const edges: Period[] = [];
  if (start && wholeStart && start < wholeStart) edges.push({ start, end: wholeStart });
  if (end && wholeEnd && wholeEnd < end) edges.push({ start: wholeEnd, end });
  return { whole: { start: wholeStart, end: wholeEnd }, edges };
}

/** A span of whole hours as the whole months of UTC in it, by which the log is tallied as well, and what stands around them. */
export function splitAtMonths(whole: Span | undefined): { months: Span | undefined; hours: readonly Span[] } {
  if (!whole) return { months: undefined, hours: [] };
  const { start, end } = whole;
  const first = start && toMonth(new Date(start.getTime() - 1), 1);
  const last = end && toMonth(end, 0);
  if (first && last && first >= last) return { months: undefined, hours: [whole] };
  const hours: Span[] = [];
  if (start && first && start < first) hours.push({ start, end: first });
  if (end && last && last < end) hours.push({ start: last, end });
  return { months: { start: first, end: last }, hours };
}

/** The beginning of the instant's month, or of so many later. */
function toMonth(instant: Date, later: number): Date {
  const month = new Date(instant);
  month.setUTCHours(0, 0, 0, 0);
  month.setUTCMonth(month.getUTCMonth() + later, 1);
  return month;
}
