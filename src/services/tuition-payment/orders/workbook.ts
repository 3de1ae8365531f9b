import type { Readable } from "node:stream";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Pool } from "#platform/database/index.ts";
import { type Cell, type Column, writeWorkbook } from "#platform/workbooks/index.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import { writeItems } from "#services/tuition-payment/items.ts";
import { nameGateway } from "./desk.ts";
import { type OrderFilter, type OrderRow, streamOrders } from "./order-store.ts";
import type { OrderStatus } from "./rules.ts";

const statuses: Readonly<Record<OrderStatus, Bilingual>> = {
  created: { zh: "待支付", en: "Not paid yet" },
  paying: { zh: "支付中", en: "Paying" },
  paid: { zh: "已支付", en: "Paid" },
  refunding: { zh: "退款中", en: "Refunding" },
  refunded: { zh: "已退款", en: "Refunded" },
  closed: { zh: "已关闭", en: "Closed" },
};

interface OrderColumn extends Bilingual {
  readonly width: number;
  readonly value: (row: OrderRow, language: Language, zone: string) => Cell;
}

const column = (zh: string, en: string, width: number, value: OrderColumn["value"]): OrderColumn => ({
  zh,
  en,
  width,
  value,
});

const toTime = (at: Date | null, zone: string): string | null => (at === null ? null : formatDateTime(at, zone));

const columns: readonly OrderColumn[] = [
  column("订单号", "Order no.", 28, (row) => row.orderNo),
  column("学号", "Student no.", 20, (row) => row.studentNo),
  column("姓名", "Name", 14, (row) => row.studentName),
  column("年级", "Grade", 10, (row) => row.grade),
  column("收费年度", "Charging year", 14, ({ items }) => [...new Set(items.map(({ years }) => years))].join("、")),
  column("收费项目", "Items", 40, ({ items }) => writeItems(items)),
  column("金额", "Amount", 14, (row) => toYuan(row.amountFen)),
  column("状态", "Status", 10, (row, language) => statuses[row.status][language]),
  column("支付渠道", "Gateway", 16, ({ gateway }, language) => gateway && nameGateway(gateway, language)),
  column("交易号", "Trade no.", 28, (row) => row.tradeNo),
  column("已退金额", "Refunded", 14, (row) => toYuan(row.refundedFen)),
  column("创建时间", "Created", 20, (row, _language, zone) => toTime(row.createdAt, zone)),
  column("支付时间", "Paid at", 20, (row, _language, zone) => toTime(row.paidAt, zone)),
  column("关闭时间", "Closed at", 20, (row, _language, zone) => toTime(row.closedAt, zone)),
  column("退款时间", "Refunded at", 20, (row, _language, zone) => toTime(row.refundedAt, zone)),
];

const batchRows = 500;

/** The orders that pass the filter, newest first, in constant memory. */
export function exportOrders(pool: Pool, filter: OrderFilter, language: Language, zone: string): Readable {
  const headings: Column[] = columns.map(({ width, ...heading }) => ({ header: heading[language], width }));
  return writeWorkbook({
    sheetName: language === "zh" ? "订单" : "Orders",
    columns: headings,
    rows: toCells(streamOrders(pool, filter, batchRows), language, zone),
  });
}

async function* toCells(
  batches: AsyncIterable<OrderRow[]>,
  language: Language,
  zone: string,
): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) yield batch.map((row) => columns.map(({ value }) => value(row, language, zone)));
}
