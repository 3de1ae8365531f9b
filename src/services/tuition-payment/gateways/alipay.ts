import * as z from "zod";
import { type AlipayMerchant, callAlipay, readSignedForm, toPageUrl } from "./alipay-call.ts";
import { fetchAlipayStatement } from "./alipay-statement.ts";
import { cutText, fromBankTime, fromBankYuan, toBankTime, toBankYuan } from "./exchange.ts";
import {
  believeNotice,
  type Closing,
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
} from "./gateway.ts";

const mostSubject = 256;
const mostReason = 256;
const noSuchTrade = "ACQ.TRADE_NOT_EXIST";

export const createAlipayGateway = (merchant: AlipayMerchant): Gateway => ({
  name: "alipay",
  kinds: ["redirect"],
  pay: async (request) => pay(merchant, request),
  query: (order) => query(merchant, order),
  close: (order) => close(merchant, order),
  refund: (request) => refund(merchant, request),
  queryRefund: (reference) => queryRefund(merchant, reference),
  verifyNotice: async (raw) => readNotice(merchant, raw),
  answerNotice: (failure) =>
    failure === undefined
      ? { status: 200, contentType: "text/plain", body: "success" }
      : { status: 400, contentType: "text/plain", body: "failure" },
  fetchStatement: (date) => fetchAlipayStatement(merchant, date),
});

/**
 * Alipay creates the trade only when the payer signs in, so before that there is nothing to close and only the expiry
 * time ends the order.
 */
function pay(merchant: AlipayMerchant, request: PayRequest): PayAnswer {
  const [method, product_code] =
    request.device === "phone"
      ? ["alipay.trade.wap.pay", "QUICK_WAP_WAY"]
      : ["alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY"];
  const content = {
    out_trade_no: request.orderNo,
    total_amount: toBankYuan(request.amountFen),
    subject: toSubject(request.description),
    product_code,
    time_expire: toBankTime(request.expiresAt),
  };
  const back = { notify_url: request.notifyUrl, return_url: request.returnUrl };
  return { kind: "redirect", url: toPageUrl(merchant, method, content, back) };
}

/** Alipay refuses some of these characters, and the others would break its CSV bill. */
const toSubject = (description: string): string => cutText(description.replaceAll(/[/=&,"'<>\s]+/g, " "), mostSubject);

const trade = z.looseObject({ out_trade_no: z.string(), trade_status: z.string() });
const paidTrade = z.object({ trade_no: z.string().min(1), total_amount: z.string(), send_pay_date: z.string() });

const query = (merchant: AlipayMerchant, { orderNo }: OrderReference): Promise<Payment> =>
  orAbsent(() =>
    callAlipay(merchant, "alipay.trade.query", { out_trade_no: orderNo }, (answer) => {
      const { out_trade_no, trade_status } = trade.parse(answer);
      if (out_trade_no !== orderNo) throw new RangeError("the response is about another order");
      return toPayment(trade_status, () => {
        const { trade_no, total_amount, send_pay_date } = paidTrade.parse(answer);
        return { tradeNo: trade_no, amount: total_amount, time: send_pay_date };
      });
    }),
  );

interface Money {
  readonly tradeNo: string;
  readonly amount: string;
  readonly time: string;
}

/** A trade in state `TRADE_CLOSED` was never paid or was refunded entirely, so Alipay has no money in either case. */
function toPayment(state: string, readMoney: () => Money): Payment {
  if (state === "WAIT_BUYER_PAY") return { state: "pending" };
  if (state === "TRADE_CLOSED") return { state: "closed" };
  if (state !== "TRADE_SUCCESS" && state !== "TRADE_FINISHED") throw new RangeError("unknown order state");
  const { tradeNo, amount, time } = readMoney();
  return { state: "paid", amountFen: fromBankYuan(amount), tradeNo, paidAt: fromBankTime(time, "") };
}

/** If Alipay refuses because of the trade's state, the trade may be paid or already closed, so its state is queried. */
async function close(merchant: AlipayMerchant, order: OrderReference): Promise<Closing> {
  try {
    await callAlipay(merchant, "alipay.trade.close", { out_trade_no: order.orderNo }, () => undefined);
    return "closed";
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : undefined;
    if (code === noSuchTrade) return "absent";
    if (code !== "ACQ.TRADE_STATUS_ERROR" && code !== "ACQ.REASON_TRADE_STATUS_INVALID") throw error;
    const { state } = await query(merchant, order);
    if (state === "pending") throw error;
    return state;
  }
}

const moved = z.object({ out_trade_no: z.string(), fund_change: z.enum(["Y", "N"]), gmt_refund_pay: z.string() });

/**
 * Alipay makes only one refund per refund number. If this call moved no money, an earlier call with the same number may
 * have done so, so the refund is queried.
 */
async function refund(merchant: AlipayMerchant, request: RefundRequest): Promise<Refund> {
  const { order, refundNo, amountFen, reason } = request;
  const content = {
    out_trade_no: order.orderNo,
    out_request_no: refundNo,
    refund_amount: toBankYuan(amountFen),
    refund_reason: cutText(reason, mostReason),
  };
  const said = await callAlipay(merchant, "alipay.trade.refund", content, (answer) => {
    const read = moved.parse(answer);
    if (read.out_trade_no !== order.orderNo) throw new RangeError("the response is about another order");
    return { hasMoved: read.fund_change === "Y", doneAt: fromBankTime(read.gmt_refund_pay, "") };
  });
  if (said.hasMoved) return { state: "done", amountFen, refundTradeNo: null, doneAt: said.doneAt };
  const known = await queryRefund(merchant, request);
  return known.state === "absent" ? { state: "running" } : known;
}

/**
 * Alipay omits `out_request_no` and `refund_amount` if it does not know the refund. The recorded responses of 2020 have
 * no `refund_status`.
 */
const refunded = z.object({
  out_request_no: z.string().optional(),
  refund_amount: z.string().optional(),
  out_trade_no: z.string().optional(),
  refund_status: z.string().optional(),
  gmt_refund_pay: z.string().optional(),
});

const queryRefund = (merchant: AlipayMerchant, { order, refundNo }: RefundReference): Promise<Refund> => {
  const content = {
    out_trade_no: order.orderNo,
    out_request_no: refundNo,
    query_options: ["gmt_refund_pay"],
  };
  return orAbsent(() =>
    callAlipay(merchant, "alipay.trade.fastpay.refund.query", content, (answer): Refund => {
      const read = refunded.parse(answer);
      if (read.refund_status !== "REFUND_SUCCESS") return { state: "absent" };
      if (read.out_request_no !== refundNo || read.out_trade_no !== order.orderNo)
        throw new RangeError("the response is about another refund");
      const { refund_amount: amount = "", gmt_refund_pay: time } = read;
      const doneAt = time === undefined ? new Date(merchant.clock()) : fromBankTime(time, "");
      return { state: "done", amountFen: fromBankYuan(amount), refundTradeNo: null, doneAt };
    }),
  );
};

async function orAbsent<T>(ask: () => Promise<T>): Promise<T | { state: "absent" }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatewayError && error.code === noSuchTrade) return { state: "absent" };
    throw error;
  }
}

const noticed = z.object({
  app_id: z.string(),
  seller_id: z.string(),
  out_trade_no: z.string().min(1),
  trade_no: z.string().min(1),
  trade_status: z.string(),
  total_amount: z.string(),
  gmt_payment: z.string().default(""),
  trans_currency: z.literal("CNY").optional(),
  pay_currency: z.literal("CNY").optional(),
  settle_currency: z.literal("CNY").optional(),
});

const readNotice = (merchant: AlipayMerchant, { body }: RawNotice): Notice =>
  believeNotice("alipay", () => {
    const fields = readSignedForm(body, merchant.alipayKey);
    if (!fields) throw refuse("signature", "the signature is missing or invalid");
    const said = noticed.parse(fields);
    if (said.app_id !== merchant.appId || said.seller_id !== merchant.sellerId)
      throw refuse("merchant", "the notice is for another merchant");
    const { out_trade_no: orderNo, trade_no: tradeNo, total_amount: amount, gmt_payment: time } = said;
    const payment = toPayment(said.trade_status, () => ({ tradeNo, amount, time }));
    return { kind: "payment", orderNo, payment };
  });

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("alipay", fault, reason);
