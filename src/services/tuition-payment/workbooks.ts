import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type Cell, workbookHeaders, writeTemplate, writeWorkbook } from "#platform/workbooks/index.ts";
import { itemsOf, toYuan, writeItems } from "./amounts.ts";
import { headings, nameField } from "./import.ts";
import { nameGateway } from "./orders/desk.ts";
import type { OrderRow } from "./orders/order-store.ts";
import type { OrderStatus } from "./orders/rules.ts";
import type { PayableRow } from "./payable-store.ts";

/** The workbook that people fill in and send back, with a row that shows how. */
export const writeImportTemplate = (): Promise<Buffer> =>
  writeTemplate(headings, {
    sheetName: "缴费信息",
    example: {
      studentNo: "2022010001",
      studentName: "张三",
      grade: "2022",
      years: "2026",
      collegeName: "示例学院",
      majorName: "示例专业",
      className: "示例2201班",
      payItemDetail: "学费:4800\\住宿费:1200",
      realPayAmount: "6000",
    },
  });

type Column<Row> = readonly [
  zh: string,
  en: string,
  width: number,
  value: (row: Row, language: Language, zone: string) => Cell,
];

interface Sheet<Row> {
  /** Of the operation, as the audit log has it. */
  readonly action: string;
  readonly file: string;
  readonly name: Bilingual;
  readonly columns: readonly Column<Row>[];
}

const paid = { zh: ["否", "是"], en: ["No", "Yes"] } as const;

/** The listed fields under the headings of the import, which takes such a workbook back; and whether it is paid. */
export const payableSheet: Sheet<PayableRow> = {
  action: "exportPayables",
  file: "payables",
  name: { zh: "缴费信息", en: "Payables" },
  columns: [
    [nameField("studentNo"), "Student no.", 20, (row) => row.studentNo],
    [nameField("studentName"), "Name", 14, (row) => row.studentName],
    [nameField("grade"), "Grade", 10, (row) => row.grade],
    [nameField("years"), "Charging year", 12, (row) => row.years],
    [nameField("collegeName"), "College", 24, (row) => row.collegeName],
    [nameField("majorName"), "Major", 24, (row) => row.majorName],
    [nameField("className"), "Class", 18, (row) => row.className],
    [nameField("payItemDetail"), "Items", 40, (row) => writeItems(itemsOf(row))],
    [nameField("realPayAmount"), "Amount", 14, (row) => toYuan(row.amountFen)],
    ["是否已缴", "Paid", 10, (row, language) => paid[language][row.paidBy === null ? 0 : 1]],
  ],
};

const statuses: Readonly<Record<OrderStatus, Bilingual>> = {
  created: { zh: "待支付", en: "Not paid yet" },
  paying: { zh: "支付中", en: "Paying" },
  paid: { zh: "已支付", en: "Paid" },
  refunding: { zh: "退款中", en: "Refunding" },
  refunded: { zh: "已退款", en: "Refunded" },
  closed: { zh: "已关闭", en: "Closed" },
};

const toTime = (at: Date | null, zone: string): string | null => at && formatDateTime(at, zone);

export const orderSheet: Sheet<OrderRow> = {
  action: "exportOrders",
  file: "orders",
  name: { zh: "订单", en: "Orders" },
  columns: [
    ["订单号", "Order no.", 28, (row) => row.orderNo],
    ["学号", "Student no.", 20, (row) => row.studentNo],
    ["姓名", "Name", 14, (row) => row.studentName],
    ["年级", "Grade", 10, (row) => row.grade],
    ["收费年度", "Charging year", 14, ({ items }) => [...new Set(items.map(({ years }) => years))].join("、")],
    ["收费项目", "Items", 40, ({ items }) => writeItems(items)],
    ["金额", "Amount", 14, (row) => toYuan(row.amountFen)],
    ["状态", "Status", 10, (row, language) => statuses[row.status][language]],
    ["支付渠道", "Gateway", 16, ({ gateway }, language) => gateway && nameGateway(gateway, language)],
    ["交易号", "Trade no.", 28, (row) => row.tradeNo],
    ["已退金额", "Refunded", 14, (row) => toYuan(row.refundedFen)],
    ["创建时间", "Created", 20, (row, _language, zone) => toTime(row.createdAt, zone)],
    ["支付时间", "Paid at", 20, (row, _language, zone) => toTime(row.paidAt, zone)],
    ["关闭时间", "Closed at", 20, (row, _language, zone) => toTime(row.closedAt, zone)],
    ["退款时间", "Refunded at", 20, (row, _language, zone) => toTime(row.refundedAt, zone)],
  ],
};

interface ExportCall {
  readonly db: Db;
  readonly caller: Caller;
  readonly address: string;
  readonly language: Language;
}

/** Rows as a workbook, in constant memory; the audit log says who has taken it. */
export function exportSheet<Row>(
  { settings: { TIME_ZONE: zone }, clock }: Platform,
  { db, caller, address, language }: ExportCall,
  { action, file, name, columns }: Sheet<Row>,
  read: () => AsyncIterable<Row[]>,
): StreamedAnswer {
  async function* toRows(): AsyncGenerator<Cell[][]> {
    for await (const batch of read())
      yield batch.map((row) => columns.map(([, , , value]) => value(row, language, zone)));
  }
  return {
    headers: workbookHeaders(`${file}-${formatDateTime(new Date(clock()), zone).slice(0, 10)}`),
    open: async () => {
      await writeAudit(db, { service: "tuition-payment", ...byCaller(caller), action, outcome: "done", address });
      return writeWorkbook({
        sheetName: name[language],
        columns: columns.map(([zh, en, width]) => ({ header: { zh, en }[language], width })),
        rows: toRows(),
      });
    },
  };
}
