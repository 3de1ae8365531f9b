import { callCcb, type CcbClient, type CcbRecord, nothingFound } from "./ccb-client.ts";
import { fromBankTime, fromBankYuan, toBankTime } from "./exchange.ts";
import {
  believe,
  GatewayError,
  type OrderReference,
  type Payment,
  type Refund,
  type RefundReference,
  type StatementRow,
  unbelievable,
} from "./gateway.ts";

// The bank lists the payments and the refunds of a day separately, and in both cases the unsettled records separately
// from the settled ones.

const payments = "5W1002";
const refunds = "5W1003";
const unsettled = "0";
const settled = "1";
const mostPages = 5000;

async function* list(
  client: CcbClient,
  code: string,
  { kind, order, dates }: { kind: string; order: string; dates: readonly [string, string] },
): AsyncGenerator<CcbRecord> {
  const [START, END] = dates;
  for (let page = 1, pages = 1; page <= pages; page++) {
    const info = {
      START,
      STARTHOUR: "00",
      STARTMIN: "00",
      END,
      ENDHOUR: "23",
      ENDMIN: "59",
      KIND: kind,
      ORDER: order,
      ACCOUNT: "",
      DEXCEL: "1",
      MONEY: "",
      NORDERBY: "2",
      PAGE: String(page),
      POS_CODE: "",
      STATUS: "3",
    };
    const answer = await callCcb(client, code, info).catch((error: unknown) => {
      if (error instanceof GatewayError && nothingFound.has(error.code)) return undefined;
      throw error;
    });
    if (!answer) return;
    const count = answer.value("TPAGE") || answer.value("PAGE_COUNT");
    pages = answer.list.length === 0 ? 0 : Number(count);
    if (!(pages >= 0 && pages <= mostPages)) throw unbelievable("ccb", "the response does not follow the protocol");
    yield* answer.list;
  }
}

async function* listBoth(
  client: CcbClient,
  code: string,
  which: { order: string; dates: readonly [string, string] },
): AsyncGenerator<CcbRecord> {
  for (const kind of [unsettled, settled]) yield* list(client, code, { ...which, kind });
}

const toDay = (instant: Date): string => toBankTime(instant).slice(0, 10).replaceAll("-", "");
const dayMs = 86_400_000;
/** The range starts a day early, since the clocks of the bank and of this server may disagree around midnight. */
const toDays = (since: Date, nowMs: number): readonly [string, string] => [
  toDay(new Date(since.getTime() - dayMs)),
  toDay(new Date(nowMs)),
];

/** A failed attempt has a record too. If any record is paid, the order is paid. */
export async function queryCcb(
  client: CcbClient,
  { orderNo, createdAt }: OrderReference,
  nowMs: number,
): Promise<Payment> {
  let found: Payment = { state: "absent" };
  const which = { order: orderNo, dates: toDays(createdAt, nowMs) };
  for await (const record of listBoth(client, payments, which)) {
    if (record("ORDER") !== orderNo) throw unbelievable("ccb", "the response is about another order");
    found = believe("ccb", () => toPayment(record));
    if (found.state === "paid") return found;
  }
  return found;
}

function toPayment(record: CcbRecord): Payment {
  const state = record("ORDER_STATUS");
  // 1 means paid; 3 and 4 mean paid and later refunded, in part or entirely.
  if (state === "1" || state === "3" || state === "4")
    return {
      state: "paid",
      amountFen: fromBankYuan(record("PAYMENT_MONEY")),
      tradeNo: record("OriOvrlsttnEV_Trck_No") || null,
      paidAt: toMoment(record("TRAN_DATE")),
    };
  if (state !== "0" && state !== "2" && state !== "5") throw new RangeError("unknown order state");
  return { state: "pending" };
}

export async function queryCcbRefund(
  client: CcbClient,
  { order, refundNo, requestedAt }: RefundReference,
  nowMs: number,
): Promise<Refund> {
  const which = { order: order.orderNo, dates: toDays(requestedAt, nowMs) };
  for await (const record of listBoth(client, refunds, which))
    if (record("REFUND_CODE") === refundNo) return believe("ccb", () => toRefund(record));
  return { state: "absent" };
}

function toRefund(record: CcbRecord): Refund {
  const state = record("STATUS");
  if (state === "0") return { state: "failed", reason: "the bank rejected the refund" };
  if (state === "2" || state === "5") return { state: "running" };
  if (state !== "1") throw new RangeError("unknown refund state");
  const amountFen = fromBankYuan(record("REFUNDEMENT_AMOUNT"));
  return { state: "done", amountFen, refundTradeNo: null, doneAt: toMoment(record("REFUND_DATE")) };
}

const toMoment = (text: string): Date => fromBankTime(text, /^\D*(?:\d\D*){8}$/.test(text) ? "000000" : "");

/**
 * A record that settles between the queries is in both lists and counts once. Several payments of an order are separate
 * rows.
 */
export async function listCcbDay(client: CcbClient, date: string): Promise<StatementRow[]> {
  const day = date.replaceAll("-", "");
  const which = { order: "", dates: [day, day] as const };
  const rows = new Map<string, StatementRow>();
  for await (const record of listBoth(client, payments, which)) {
    const payment = believe("ccb", () => toPayment(record));
    const orderNo = record("ORDER");
    if (payment.state !== "paid") continue;
    const { amountFen, tradeNo, paidAt: at } = payment;
    const row = { kind: "payment", orderNo, tradeNo, amountFen, at } as const;
    rows.set([orderNo, tradeNo, at.toISOString(), amountFen].join(" "), row);
  }
  for await (const record of listBoth(client, refunds, which)) {
    const refund = believe("ccb", () => toRefund(record));
    const [orderNo, refundNo] = [record("ORDER_NUMBER"), record("REFUND_CODE")];
    if (refund.state !== "done") continue;
    const { amountFen, doneAt: at } = refund;
    rows.set(`${orderNo} ${refundNo}`, { kind: "refund", orderNo, refundNo, tradeNo: null, amountFen, at });
  }
  return [...rows.values()];
}
