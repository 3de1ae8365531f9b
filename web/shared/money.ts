// Amounts are yuan in inputs and in the API, and integer fen in computations, so that sums are exact.

const mostFen = 9_999_999_999;

/**
 * Parses input such as "4800", "4,800.5" or "¥4800.50" to fen; undefined if it is not an amount up to 99,999,999.99
 * with at most two decimals.
 */
export function parseYuan(typed: string): number | undefined {
  const plain = typed.replaceAll(/[\s,，¥￥]/g, "");
  const [, whole, decimals = ""] = /^(\d{1,8})(?:\.(\d{1,2}))?$/.exec(plain) ?? [];
  if (whole === undefined) return undefined;
  const fen = Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
  return fen <= mostFen ? fen : undefined;
}

/** Converts through the shortest decimal text, since multiplying by 100 would be inexact. */
export const toFen = (yuan: number): number => parseYuan(String(yuan)) ?? Math.round(yuan * 100);

export const toYuan = (fen: number): number => fen / 100;

export const writeYuan = (fen: number): string =>
  fen % 100 === 0 ? String(fen / 100) : `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, "0")}`;

export const sumFen = (typed: readonly string[]): number | undefined =>
  typed.reduce<number | undefined>((sum, one) => {
    const fen = parseYuan(one);
    return sum === undefined || fen === undefined ? undefined : sum + fen;
  }, 0);

export const formatFen = (amountFen: number): string =>
  `¥${(amountFen / 100).toLocaleString("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
