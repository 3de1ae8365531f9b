import * as z from "zod";
import { type AbcMerchant, believe, callAbc, decodeBank, fetchAbcStatement, readSigned } from "./abc-call.ts";
import { answerBank, cutText, fromBankTime, fromBankYuan, refundOnce, toBankTime, toBankYuan } from "./exchange.ts";
import {
  type CallOptions,
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
const noSuchOrder = "2302";
const mostProduct = 50;

/** The second bank: a signed request names a page of the bank's, to which the payer goes. */
export function createAbcGateway(merchant: AbcMerchant): Gateway {
  const queryRefund: Gateway["queryRefund"] = (reference, options) => findRefund(merchant, reference, options);
  return {
    name: "abc",
    kind: "redirect",
    pay: (request, options) => pay(merchant, request, options),
    query: (order, options) => findPayment(merchant, order, options),
    refund: (request, options) => refundOnce(queryRefund, () => refund(merchant, request, options), request, options),
    queryRefund,
    verifyNotice: async (raw) => readNotice(merchant, raw),
    answerNotice: answerBank,
    fetchStatement: (date, options) => fetchAbcStatement(merchant, date, options),
  };
}

/** The parts of a time as the bank writes them. */
const toDate = (instant: Date): string => toBankTime(instant).slice(0, 10).replaceAll("-", "/");
const toTime = (instant: Date): string => toBankTime(instant).slice(11);

const page = z.object({ OrderNo: z.string(), PaymentURL: z.url({ protocol: /^https?$/ }) });

async function pay(merchant: AbcMerchant, request: PayRequest, options: CallOptions | undefined): Promise<PayAnswer> {
  const order = {
    PayTypeID: "ImmediatePay",
    OrderNo: request.orderNo,
    OrderAmount: toBankYuan(request.amountFen),
    OrderDate: toDate(request.createdAt),
    OrderTime: toTime(request.createdAt),
    OrderTimeoutDate: toBankTime(request.expiresAt).replaceAll(/\D/g, ""),
    CurrencyCode: yuanCurrency,
    OrderURL: request.returnUrl,
    OrderItems: [{ ProductName: cutText(request.description, mostProduct) }],
  };
  const notify = { PaymentType: "A", PaymentLinkType: "1", NotifyType: "1", ResultNotifyURL: request.notifyUrl };
  const answer = await callAbc(merchant, { TrxType: "PayReq", ...notify, Order: order }, options);
  const { OrderNo, PaymentURL } = believe(() => page.parse(answer));
  if (OrderNo !== request.orderNo) throw unbelievable("abc", "an answer about another order");
  return { kind: "redirect", url: PaymentURL };
}

const found = z.object({ Order: z.base64() });
const trade = z.object({ OrderNo: z.string(), Status: z.string() });
const moved = z.object({
  OrderAmount: z.string(),
  iRspRef: z.string().min(1),
  HostDate: z.string(),
  HostTime: z.string(),
});

/** Undefined where the bank knows no such number. @throws GatewayError */
async function find(merchant: AbcMerchant, kind: string, no: string, options: CallOptions | undefined) {
  try {
    const request = { TrxType: "Query", PayTypeID: kind, OrderNo: no, QueryDetail: "0" };
    const answer = await callAbc(merchant, request, options);
    return believe(() => {
      const json: unknown = JSON.parse(decodeBank(Buffer.from(found.parse(answer).Order, "base64")));
      const { OrderNo, Status } = trade.parse(json);
      if (OrderNo !== no) throw new RangeError("another order's");
      return { status: Status, json };
    });
  } catch (error) {
    if (error instanceof GatewayError && error.code === noSuchOrder) return undefined;
    throw error;
  }
}

async function findPayment(
  merchant: AbcMerchant,
  { orderNo }: OrderReference,
  options: CallOptions | undefined,
): Promise<Payment> {
  const read = await find(merchant, "ImmediatePay", orderNo, options);
  return read ? believe(() => toPayment(read.status, read.json)) : { state: "absent" };
}

const pending = new Set(["01", "02", "07", "99"]);
/** Settled, successful, refunded since. */
const paid = new Set(["03", "04", "05"]);

function toPayment(status: string, json: unknown): Payment {
  if (pending.has(status)) return { state: "pending" };
  if (status === "00") return { state: "closed" };
  if (!paid.has(status)) throw new RangeError("a state that is not of the protocol");
  const { amountFen, no: tradeNo, at: paidAt } = toMoved(json);
  return { state: "paid", amountFen, tradeNo, paidAt };
}

function toMoved(json: unknown): { amountFen: number; no: string; at: Date } {
  const { OrderAmount, iRspRef, HostDate, HostTime } = moved.parse(json);
  return { amountFen: fromBankYuan(OrderAmount), no: iRspRef, at: fromBankTime(HostDate, HostTime) };
}

async function refund(
  merchant: AbcMerchant,
  { order, refundNo, amountFen, requestedAt }: RefundRequest,
  options: CallOptions | undefined,
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
  const answer = await callAbc(merchant, request, options);
  return believe(() => readRefunded(answer, order.orderNo, refundNo));
}

const refunded = z.object({
  OrderNo: z.string(),
  NewOrderNo: z.string(),
  TrxAmount: z.string(),
  iRspRef: z.string().min(1),
  HostDate: z.string(),
  HostTime: z.string(),
});

function readRefunded(answer: unknown, orderNo: string, refundNo: string): Refund {
  const read = refunded.parse(answer);
  if (read.OrderNo !== orderNo || read.NewOrderNo !== refundNo) throw new RangeError("another refund's");
  const doneAt = fromBankTime(read.HostDate, read.HostTime);
  return { state: "done", amountFen: fromBankYuan(read.TrxAmount), refundTradeNo: read.iRspRef, doneAt };
}

async function findRefund(
  merchant: AbcMerchant,
  { refundNo }: RefundReference,
  options: CallOptions | undefined,
): Promise<Refund> {
  const read = await find(merchant, "Refund", refundNo, options);
  return read ? believe(() => toRefund(read.status, read.json)) : { state: "absent" };
}

function toRefund(status: string, json: unknown): Refund {
  if (status === "99") return { state: "failed", reason: "the bank has refused it" };
  if (status === "02") return { state: "running" };
  if (status !== "04" && status !== "03") throw new RangeError("a state that is not of the protocol");
  const { amountFen, no: refundTradeNo, at: doneAt } = toMoved(json);
  return { state: "done", amountFen, refundTradeNo, doneAt };
}

const noticed = z.object({
  Merchant: z.object({ MerchantID: z.string() }),
  TrxResponse: z.object({
    ReturnCode: z.string(),
    TrxType: z.literal("PayResult"),
    OrderNo: z.string().min(1),
    Amount: z.string(),
    iRspRef: z.string().min(1),
    HostDate: z.string(),
    HostTime: z.string(),
  }),
});

function readNotice({ bankKey, merchantId }: AbcMerchant, { body }: RawNotice): Notice {
  const message = attempt(() =>
    readSigned(Buffer.from(new URLSearchParams(body.toString("latin1")).get("MSG") ?? "", "base64"), bankKey),
  );
  if (message === undefined) throw refuse("signature", "a wrong signature, or none");
  const { Merchant: party, TrxResponse: said } = attempt(() => noticed.parse(message));
  if (party.MerchantID !== merchantId) throw refuse("merchant", "another merchant's");
  return attempt(() => toNotice(said));
}

function toNotice(said: z.infer<typeof noticed>["TrxResponse"]): Notice {
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
