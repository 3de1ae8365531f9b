export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

// Unless a contract says otherwise, requests and responses contain times as `yyyy-MM-dd HH:mm:ss` in the platform's
// time zone. The code uses Dates.

const dateTimePattern = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;
const periodPattern = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?: (\d{2}):(\d{2}):(\d{2}))?)?)?$/;

export interface Period {
  readonly start: Date;
  /** The end is exclusive. */
  readonly end: Date;
}

function toPlain(parts: readonly (string | undefined)[]): Temporal.PlainDateTime | undefined {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    part === undefined ? undefined : Number(part),
  );
  // No record is older than the year 1000, and PostgreSQL may reject the UTC time of an earlier year.
  if (year < 1000) return undefined;
  try {
    return Temporal.PlainDateTime.from({ year, month, day, hour, minute, second }, { overflow: "reject" });
  } catch {
    return undefined;
  }
}

const toInstant = (plain: Temporal.PlainDateTime, zone: string): Date =>
  new Date(plain.toZonedDateTime(zone).epochMilliseconds);

export function isDateTime(text: string): boolean {
  const match = dateTimePattern.exec(text);
  return match !== null && toPlain(match.slice(1)) !== undefined;
}

const looseTimePattern =
  /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<minute>\d{2}:\d{2})(?::(?<second>\d{2})(?:[.,]\d{1,9})?)?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Completes a time without seconds, drops fractions of a second, and converts a time with an offset to the zone. A text
 * in another format is returned unchanged. A date that does not exist is not converted, so that the validation rejects
 * it.
 */
export function toDateTimeText(text: string, zone: string): string {
  const { day = "", minute = "", second = "00", offset } = looseTimePattern.exec(text.trim())?.groups ?? {};
  const local = `${day} ${minute}:${second}`;
  if (offset === undefined || !isDateTime(local)) return day === "" ? text : local;
  try {
    return formatDateTime(new Date(Temporal.Instant.from(`${local}${offset}`).epochMilliseconds), zone);
  } catch {
    return text;
  }
}

/** @throws {RangeError} for a text that `isDateTime` rejects */
export function parseDateTime(text: string, zone: string): Date {
  const plain = toPlain(dateTimePattern.exec(text)?.slice(1) ?? ["0"]);
  if (plain === undefined) throw new RangeError("not a date and time");
  return toInstant(plain, zone);
}

function parseOnePeriod(text: string, zone: string): Period | undefined {
  const parts = periodPattern.exec(text)?.slice(1);
  const start = parts && toPlain(parts);
  if (!start) return undefined;
  const [, month, day, second] = [parts[0], parts[1], parts[2], parts[5]];
  const length = second ? { seconds: 1 } : day ? { days: 1 } : month ? { months: 1 } : { years: 1 };
  return { start: toInstant(start, zone), end: toInstant(start.add(length), zone) };
}

/**
 * A text `yyyy`, `yyyy-MM`, `yyyy-MM-dd` or `yyyy-MM-dd HH:mm:ss` means that whole year, month, day or second, and
 * `A,B` means the period from the start of A to the end of B. Returns undefined if the text is invalid.
 */
export function parsePeriod(text: string, zone: string): Period | undefined {
  const [first = "", last, ...rest] = text.split(",").map((part) => part.trim());
  if (rest.length > 0) return undefined;
  const from = parseOnePeriod(first, zone);
  const to = last === undefined ? from : parseOnePeriod(last, zone);
  return from && to && { start: from.start, end: to.end };
}

const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** The text is built by hand, because toISOString took about 3 % of the time for a list page. */
export function formatDateTime(instant: Date, zone: string): string {
  const epochMs = instant.getTime();
  const localMs = epochMs + findOffsetMs(epochMs, zone);
  const day = Math.floor(localMs / dayMs);
  const seconds = Math.floor((localMs - day * dayMs) / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${formatDay(day)} ${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`;
}

/** In stores, the fields of a response row whose names end in `time` or `Time` are Dates. */
export type Timed<T> = { readonly [K in keyof T]: K extends `${string}ime` ? Date | Exclude<T[K], string> : T[K] };

type Written<T> = { readonly [K in keyof T]: Date extends T[K] ? string | Exclude<T[K], Date> : T[K] };

export const writeTimes = <T extends object>(row: T, zone: string): Written<T> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? formatDateTime(value, zone) : value]),
  ) as Written<T>;

const mostDays = 20_000;
const days = new Map<number, string>();

function formatDay(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size >= mostDays) days.clear();
  const text = new Date(day * dayMs).toISOString().slice(0, 10);
  days.set(day, text);
  return text;
}

// Zone offsets change only on quarter hours, so one look-up serves a whole quarter hour. An export of a million rows
// thus needs ten thousand instead of three million calls to Temporal.
const quarterHourMs = 900_000;
const mostQuarters = 50_000;
const offsetsByZone = new Map<string, Map<number, number>>();

function findOffsetMs(epochMs: number, zone: string): number {
  let offsets = offsetsByZone.get(zone);
  if (!offsets) offsetsByZone.set(zone, (offsets = new Map()));
  const quarter = Math.floor(epochMs / quarterHourMs);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  const zoned = Temporal.Instant.fromEpochMilliseconds(quarter * quarterHourMs).toZonedDateTimeISO(zone);
  if (offsets.size >= mostQuarters) offsets.clear();
  const offset = zoned.offsetNanoseconds / 1e6;
  offsets.set(quarter, offset);
  return offset;
}
