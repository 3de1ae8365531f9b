import * as z from "zod";
import { believe, callAbc, type AbcMerchant } from "./abc-call.ts";
import { decodeBank } from "./abc-message.ts";
import { fromBankTime, fromBankYuan } from "./bank-values.ts";
import { type CallOptions, GatewayError, type Statement, type StatementRow } from "./gateway.ts";

const settlement = z.object({ SettleDate: z.string(), DetailRecords: z.base64() });
const notMadeYet = "2502";

/** The whole day, payments and refunds, in one signed answer. */
export async function fetchAbcStatement(
  merchant: AbcMerchant,
  date: string,
  options: CallOptions | undefined,
): Promise<Statement> {
  const SettleDate = date.replaceAll("-", "/");
  try {
    const answer = await callAbc(merchant, { TrxType: "Settle", SettleDate, ZIP: "0" }, options);
    return { state: "ready", rows: believe(() => readDay(answer, SettleDate)) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === notMadeYet) return { state: "notReady" };
    throw error;
  }
}

const headings = ["交易类型", "订单编号", "交易时间", "交易金额", "主机流水号", "原订单号"] as const;

function readDay(answer: unknown, date: string): StatementRow[] {
  const { SettleDate, DetailRecords } = settlement.parse(answer);
  if (SettleDate !== date) throw new RangeError("another day's");
  const [head = "", ...records] = decodeBank(Buffer.from(DetailRecords, "base64")).split("^^");
  const names = head.split("|");
  const places = headings.map((heading) => names.indexOf(heading));
  if (places.includes(-1)) throw new RangeError("headings are missing");
  return records.map((record) => {
    const cells = record.split("|");
    return toRow(places.map((place) => cells[place] ?? ""));
  });
}

function toRow([type = "", no = "", time = "", amount = "", tradeNo = "", original = ""]: string[]): StatementRow {
  const shared = { tradeNo, amountFen: fromBankYuan(amount), at: fromBankTime(time, "") };
  if (type === "Sale") return { ...shared, kind: "payment", orderNo: no };
  if (type !== "Refund") throw new RangeError("a type that is not of the protocol");
  return { ...shared, kind: "refund", orderNo: original, refundNo: no };
}
