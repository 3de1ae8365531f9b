const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
const LAST_SERIAL = 2_958_465; // 9999-12-31
// What spreadsheet programs take. A longer one is of nobody's making, and looking for the end of each of its brackets
// takes the square of its length.
const MAX_CODE_CHARS = 255;

/**
 * True if the number format shows a date or a time: a built-in one, or a custom code that uses y, m, d,
 * h or s outside quotes, escapes and brackets.
 */
export function isDateFormat(formatId: number, customCode: string | undefined): boolean {
  if (customCode !== undefined) {
    if (customCode.length > MAX_CODE_CHARS) return false;
    const bare = customCode.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
    return /[ymdhs年月日时分秒]/i.test(bare.replace(/general/gi, ""));
  }
  // 27–36 and 50–58 are the East Asian dates.
  const isDate = (formatId >= 14 && formatId <= 22) || (formatId >= 45 && formatId <= 47);
  return isDate || (formatId >= 27 && formatId <= 36) || (formatId >= 50 && formatId <= 58);
}

/**
 * A serial number as the text that the sheet's clock shows, to the second: `yyyy-MM-dd`,
 * `yyyy-MM-ddTHH:mm:ss`, or `HH:mm:ss` for a bare time (less than one day). No time zone is involved.
 * Undefined if it is no date at all.
 */
export function toDateText(serial: number, startsIn1904: boolean): string | undefined {
  if (!(serial >= 0 && serial <= LAST_SERIAL + 1)) return undefined;
  const seconds = Math.round(serial * DAY_SECONDS);
  const day = Math.floor(seconds / DAY_SECONDS);
  const time = new Date((seconds % DAY_SECONDS) * 1000).toISOString().slice(11, 19);
  if (day === 0 && !startsIn1904) return time;
  const date = new Date(firstDayMs(day, startsIn1904) + day * DAY_MS).toISOString().slice(0, 10);
  return seconds % DAY_SECONDS === 0 ? date : `${date}T${time}`;
}

// Excel counts a 29 February 1900 that never was: from 1 March 1900 on its serials are one ahead.
function firstDayMs(day: number, startsIn1904: boolean): number {
  if (startsIn1904) return Date.UTC(1904, 0, 1);
  return day < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30);
}
