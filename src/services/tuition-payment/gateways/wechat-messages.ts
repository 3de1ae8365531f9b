import { createHash } from "node:crypto";
import * as z from "zod";
import { fromBankTime, fromBankYuan } from "./exchange.ts";
import {
  believe,
  believeNotice,
  GatewayError,
  type Notice,
  NoticeRefusal,
  type Payment,
  type RawNotice,
  type Refund,
  type RefundReference,
  type Statement,
  type StatementRow,
  unbelievable,
} from "./gateway.ts";
import {
  isFresh,
  isSignedBy,
  openSealed,
  readSignature,
  sealed,
  type WeChatLine,
  type WeChatMerchant,
} from "./wechat-call.ts";

const fen = z.number().int().nonnegative();
const time = z.string().transform((text) => new Date(Temporal.Instant.from(text).epochMilliseconds));
const currency = z.literal("CNY").optional();

const trade = z.object({ mchid: z.string(), appid: z.string(), out_trade_no: z.string(), trade_state: z.string() });
const paidTrade = z.object({
  transaction_id: z.string().min(1),
  success_time: time,
  amount: z.object({ total: fen, currency }),
});

export function readTrade(
  message: unknown,
  { mchId, appId }: WeChatMerchant,
): { orderNo: string; payment: Payment } | undefined {
  const { mchid, appid, out_trade_no: orderNo, trade_state: state } = trade.parse(message);
  return mchid === mchId && appid === appId ? { orderNo, payment: toPayment(state, message) } : undefined;
}

function toPayment(state: string, message: unknown): Payment {
  if (state === "CLOSED" || state === "REVOKED") return { state: "closed" };
  if (state === "NOTPAY" || state === "USERPAYING" || state === "PAYERROR" || state === "ACCEPT")
    return { state: "pending" };
  if (state !== "SUCCESS" && state !== "REFUND") throw new RangeError("unknown order state");
  const { transaction_id: tradeNo, success_time: paidAt, amount } = paidTrade.parse(message);
  return { state: "paid", amountFen: amount.total, tradeNo, paidAt };
}

const refund = z.object({
  out_trade_no: z.string(),
  out_refund_no: z.string(),
  refund_id: z.string().min(1),
  status: z.string(),
  success_time: time.optional(),
  amount: z.object({ refund: fen, currency }),
});

export function readRefundOf({ refundNo, order }: RefundReference, message: unknown): Refund {
  const read = refund.parse(message);
  if (read.out_refund_no !== refundNo || read.out_trade_no !== order.orderNo)
    throw new RangeError("the response is about another refund");
  return toRefund(read.status, read);
}

function toRefund(status: string, read: Omit<z.infer<typeof refund>, "status">): Refund {
  if (status === "PROCESSING") return { state: "running" };
  if (status === "CLOSED" || status === "ABNORMAL") return { state: "failed", reason: status };
  if (status !== "SUCCESS" || !read.success_time) throw new RangeError("unknown refund state");
  const { amount, refund_id: refundTradeNo, success_time: doneAt } = read;
  return { state: "done", amountFen: amount.refund, refundTradeNo, doneAt };
}

const noticedRefund = refund.omit({ status: true }).extend({ mchid: z.string(), refund_status: z.string() });

function readRefundNotice(message: unknown, { mchId }: WeChatMerchant): Notice {
  const { mchid, refund_status: status, ...read } = noticedRefund.parse(message);
  if (mchid !== mchId) throw refuse("merchant", "the notice is for another merchant");
  const { out_trade_no: orderNo, out_refund_no: refundNo } = read;
  return { kind: "refund", orderNo, refundNo, refund: toRefund(status, read) };
}

const envelope = z.object({
  event_type: z.string(),
  resource: sealed.extend({ algorithm: z.literal("AEAD_AES_256_GCM") }),
});

export async function verifyWeChatNotice(
  { merchant, findKey }: WeChatLine,
  { body, headers }: RawNotice,
): Promise<Notice> {
  // Node.js may give a repeated header as a list, which is not a valid signature.
  const message = readSignature(body, (name) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  });
  if (!message) throw refuse("signature", "the signature is missing");
  // If no certificate can be fetched, the notice cannot be verified; WeChat Pay sends it again later.
  const key = await findKey(message.serial).catch((error: unknown) => {
    const reason = error instanceof GatewayError ? error.message : "the platform certificates could not be fetched";
    throw refuse("signature", `the signature cannot be verified: ${reason}`);
  });
  if (!key || !isSignedBy(key, message)) throw refuse("signature", "the signature is invalid");
  if (!isFresh(message, merchant.clock()))
    throw refuse("stale", "the notice was signed too long ago or in the future: check the server's clock");
  return believeNotice("wechat", () => {
    const { event_type: event, resource } = envelope.parse(JSON.parse(body.toString()));
    const content: unknown = JSON.parse(unseal(resource, merchant.apiKey));
    if (event.startsWith("REFUND.")) return readRefundNotice(content, merchant);
    const paid = readTrade(content, merchant);
    if (!paid) throw refuse("merchant", "the notice is for another merchant");
    return { kind: "payment", ...paid };
  });
}

function unseal(resource: z.output<typeof sealed>, apiKey: string): string {
  try {
    return openSealed(apiKey, resource).toString();
  } catch {
    throw refuse("signature", "the notice cannot be decrypted with PAY_WECHAT_API_KEY");
  }
}

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("wechat", fault, reason);

const bill = z.object({ hash_type: z.literal("SHA1"), hash_value: z.string(), download_url: z.url() });

/** The bill itself is not signed; its digest is compared with the one in a signed response. */
export async function fetchWeChatStatement(line: WeChatLine, date: string): Promise<Statement> {
  const named = await findBill(line, date);
  if (typeof named === "string") return named === "none" ? { state: "ready", rows: [] } : { state: "notReady" };
  const file = await line.download(new URL(named.download_url));
  if (createHash("sha1").update(file).digest("hex") !== named.hash_value.toLowerCase())
    throw unbelievable("wechat", "the checksum of the statement does not match");
  return { state: "ready", rows: believe("wechat", () => readBill(file.toString()), "the statement") };
}

async function findBill(line: WeChatLine, date: string) {
  const call = { method: "GET", path: "/v3/bill/tradebill", query: { bill_date: date, bill_type: "ALL" } } as const;
  try {
    return await line.callFor(call, (json) => bill.parse(json));
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

/** Each cell of a trade starts with a back-tick. The first line without one ends the list of trades. */
function readBill(text: string): StatementRow[] {
  const [head = "", ...lines] = text.replace(/^\u{feff}/u, "").split(/\r?\n/);
  const names = head.split(",");
  const places = Object.values(headings).map((heading) => names.indexOf(heading));
  if (places.includes(-1)) throw new RangeError("headings are missing");
  const end = lines.findIndex((line) => !line.startsWith("`"));
  if (end === -1) throw new RangeError("the statement is truncated before its summary");
  return lines.slice(0, end).flatMap((line) => readRow(line.slice(1).split(",`"), names) ?? []);
}

function readRow(cells: readonly string[], names: readonly string[]): StatementRow | undefined {
  const cell = (name: keyof typeof headings): string => cells[names.indexOf(headings[name])] ?? "";
  const at = fromBankTime(cell("time"), "");
  const shared = { orderNo: cell("orderNo"), tradeNo: cell("tradeNo"), at };
  if (cell("state") === "SUCCESS") return { ...shared, kind: "payment", amountFen: fromBankYuan(cell("amount")) };
  if (cell("state") !== "REFUND" || cell("refundState") !== "SUCCESS") return undefined;
  return { ...shared, kind: "refund", refundNo: cell("refundNo"), amountFen: fromBankYuan(cell("refundAmount")) };
}
