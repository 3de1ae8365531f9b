import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { type AbcMerchant, believe, callAbc, decodeBank, fetchAbcStatement, readSignedNotice } from "./abc-call.ts";
import { answerBank, cutText, fromBankTime, fromBankYuan, refundOnce, toBankTime, toBankYuan } from "./exchange.ts";
import {
  type Gateway,
  GatewayError,
  type Notice,
  NoticeRefusal,
  type OrderReference,
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

/** The second bank: a signed request names a page of the bank's, to which the payer goes. */
export function createAbcGateway(merchant: AbcMerchant): Gateway {
  const queryRefund: Gateway["queryRefund"] = (reference) => findRefund(merchant, reference);
  return {
    name: "abc",
    kind: "redirect",
    pay: (request) => pay(merchant, request),
    query: (order) => findPayment(merchant, order),
    refund: (request) => refundOnce(queryRefund, () => refund(merchant, request), request),
    queryRefund,
    verifyNotice: async (raw) => readNotice(merchant, raw),
    answerNotice: answerBank,
    fetchStatement: (date) => fetchAbcStatement(merchant, date),
  };
}

/** The parts of a time as the bank writes them. */
const toDate = (instant: Date): string => toBankTime(instant).slice(0, 10).replaceAll("-", "/");
const toTime = (instant: Date): string => toBankTime(instant).slice(11);

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
    PaymentLinkType: "1",
    NotifyType: "1",
    IsBreakAccount: "0",
    ResultNotifyURL: request.notifyUrl,
  };
  const answer = await callAbc(merchant, { TrxType: "PayReq", ...notify, Order: order });
  const { OrderNo, PaymentURL } = believe(() => page.parse(answer));
  if (OrderNo !== request.orderNo) throw unbelievable("abc", "an answer about another order");
  return { kind: "redirect", url: PaymentURL };
}

const found = z.looseObject({
  Order: z.base64().optional(),
  HostDate: z.string().optional(),
  HostTime: z.string().optional(),
});
/** A look-up gives an order's amount or a refund's, and of the rest what the bank pleases. */
const trade = z.looseObject({
  OrderNo: z.string(),
  Status: z.string(),
  OrderAmount: z.string().optional(),
  RefundAmount: z.string().optional(),
  iRspRef: z.string().optional(),
  HostDate: z.string().optional(),
  HostTime: z.string().optional(),
});
type Trade = z.output<typeof trade>;

/** Undefined where the bank has no order to show. @throws GatewayError */
async function find(merchant: AbcMerchant, kind: string, no: string): Promise<Trade | undefined> {
  const request = { TrxType: "Query", PayTypeID: kind, OrderNo: no, QueryDetail: "true" };
  const answer = await callAbc(merchant, request);
  return believe(() => {
    const { Order = "", HostDate, HostTime } = found.parse(answer);
    if (Order === "") return undefined;
    const read = trade.parse({ HostDate, HostTime, ...JSON.parse(decodeBank(Buffer.from(Order, "base64"))) });
    if (read.OrderNo !== no) throw new RangeError("another order's");
    return read;
  });
}

async function findPayment(merchant: AbcMerchant, { orderNo }: OrderReference): Promise<Payment> {
  const read = await find(merchant, "ImmediatePay", orderNo);
  return read ? believe(() => toPayment(read, merchant)) : { state: "absent" };
}

const pending = new Set(["01", "02", "07", "99"]);
/** Settled, successful, refunded since. */
const paid = new Set(["03", "04", "05"]);

function toPayment(read: Trade, { clock }: AbcMerchant): Payment {
  if (pending.has(read.Status)) return { state: "pending" };
  if (read.Status === "00") return { state: "closed" };
  if (!paid.has(read.Status)) throw new RangeError("a state that is not of the protocol");
  const amountFen = fromBankYuan(read.OrderAmount ?? "");
  return { state: "paid", amountFen, tradeNo: read.iRspRef || null, paidAt: toMoment(read, clock) };
}

/** The host's, or this very moment where it is not said. */
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
  return believe(() => readRefunded(merchant, answer, order.orderNo, refundNo));
}

const refunded = z.object({
  OrderNo: z.string(),
  NewOrderNo: z.string(),
  TrxAmount: z.string(),
  iRspRef: z.string().optional(),
  HostDate: z.string().optional(),
  HostTime: z.string().optional(),
});

/** Without a number of its own the bank has taken the refund, and not yet made it. */
function readRefunded({ clock }: AbcMerchant, answer: unknown, orderNo: string, refundNo: string): Refund {
  const read = refunded.parse(answer);
  if (read.OrderNo !== orderNo || read.NewOrderNo !== refundNo) throw new RangeError("another refund's");
  if (!read.iRspRef) return { state: "running" };
  const amountFen = fromBankYuan(read.TrxAmount);
  return { state: "done", amountFen, refundTradeNo: read.iRspRef, doneAt: toMoment(read, clock) };
}

/**
 * No message is known in which the bank says that it has no such refund. Whatever it refuses to show counts as absent:
 * it takes a refund's number once, so one that is told twice is refused the second time.
 */
async function findRefund(merchant: AbcMerchant, { refundNo }: RefundReference): Promise<Refund> {
  const read = await find(merchant, "Refund", refundNo).catch((error: unknown) => {
    if (error instanceof GatewayError && error.failure === "refused") return undefined;
    throw error;
  });
  return read ? believe(() => toRefund(read, merchant)) : { state: "absent" };
}

function toRefund(read: Trade, { clock }: AbcMerchant): Refund {
  if (read.Status === "99") return { state: "failed", reason: "the bank has refused it" };
  if (read.Status === "02") return { state: "running" };
  if (read.Status !== "04" && read.Status !== "03") throw new RangeError("a state that is not of the protocol");
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

function readNotice({ bankKey, merchantId }: AbcMerchant, { body }: RawNotice): Notice {
  const said = attempt(() =>
    readSignedNotice(Buffer.from(new URLSearchParams(body.toString("latin1")).get("MSG") ?? "", "base64"), bankKey),
  );
  if (said === undefined) throw refuse("signature", "a wrong signature, or none");
  const notice = attempt(() => noticed.parse(said));
  if (notice.MerchantID !== merchantId) throw refuse("merchant", "another merchant's");
  return attempt(() => toNotice(notice));
}

function toNotice(said: z.infer<typeof noticed>): Notice {
  const { OrderNo: orderNo, iRspRef: tradeNo } = said;
  if (said.ReturnCode !== "0000") return { kind: "payment", orderNo, payment: { state: "pending" } };
  const amountFen = fromBankYuan(said.Amount);
  const paidAt = fromBankTime(said.HostDate, said.HostTime);
  return { kind: "payment", orderNo, payment: { state: "paid", amountFen, tradeNo, paidAt } };
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw refuse("malformed", "a notice that is not of the protocol");
  }
}

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("abc", fault, reason);
