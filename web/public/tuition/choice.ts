import { toFen, toYuan } from "#shared/money.ts";

/**
 * `held`: in an unpaid order; `off`: unpaid, but the student's grade may not pay now; `gone`: selected earlier, but no
 * longer due.
 */
export type LineState = "unpaid" | "held" | "paid" | "off" | "gone";

export interface Line {
  readonly key: string;
  readonly payableId: number;
  readonly years: string;
  readonly name: string;
  readonly amountFen: number;
  readonly state: LineState;
}

interface Item {
  readonly name: string;
  /** In yuan, as in the API. */
  readonly amount: number;
}

export interface PayableOfWire {
  readonly id: number;
  readonly years: string;
  readonly grade: string;
  readonly items: readonly (Item & { readonly due: number; readonly state: "unpaid" | "held" | "paid" })[];
}

export interface LimitOfWire {
  readonly grade: string;
  readonly gradeName: string;
  readonly enablePay: "1" | "2";
}

const toKey = (payableId: number, name: string): string => `${payableId} ${name}`;

export const mayPay = (grade: string, limits: readonly LimitOfWire[]): boolean =>
  limits.some((limit) => limit.grade === grade && limit.enablePay === "1");

export const toLines = (payables: readonly PayableOfWire[], limits: readonly LimitOfWire[]): Line[] =>
  payables.flatMap(({ id, years, grade, items }) =>
    items.map(({ name, due, amount, state }) => ({
      key: toKey(id, name),
      payableId: id,
      years,
      name,
      // A paid item shows its full amount, since nothing of it is due.
      amountFen: toFen(state === "paid" ? amount : due),
      state: state === "unpaid" && !mayPay(grade, limits) ? "off" : state,
    })),
  );

export const toChosen = (
  payables: readonly { readonly payableId: number; readonly years: string; readonly items: readonly Item[] }[],
): Line[] =>
  payables.flatMap(({ payableId, years, items }) =>
    items.map(({ name, amount }) => ({
      key: toKey(payableId, name),
      payableId,
      years,
      name,
      amountFen: toFen(amount),
      state: "unpaid",
    })),
  );

export const sumFen = (lines: readonly Line[]): number => lines.reduce((sum, { amountFen }) => sum + amountFen, 0);

// Map.groupBy is missing in older WebViews of messaging apps.
function groupBy<K>(lines: readonly Line[], keyOf: (line: Line) => K): [key: K, lines: Line[]][] {
  const groups = new Map<K, Line[]>();
  for (const line of lines) groups.set(keyOf(line), [...(groups.get(keyOf(line)) ?? []), line]);
  return [...groups];
}

export const byYear = (lines: readonly Line[]): [years: string, lines: Line[]][] =>
  groupBy(lines, ({ years }) => years);

export interface Revised {
  readonly lines: readonly Line[];
  readonly dropped: readonly Line[];
  readonly isRepriced: boolean;
}

export function revise(chosen: readonly Line[], present: readonly Line[]): Revised {
  const found = new Map(present.map((line) => [line.key, line]));
  const now = chosen.map((line): Line => found.get(line.key) ?? { ...line, state: "gone" });
  const lines = now.filter(({ state }) => state === "unpaid");
  const seen = new Map(chosen.map(({ key, amountFen }) => [key, amountFen]));
  return {
    lines,
    dropped: now.filter(({ state }) => state !== "unpaid"),
    isRepriced: lines.some(({ key, amountFen }) => seen.get(key) !== amountFen),
  };
}

export const toOrderBody = (lines: readonly Line[]) => ({
  payables: groupBy(lines, ({ payableId }) => payableId).map(([payableId, own]) => ({
    payableId,
    items: own.map(({ name }) => name),
  })),
  amount: toYuan(sumFen(lines)),
});
