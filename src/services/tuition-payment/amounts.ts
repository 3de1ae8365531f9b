import type { Bilingual } from "#platform/contract/language.ts";
import { mostYuan } from "#platform/contract/wire.ts";

// Amounts are stored and computed as an integer number of fen. Yuan occur only in input and output, as text or as a
// number whose decimal text is parsed, so that no arithmetic uses fractions.

const yuanPattern = /^(\d{1,8})(?:\.(\d{1,2}))?$/;
const mostFen = Math.round(mostYuan * 100);

/**
 * Accepts only text such as `4800` or `4800.5`. Returns undefined for anything else, such as a sign, an exponent or an
 * amount above the maximum.
 */
export function parseYuan(text: string): number | undefined {
  const [, whole, decimals = ""] = yuanPattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const fen = Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
  return fen <= mostFen ? fen : undefined;
}

export function toFen(yuan: number): number {
  const fen = parseYuan(String(yuan));
  if (fen === undefined) throw new RangeError("not an amount of money");
  return fen;
}

/** The quotient is the double that is nearest to the amount, so JSON shows it exactly: 1999 becomes 19.99. */
export const toYuan = (fen: number): number => fen / 100;

export const writeYuan = (fen: number): string => {
  const [whole, rest] = [Math.floor(fen / 100), fen % 100];
  return rest === 0 ? String(whole) : `${whole}.${String(rest).padStart(2, "0")}`;
};

const yuan = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const formatFen = (fen: number): string => `¥${yuan.format(toYuan(fen))}`;

export interface PayItem {
  readonly name: string;
  readonly amountFen: number;
}

export interface ItemFault extends Bilingual {
  readonly problem: "badFormat" | "paymentItemExists" | "amountWrong" | "tooLong";
}

const betweenItems = "\\";
const beforeAmount = ":";
const mostItems = 50;
const mostNameLength = 64;

const fault = (problem: ItemFault["problem"], zh: string, en: string): ItemFault => ({ problem, zh, en });

/** The name of an item cannot contain a separator (colon or backslash), since the text would be ambiguous. */
export function parseItems(detail: string): PayItem[] | ItemFault {
  const parts = detail.split(betweenItems);
  if (parts.length > mostItems)
    return fault("badFormat", `最多${mostItems}个收费项目`, `there must be at most ${mostItems} items`);
  const items: PayItem[] = [];
  for (const part of parts) {
    const item = parseItem(part);
    if ("problem" in item) return item;
    if (items.some(({ name }) => name === item.name))
      return fault("paymentItemExists", `收费项目“${item.name}”重复`, `the item "${item.name}" occurs more than once`);
    items.push(item);
  }
  return items;
}

function parseItem(part: string): PayItem | ItemFault {
  const [name = "", amount, ...rest] = part.split(beforeAmount).map((piece) => piece.trim());
  if (amount === undefined || rest.length > 0 || name === "")
    return fault(
      "badFormat",
      "收费项目应写作 名称:金额，项目之间用反斜杠分隔，名称不能含冒号或反斜杠",
      "items must have the form name:amount and be separated by backslashes; names must not contain colons or backslashes",
    );
  if ([...name].length > mostNameLength)
    return fault(
      "tooLong",
      `收费项目名称最多${mostNameLength}个字符`,
      `the name of an item must have at most ${mostNameLength} characters`,
    );
  const amountFen = parseYuan(amount);
  if (amountFen === undefined)
    return fault(
      "badFormat",
      `“${name}”的金额应为最多两位小数的数字`,
      `the amount of "${name}" must be a number with at most two decimal places`,
    );
  return { name, amountFen };
}

export const writeItems = (items: readonly PayItem[]): string =>
  items.map(({ name, amountFen }) => `${name}${beforeAmount}${writeYuan(amountFen)}`).join(betweenItems);

export function parseItemsOf(detail: string, amountFen: number): PayItem[] | ItemFault {
  const items = parseItems(detail);
  if ("problem" in items) return items;
  const sumFen = items.reduce((sum, item) => sum + item.amountFen, 0);
  if (sumFen === amountFen) return items;
  return fault(
    "amountWrong",
    `收费项目合计${formatFen(sumFen)}，与应缴金额${formatFen(amountFen)}不符`,
    `the items add up to ${formatFen(sumFen)}, but the amount is ${formatFen(amountFen)}`,
  );
}

export const itemsOf = ({
  itemNames,
  itemFen,
}: {
  readonly itemNames: readonly string[];
  readonly itemFen: readonly number[];
}): PayItem[] => itemNames.map((name, index) => ({ name, amountFen: itemFen[index] ?? 0 }));
