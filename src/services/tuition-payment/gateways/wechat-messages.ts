import { createHash } from "node:crypto";
import * as z from "zod";
import { fromBankTime, fromBankYuan, fromIsoTime } from "./exchange.ts";
import {
  GatewayError,
  type Notice,
  NoticeRefusal,
  type OrderReference,
  type Payment,
  type RawNotice,
  type Refund,
  type RefundReference,
  type Statement,
  type StatementRow,
  unbelievable,
} from "./gateway.ts";
import { isFresh, isSignedBy, openSealed, readSignature, type SignedMessage, type WeChatLine } from "./wechat-call.ts";

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

const envelope = z.object({
  event_type: z.string(),
  resource: z.object({
    algorithm: z.literal("AEAD_AES_256_GCM"),
    ciphertext: z.string(),
    nonce: z.string(),
    associated_data: z.string().optional(),
  }),
});

/** Signed by the platform, of the last five minutes, sealed with the merchant's own key, and for this merchant. */
export async function verifyWeChatNotice(line: WeChatLine, raw: RawNotice): Promise<Notice> {
  const message = readSignature(raw.body, (name) => oneOf(raw.headers[name]));
  if (!message) throw refuse("signature", "no signature");
  const key = await findNoticeKey(line, message);
  if (!key || !isSignedBy(key, message)) throw refuse("signature", "a wrong signature");
  if (!isFresh(message, line.merchant.clock())) throw refuse("stale", "a notice of another time");
  return readNotice(unseal(raw.body, line.merchant.apiKey), line.merchant);
}

/** A header that came twice reads as a list, which is no signature. */
const oneOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** While certificates cannot be fetched nothing can be verified; the platform sends the notice again. */
async function findNoticeKey(line: WeChatLine, { serial }: SignedMessage) {
  try {
    return await line.findKey(serial);
  } catch (error) {
    const reason = error instanceof GatewayError ? error.message : "no platform certificates";
    throw refuse("signature", `nothing to verify it with: ${reason}`);
  }
}

type Unsealed = { readonly isRefund: boolean; readonly content: unknown };

function unseal(body: Buffer, apiKey: string): Unsealed {
  const { event_type: event, resource } = attempt("malformed", "no notice", () =>
    envelope.parse(JSON.parse(body.toString())),
  );
  const opened = attempt("signature", "a seal that is not of this merchant's key", () => openSealed(apiKey, resource));
  const content: unknown = attempt("malformed", "no notice", () => JSON.parse(opened.toString()));
  return { isRefund: event.startsWith("REFUND."), content };
}

function readNotice({ isRefund, content }: Unsealed, party: WeChatParty): Notice {
  const notice = attempt("malformed", "a notice that is not of the protocol", () =>
    isRefund ? readRefundNotice(content, party) : toPaymentNotice(readTrade(content, party)),
  );
  if (!notice) throw refuse("merchant", "another merchant's");
  return notice;
}

const toPaymentNotice = (read: ReturnType<typeof readTrade>): Notice | undefined =>
  read && { kind: "payment", ...read };

function attempt<T>(fault: NoticeRefusal["fault"], reason: string, work: () => T): T {
  try {
    return work();
  } catch {
    throw refuse(fault, reason);
  }
}

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("wechat", fault, reason);

const bill = z.object({ hash_type: z.literal("SHA1"), hash_value: z.string(), download_url: z.url() });

/** The day's trade bill, held against the digest that the platform has signed. */
export async function fetchWeChatStatement(line: WeChatLine, date: string): Promise<Statement> {
  const named = await findBill(line, date);
  if (typeof named === "string") return named === "none" ? { state: "ready", rows: [] } : { state: "notReady" };
  const file = await line.download(new URL(named.download_url));
  if (createHash("sha1").update(file).digest("hex") !== named.hash_value.toLowerCase())
    throw unbelievable("wechat", "a statement that is not the one announced");
  try {
    return { state: "ready", rows: readBill(file.toString()) };
  } catch {
    throw unbelievable("wechat", "a statement that is not of the protocol");
  }
}

async function findBill(line: WeChatLine, date: string) {
  const call = { method: "GET", path: "/v3/bill/tradebill", query: { bill_date: date, bill_type: "ALL" } } as const;
  try {
    const answer = bill.safeParse(await line.call(call));
    if (!answer.success) throw unbelievable("wechat", "an answer that is not of the protocol");
    return answer.data;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "NO_STATEMENT_EXIST") return "none";
    if (error instanceof GatewayError && error.code === "STATEMENT_CREATING") return "notReady";
    throw error;
  }
}

const headings = {
  time: "交易时间",
  tradeNo: "微信订单号",
  orderNo: "商户订单号",
  state: "交易状态",
  refundNo: "商户退款单号",
  refundState: "退款状态",
  amount: "订单金额",
  refundAmount: "申请退款金额",
} as const;

/** Cells begin with a back-tick, whatever they hold; headings do not, and neither does the sum at the end. */
function readBill(text: string): StatementRow[] {
  const [head = "", ...lines] = text.replace(/^\u{feff}/u, "").split(/\r?\n/);
  const names = head.split(",");
  const places = Object.values(headings).map((heading) => names.indexOf(heading));
  if (places.includes(-1)) throw new RangeError("headings are missing");
  const end = lines.findIndex((line) => !line.startsWith("`"));
  if (end === -1) throw new RangeError("cut off before its sum");
  return lines.slice(0, end).flatMap((line) => readRow(line.slice(1).split(",`"), names) ?? []);
}

function readRow(cells: readonly string[], names: readonly string[]): StatementRow | undefined {
  const cell = (name: keyof typeof headings): string => cells[names.indexOf(headings[name])] ?? "";
  const at = fromBankTime(cell("time"), "");
  const shared = { orderNo: cell("orderNo"), tradeNo: cell("tradeNo"), at };
  if (cell("state") === "SUCCESS") return { ...shared, kind: "payment", amountFen: fromBankYuan(cell("amount")) };
  if (cell("state") !== "REFUND" || cell("refundState") === "FAIL") return undefined;
  return { ...shared, kind: "refund", refundNo: cell("refundNo"), amountFen: fromBankYuan(cell("refundAmount")) };
}
