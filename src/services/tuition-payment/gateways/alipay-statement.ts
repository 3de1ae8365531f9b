import { parse } from "csv-parse/sync";
import { fromBufferPromise } from "yauzl";
import * as z from "zod";
import { type AlipayMerchant, callAlipay } from "./alipay-call.ts";
import { exchange, fromBankTime, fromBankYuan, mostStatementBytes } from "./exchange.ts";
import { believe, GatewayError, type Statement, type StatementRow, unbelievable } from "./gateway.ts";

const named = z.object({ bill_download_url: z.url({ protocol: /^https?$/ }) });
/**
 * Alipay returns the same code for a day without trades and for a bill that is not ready. A bill is ready by 9:00 on
 * the next day.
 */
const noBill = /^(?:isp|isv)\.bill[_-]not[_-]exist$/i;
const readyAfterMs = (24 + 9) * 3_600_000;

/** The bill is not signed. Its address comes from a signed response and is valid for 30 seconds. */
export async function fetchAlipayStatement(merchant: AlipayMerchant, date: string): Promise<Statement> {
  const url = await findBill(merchant, date);
  if (url === undefined) {
    const startMs = Temporal.PlainDate.from(date).toZonedDateTime("Asia/Shanghai").epochMilliseconds;
    return merchant.clock() < startMs + readyAfterMs ? { state: "notReady" } : { state: "ready", rows: [] };
  }
  const { timeoutMs } = merchant;
  const answer = await exchange({
    gateway: "alipay",
    url: new URL(url),
    method: "GET",
    timeoutMs,
    mostBytes: mostStatementBytes,
  });
  if (answer.status !== 200) throw unbelievable("alipay", "the statement could not be downloaded");
  const text = await unpack(answer.body).catch(() => {
    throw unbelievable("alipay", "the statement could not be unpacked");
  });
  return { state: "ready", rows: believe("alipay", () => readBill(text), "the statement") };
}

async function findBill(merchant: AlipayMerchant, date: string): Promise<string | undefined> {
  const content = { bill_type: "trade", bill_date: date };
  try {
    const method = "alipay.data.dataservice.bill.downloadurl.query";
    return (await callAlipay(merchant, method, content, (answer) => named.parse(answer))).bill_download_url;
  } catch (error) {
    if (error instanceof GatewayError && noBill.test(error.code ?? "")) return undefined;
    throw error;
  }
}

const mostEntries = 10;

/**
 * The archive has a list of trades and a summary. Their names are in GBK, so the first line of each file shows which of
 * the two it is.
 */
async function unpack(archive: Buffer): Promise<string> {
  const zip = await fromBufferPromise(archive, { decodeStrings: false });
  try {
    let entries = 0;
    for await (const entry of zip.eachEntry()) {
      if (++entries > mostEntries || entry.uncompressedSize > mostStatementBytes) break;
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
      const text = new TextDecoder("gb18030").decode(Buffer.concat(chunks));
      if (text.startsWith(title)) return text;
    }
  } finally {
    zip.close();
  }
  throw new RangeError("the statement has no list of trades");
}

const title = "#支付宝业务明细查询";
const end = /^#-+业务明细列表结束/m;
const headings = {
  tradeNo: "支付宝交易号",
  orderNo: "商户订单号",
  type: "业务类型",
  time: "完成时间",
  amount: "订单金额（元）",
  refundNo: "退款批次号/请求号",
} as const;
type Cells = Readonly<Record<string, string>>;

function readBill(text: string): StatementRow[] {
  const [list = "", rest] = text.split(end);
  if (rest === undefined) throw new RangeError("the statement is truncated");
  const lines = list.split(/\r?\n/).filter((line) => !line.startsWith("#"));
  const rows: Cells[] = parse(lines.join("\n"), { columns: true, trim: true, skip_empty_lines: true });
  return rows.map(toRow);
}

function toRow(cells: Cells): StatementRow {
  const cell = (name: keyof typeof headings): string => {
    const value = cells[headings[name]];
    if (value === undefined) throw new RangeError("headings are missing");
    return value;
  };
  const type = cell("type");
  const [orderNo, tradeNo, at] = [cell("orderNo"), cell("tradeNo"), fromBankTime(cell("time"), "")];
  const shared = { orderNo, tradeNo, at, amountFen: fromBankYuan(cell("amount").replace(/^-/, "")) };
  if (type === "交易") return { ...shared, kind: "payment" };
  if (type !== "退款") throw new RangeError("unknown type of trade");
  return { ...shared, kind: "refund", refundNo: cell("refundNo") };
}
