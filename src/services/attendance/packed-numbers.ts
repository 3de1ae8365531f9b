// Numbers as PostgreSQL packs them, and the days and minutes that they stand for.

const [comma, minus, zero] = [44, 45, 48];

/** Reads whole numbers between commas; null where there is none, as in `4,,7`. No text holds no number. Errors: none. */
export function readNumbers(text: string): (number | null)[] {
  const numbers: (number | null)[] = [];
  let [number, sign, isThere] = [0, 1, false];
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : comma;
    if (code === comma) {
      numbers.push(isThere ? sign * number : null);
      [number, sign, isThere] = [0, 1, false];
    } else if (code === minus) sign = -1;
    else [number, isThere] = [number * 10 + code - zero, true];
  }
  return text === "" ? [] : numbers;
}

const [dayMs, minuteMs] = [86_400_000, 60_000];
// The minutes of a month are 44,640.
const remembered = 100_000;
const days = new Map<number, string>();
const minutes = new Map<number, string>();

/** yyyy-MM-dd of a day counted from 1970-01-01. Errors: none between the years 1 and 9999. */
export const writeDay = (day: number): string =>
  remember(days, day, () => new Date(day * dayMs).toISOString().slice(0, 10));

/** yyyy-MM-dd HH:mm of a minute counted from 1970-01-01, likewise. */
export const writeMinute = (minute: number | null): string | null =>
  minute === null
    ? null
    : remember(minutes, minute, () => new Date(minute * minuteMs).toISOString().slice(0, 16).replace("T", " "));

function remember(texts: Map<number, string>, key: number, write: () => string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= remembered) texts.clear();
  const text = write();
  texts.set(key, text);
  return text;
}
