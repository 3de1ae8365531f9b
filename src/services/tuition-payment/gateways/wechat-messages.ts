import * as z from "zod";
import { fromIsoTime } from "./bank-values.ts";
import type { Notice, OrderReference, Payment, Refund, RefundReference } from "./gateway.ts";

// What WeChat Pay says of a trade and of a refund, in answers and in notices. Readers throw for what is not of the
// protocol; for another merchant, application, order or currency they return undefined.

const fen = z.number().int().nonnegative();
const time = z.string().transform(fromIsoTime);
const currency = z.literal("CNY").optional();

const trade = z.object({ mchid: z.string(), appid: z.string(), out_trade_no: z.string(), trade_state: z.string() });
const paidTrade = z.object({
  transaction_id: z.string().min(1),
  success_time: time,
  amount: z.object({ total: fen, currency }),
});

export interface WeChatParty {
  readonly mchId: string;
  readonly appId: string;
}

export function readTrade(
  message: unknown,
  { mchId, appId }: WeChatParty,
): { orderNo: string; payment: Payment } | undefined {
  const { mchid, appid, out_trade_no: orderNo, trade_state: state } = trade.parse(message);
  return mchid === mchId && appid === appId ? { orderNo, payment: toPayment(state, message) } : undefined;
}

function toPayment(state: string, message: unknown): Payment {
  if (state === "CLOSED" || state === "REVOKED") return { state: "closed" };
  if (state === "NOTPAY" || state === "USERPAYING" || state === "PAYERROR" || state === "ACCEPT")
    return { state: "pending" };
  if (state !== "SUCCESS" && state !== "REFUND") throw new RangeError("a state that is not of the protocol");
  const { transaction_id: tradeNo, success_time: paidAt, amount } = paidTrade.parse(message);
  return { state: "paid", amountFen: amount.total, tradeNo, paidAt };
}

/** The payment that an answer tells of this order. @throws when it is another's. */
export function readTradeOf(order: OrderReference, message: unknown, party: WeChatParty): Payment {
  const read = readTrade(message, party);
  if (read?.orderNo !== order.orderNo) throw new RangeError("another order's");
  return read.payment;
}

const refund = z.object({
  out_trade_no: z.string(),
  out_refund_no: z.string(),
  refund_id: z.string().min(1),
  status: z.string(),
  success_time: time.optional(),
  amount: z.object({ refund: fen, currency }),
});

/** @throws when it is another's, or not of the protocol. */
export function readRefundOf({ refundNo, order }: RefundReference, message: unknown): Refund {
  const read = refund.parse(message);
  if (read.out_refund_no !== refundNo || read.out_trade_no !== order.orderNo) throw new RangeError("another refund's");
  return toRefund(read.status, read);
}

function toRefund(status: string, read: Omit<z.infer<typeof refund>, "status">): Refund {
  if (status === "PROCESSING") return { state: "running" };
  if (status === "CLOSED" || status === "ABNORMAL") return { state: "failed", reason: status };
  if (status !== "SUCCESS" || !read.success_time) throw new RangeError("a state that is not of the protocol");
  const { amount, refund_id: refundTradeNo, success_time: doneAt } = read;
  return { state: "done", amountFen: amount.refund, refundTradeNo, doneAt };
}

const noticedRefund = refund.omit({ status: true }).extend({ mchid: z.string(), refund_status: z.string() });

export function readRefundNotice(message: unknown, { mchId }: WeChatParty): Notice | undefined {
  const { mchid, refund_status: status, ...read } = noticedRefund.parse(message);
  if (mchid !== mchId) return undefined;
  return {
    kind: "refund",
    orderNo: read.out_trade_no,
    refundNo: read.out_refund_no,
    refund: toRefund(status, read),
  };
}
