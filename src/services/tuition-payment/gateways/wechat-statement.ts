import { createHash } from "node:crypto";
import * as z from "zod";
import { fromBankTime, fromBankYuan } from "./bank-values.ts";
import { type CallOptions, GatewayError, type Statement, type StatementRow, unbelievable } from "./gateway.ts";
import type { WeChatLine } from "./wechat-call.ts";

const bill = z.object({ hash_type: z.literal("SHA1"), hash_value: z.string(), download_url: z.url() });

/** The day's trade bill, held against the digest that the platform has signed. */
export async function fetchWeChatStatement(
  line: WeChatLine,
  date: string,
  options: CallOptions | undefined,
): Promise<Statement> {
  const named = await findBill(line, date, options);
  if (typeof named === "string") return named === "none" ? { state: "ready", rows: [] } : { state: "notReady" };
  const file = await line.download(new URL(named.download_url), options);
  if (createHash("sha1").update(file).digest("hex") !== named.hash_value.toLowerCase())
    throw unbelievable("wechat", "a statement that is not the one announced");
  try {
    return { state: "ready", rows: readBill(file.toString()) };
  } catch {
    throw unbelievable("wechat", "a statement that is not of the protocol");
  }
}

async function findBill(line: WeChatLine, date: string, options: CallOptions | undefined) {
  const call = { method: "GET", path: "/v3/bill/tradebill", query: { bill_date: date, bill_type: "ALL" } } as const;
  try {
    const answer = bill.safeParse(await line.call(call, options));
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
