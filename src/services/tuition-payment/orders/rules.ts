import type { orderStatuses, refundStatuses } from "./contract.ts";
import type { deskActions, deskKinds } from "./desk-contract.ts";

export type OrderStatus = (typeof orderStatuses)[number];
export type RefundStatus = (typeof refundStatuses)[number];
export type DeskKind = (typeof deskKinds)[number];
export type DeskAction = (typeof deskActions)[number];

/** "surplus" means that money was received for the item, but its amount was wrong or the item was no longer due. */
export type ItemState = "held" | "paid" | "free" | "surplus";

const firstPollSeconds = 5;
const longestPollSeconds = 600;

export const pollAfterSeconds = (asked: number): number =>
  Math.min(firstPollSeconds * 2 ** Math.min(asked, 30), longestPollSeconds);

/**
 * A closed order is queried once more after this time. By then, payments that were in progress when it was closed have
 * usually arrived. Notices of payment that arrive after this query count too.
 */
export const askAgainAfterSeconds = 60;

export const sumFen = (items: readonly { readonly amountFen: number }[]): number =>
  items.reduce((sum, { amountFen }) => sum + amountFen, 0);

export function mayRedirect(url: string, hosts: readonly string[]): boolean {
  if (/^\/(?![/\\])[^\\\s]*$/.test(url)) return true;
  if (/[\s\\]/.test(url) || !URL.canParse(url)) return false;
  const { protocol, host, hostname, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "") return false;
  return hosts.some((allowed) => allowed === host || allowed === hostname);
}

export function addParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const [address = "", ...fragment] = url.split("#");
  const added = new URLSearchParams(parameters).toString();
  return [`${address}${address.includes("?") ? "&" : "?"}${added}`, ...fragment].join("#");
}

const digits = [..."零壹贰叁肆伍陆柒捌玖"];
const places = ["", "拾", "佰", "仟"];
const groups = ["", "万", "亿"];

/** Writes Chinese financial numerals: 480050 fen is 肆仟捌佰元伍角整. */
export function toWords(fen: number): string {
  const yuan = Math.floor(fen / 100);
  const [jiao, rest] = [Math.floor(fen / 10) % 10, fen % 10];
  const whole = yuan === 0 ? "" : `${wordsOfWhole(yuan)}元`;
  if (jiao === 0 && rest === 0) return `${whole === "" ? "零元" : whole}整`;
  const tenths = jiao === 0 ? (whole === "" ? "" : digits[0]) : `${digits[jiao]}角`;
  return `${whole}${tenths}${rest === 0 ? "整" : `${digits[rest]}分`}`;
}

function wordsOfWhole(number: number): string {
  let words = "";
  let isGap = false;
  const text = String(number);
  for (const [index, digit] of [...text].entries()) {
    const place = text.length - 1 - index;
    if (digit === "0") isGap = true;
    else {
      words += `${isGap && words !== "" ? digits[0] : ""}${digits[Number(digit)]}${places[place % 4]}`;
      isGap = false;
    }
    const group = text.slice(Math.max(0, index - 3), index + 1);
    if (place % 4 === 0 && place > 0 && /[1-9]/.test(group)) words += groups[place / 4];
  }
  return words;
}

interface Waiting {
  readonly kind: DeskKind;
  readonly handled: boolean;
  readonly isSecond: boolean;
  readonly isKnown: boolean;
  readonly isBusy: boolean;
  readonly isSurplus: boolean;
}

const whenFree = ({ isBusy }: Waiting, ...actions: DeskAction[]): DeskAction[] => (isBusy ? [] : actions);
const ofStatement = ({ isKnown, isSecond }: Waiting): DeskAction[] => [
  ...(isKnown ? (["ask"] as const) : []),
  ...(isSecond ? (["refund"] as const) : []),
  "note",
];

const offered: Readonly<Record<DeskKind, (row: Waiting) => DeskAction[]>> = {
  long: ofStatement,
  short: ofStatement,
  mismatch: ofStatement,
  late: (row) => ["ask", ...whenFree(row, "settle", "refund"), "note"],
  otherAmount: (row) => ["ask", ...whenFree(row, "refund"), "note"],
  // Surplus money must be returned, so a note alone cannot close the entry.
  refundFailed: (row) => [...whenFree(row, "again", "outside"), ...(row.isSurplus ? [] : (["note"] as const))],
  refundAsked: () => ["refund", "note"],
};

export const listActions = (row: Waiting): DeskAction[] => (row.handled ? [] : offered[row.kind](row));
