/** A day of the grid: "2026-11-20". */
export interface GridDay {
  readonly day: string;
  readonly number: number;
  /** False for the days before and after, which fill the weeks. */
  readonly isOfMonth: boolean;
}

const msPerDay = 24 * 60 * 60 * 1000;
const toText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The weeks of a month (`yyyy-MM`), Monday first. */
export function toGrid(month: string): GridDay[] {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const firstMs = Date.UTC(year, number - 1, 1);
  const nextMs = Date.UTC(year, number, 1);
  const startMs = firstMs - ((new Date(firstMs).getUTCDay() + 6) % 7) * msPerDay;
  const days = Math.ceil((nextMs - startMs) / msPerDay / 7) * 7;
  return Array.from({ length: days }, (_, place) => {
    const ms = startMs + place * msPerDay;
    return { day: toText(ms), number: new Date(ms).getUTCDate(), isOfMonth: ms >= firstMs && ms < nextMs };
  });
}

/** The month of an address; undefined when it is none. */
export const readMonth = (text: string | null): string | undefined =>
  text !== null && /^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/.test(text) ? text : undefined;

/** The month so many months later. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return toText(Date.UTC(year, number - 1 + count, 1)).slice(0, 7);
}

/** The first and the last second of a month, as the wire writes times. */
export function toSpan(month: string): { readonly startTime: string; readonly endTime: string } {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { startTime: `${month}-01 00:00:00`, endTime: `${toText(Date.UTC(year, number, 0))} 23:59:59` };
}
