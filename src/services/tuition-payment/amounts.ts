import { mostYuan } from "#platform/contract/wire.ts";

// Money is counted in fen, whole numbers. Yuan exist on the wire and in workbooks alone, as text or as a number whose
// decimal text is read: no sum and no comparison is ever made of a fraction.

const yuanPattern = /^(\d{1,8})(?:\.(\d{1,2}))?$/;
const mostFen = Math.round(mostYuan * 100);

/** The fen of a text such as `4800` or `4800.5`; undefined for anything else: signs, exponents, other digits, more decimals. */
export function parseYuan(text: string): number | undefined {
  const [, whole, decimals = ""] = yuanPattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const fen = Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
  return fen <= mostFen ? fen : undefined;
}

/** Of an amount that the contract has let through. @throws RangeError otherwise. */
export function toFen(yuan: number): number {
  const fen = parseYuan(String(yuan));
  if (fen === undefined) throw new RangeError("no amount of money");
  return fen;
}

/** Fen as the nearest double, whose shortest text is the amount again: 1999 becomes 19.99. */
export const toYuan = (fen: number): number => fen / 100;

/** As `payItemDetail` has it: no decimals for whole yuan, else both. */
export const writeYuan = (fen: number): string => {
  const [whole, rest] = [Math.floor(fen / 100), fen % 100];
  return rest === 0 ? String(whole) : `${whole}.${String(rest).padStart(2, "0")}`;
};

const yuan = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** As people read it, on pages and in what is said to them, the console's pages too: 635050 is "¥6,350.50". */
export const formatFen = (fen: number): string => `¥${yuan.format(toYuan(fen))}`;
