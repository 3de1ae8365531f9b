import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { type AbcMerchant, callAbc, decodeBank, fetchAbcStatement, readSignedNotice } from "./abc-call.ts";
import { answerBank, cutText, fromBankTime, fromBankYuan, refundOnce, toBankTime, toBankYuan } from "./exchange.ts";
import {
  believe,
  believeNotice,
  type Gateway,
  GatewayError,
  type Notice,
  NoticeRefusal,
  type PayAnswer,
  type Payment,
  type PayRequest,
  type RawNotice,
  type Refund,
  type RefundReference,
  type RefundRequest,
  unbelievable,
} from "./gateway.ts";

const yuanCurrency = "156";
const tuition = "0410";
const mostProduct = 50;

export function createAbcGateway(merchant: AbcMerchant): Gateway {
  const queryRefund: Gateway["queryRefund"] = (reference) => findRefund(merchant, reference);
  return {
    name: "abc",
    kinds: ["redirect"],
    pay: (request) => pay(merchant, request),
    query: async ({ orderNo }) => {
      const read = await find(merchant, "ImmediatePay", orderNo);
      return read ? believe("abc", () => toPayment(read, merchant)) : { state: "absent" };
    },
    refund: (request) => refundOnce(queryRefund, () => refund(merchant, request), request),
    queryRefund,
    hidesRefunds: true,
    verifyNotice: async (raw) => readNotice(merchant, raw),
    answerNotice: answerBank,
    fetchStatement: (date) => fetchAbcStatement(merchant, date),
  };
}

const toDate = (instant: Date): string => toBankTime(instant).slice(0, 10).replaceAll("-", "/");
const toTime = (instant: Date): string => toBankTime(instant).slice(11);

const moment = { HostDate: z.string().optional(), HostTime: z.string().optional() };
const page = z.object({ OrderNo: z.string(), PaymentURL: z.url({ protocol: /^https?$/ }) });

async function pay(merchant: AbcMerchant, request: PayRequest): Promise<PayAnswer> {
  const order = {
    PayTypeID: "ImmediatePay",
    OrderNo: request.orderNo,
    OrderAmount: toBankYuan(request.amountFen),
    OrderDate: toDate(request.createdAt),
    OrderTime: toTime(request.createdAt),
    orderTimeoutDate: toBankTime(request.expiresAt).replaceAll(/\D/g, ""),
    CurrencyCode: yuanCurrency,
    CommodityType: tuition,
    InstallmentMark: "0",
    OrderURL: request.returnUrl,
    OrderItems: [{ ProductName: cutText(request.description, mostProduct) }],
  };
  const notify = {
    PaymentType: "A",
    PaymentLinkType: request.device === "phone" ? "2" : "1",
    NotifyType: "1",
    IsBreakAccount: "0",
    ResultNotifyURL: request.notifyUrl,
  };
  const answer = await callAbc(merchant, { TrxType: "PayReq", ...notify, Order: order });
  const { OrderNo, PaymentURL } = believe("abc", () => page.parse(answer));
  if (OrderNo !== request.orderNo) throw unbelievable("abc", "the response is about another order");
  return { kind: "redirect", url: PaymentURL };
}

const found = z.looseObject({ ...moment, Order: z.base64().optional() });
const trade = z.looseObject({
  OrderNo: z.string(),
  Status: z.string(),
  OrderAmount: z.string().optional(),
  RefundAmount: z.string().optional(),
  iRspRef: z.string().optional(),
  ...moment,
});
type Trade = z.output<typeof trade>;

async function find(merchant: AbcMerchant, kind: string, no: string): Promise<Trade | undefined> {
  const request = { TrxType: "Query", PayTypeID: kind, OrderNo: no, QueryDetail: "true" };
  const answer = await callAbc(merchant, request);
  return believe("abc", () => {
    const { Order = "", HostDate, HostTime } = found.parse(answer);
    if (Order === "") return undefined;
    const read = trade.parse({ HostDate, HostTime, ...JSON.parse(decodeBank(Buffer.from(Order, "base64"))) });
    if (read.OrderNo !== no) throw new RangeError("the response is about another order");
    return read;
  });
}

const pending = new Set(["01", "02", "07", "99"]);
/** 03 means settled, 04 successful, and 05 paid and later refunded. */
const paid = new Set(["03", "04", "05"]);

function toPayment(read: Trade, { clock }: AbcMerchant): Payment {
  if (pending.has(read.Status)) return { state: "pending" };
  if (read.Status === "00") return { state: "closed" };
  if (!paid.has(read.Status)) throw new RangeError("unknown order state");
  const amountFen = fromBankYuan(read.OrderAmount ?? "");
  return { state: "paid", amountFen, tradeNo: read.iRspRef || null, paidAt: toMoment(read, clock) };
}

const toMoment = ({ HostDate, HostTime }: Pick<Trade, "HostDate" | "HostTime">, clock: Clock): Date =>
  HostDate && HostTime ? fromBankTime(HostDate, HostTime) : new Date(clock());

async function refund(
  merchant: AbcMerchant,
  { order, refundNo, amountFen, requestedAt }: RefundRequest,
): Promise<Refund> {
  const request = {
    TrxType: "Refund",
    OrderDate: toDate(requestedAt),
    OrderTime: toTime(requestedAt),
    OrderNo: order.orderNo,
    NewOrderNo: refundNo,
    CurrencyCode: yuanCurrency,
    TrxAmount: toBankYuan(amountFen),
  };
  const answer = await callAbc(merchant, request);
  return believe("abc", () => {
    const read = refunded.parse(answer);
    if (read.OrderNo !== order.orderNo || read.NewOrderNo !== refundNo)
      throw new RangeError("the response is about another refund");
    // A refund without a reference number of the bank was accepted and is pending.
    if (!read.iRspRef) return { state: "running" };
    const doneAt = toMoment(read, merchant.clock);
    return { state: "done", amountFen: fromBankYuan(read.TrxAmount), refundTradeNo: read.iRspRef, doneAt };
  });
}

const refunded = trade.pick({ OrderNo: true, iRspRef: true, HostDate: true, HostTime: true }).extend({
  NewOrderNo: z.string(),
  TrxAmount: z.string(),
});

/**
 * It is not documented which response means that a refund does not exist, so any refusal counts as "absent". Another
 * attempt is safe, since the bank refuses a refund number that it has seen.
 */
async function findRefund(merchant: AbcMerchant, { refundNo }: RefundReference): Promise<Refund> {
  const read = await find(merchant, "Refund", refundNo).catch((error: unknown) => {
    if (error instanceof GatewayError && error.failure === "refused") return undefined;
    throw error;
  });
  return read ? believe("abc", () => toRefund(read, merchant)) : { state: "absent" };
}

function toRefund(read: Trade, { clock }: AbcMerchant): Refund {
  if (read.Status === "99") return { state: "failed", reason: "the bank rejected the refund" };
  if (read.Status === "02") return { state: "running" };
  if (read.Status !== "04" && read.Status !== "03") throw new RangeError("unknown refund state");
  const amountFen = fromBankYuan(read.RefundAmount ?? read.OrderAmount ?? "");
  return { state: "done", amountFen, refundTradeNo: read.iRspRef || null, doneAt: toMoment(read, clock) };
}

const noticed = z.object({
  ReturnCode: z.string(),
  MerchantID: z.string(),
  OrderNo: z.string().min(1),
  Amount: z.string(),
  iRspRef: z.string().min(1),
  HostDate: z.string(),
  HostTime: z.string(),
});

const readNotice = ({ bankKey, merchantId }: AbcMerchant, { body }: RawNotice): Notice =>
  believeNotice("abc", () => {
    const message = new URLSearchParams(body.toString("latin1")).get("MSG") ?? "";
    const signed = readSignedNotice(Buffer.from(message, "base64"), bankKey);
    if (signed === undefined) throw refuse("signature", "the signature is missing or invalid");
    const said = noticed.parse(signed);
    if (said.MerchantID !== merchantId) throw refuse("merchant", "the notice is for another merchant");
    const { OrderNo: orderNo, iRspRef: tradeNo } = said;
    if (said.ReturnCode !== "0000") return { kind: "payment", orderNo, payment: { state: "pending" } };
    const amountFen = fromBankYuan(said.Amount);
    const paidAt = fromBankTime(said.HostDate, said.HostTime);
    return { kind: "payment", orderNo, payment: { state: "paid", amountFen, tradeNo, paidAt } };
  });

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("abc", fault, reason);
