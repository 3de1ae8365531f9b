import { Readable } from "node:stream";
import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type Cell, workbookHeaders, writeTemplate, writeWorkbook } from "#platform/workbooks/index.ts";
import type { AdjustmentKind } from "./adjustment-contract.ts";
import type { AdjustmentRow } from "./adjustments/adjustment-store.ts";
import { itemsOf, toYuan, writeItems } from "./amounts.ts";
import type { GatewayName } from "./gateways/gateway.ts";
import { headings, nameField } from "./import.ts";
import type { JournalRow } from "./journal/journal-store.ts";
import { nameGateway } from "./orders/desk.ts";
import type { OrderRow } from "./orders/order-store.ts";
import { type OrderStatus, sumFen } from "./orders/rules.ts";
import { type PayableRow, sumDue } from "./payable-store.ts";

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
      dueDate: "2026-09-30",
    },
  });

type Column<Row> = readonly [
  zh: string,
  en: string,
  width: number,
  value: (row: Row, language: Language, zone: string) => Cell,
];

interface Sheet<Row> {
  readonly action: string;
  readonly file: string;
  readonly name: Bilingual;
  readonly columns: readonly Column<Row>[];
}

const paid = { zh: ["否", "是"], en: ["No", "Yes"] } as const;

/** The Chinese headings are those of the import, so that a file exported in Chinese can be imported again. */
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
    [nameField("dueDate"), "Due date", 14, (row) => row.givenDueDate],
    ["待缴金额", "Due", 14, (row) => toYuan(sumDue(row))],
    ["延期至", "Deferred until", 14, (row) => (row.dueDate === row.givenDueDate ? null : row.dueDate)],
    ["是否已缴", "Paid", 10, (row, language) => paid[language][row.paidBy === null ? 0 : 1]],
  ],
};

const statuses: Readonly<Record<OrderStatus, Bilingual>> = {
  created: { zh: "待支付", en: "Unpaid" },
  paying: { zh: "支付中", en: "Paying" },
  paid: { zh: "已支付", en: "Paid" },
  refunding: { zh: "退款中", en: "Refunding" },
  refunded: { zh: "已退款", en: "Refunded" },
  closed: { zh: "已关闭", en: "Closed" },
};

const kinds: Readonly<Record<AdjustmentKind, Bilingual>> = {
  waiver: { zh: "减免", en: "Waiver" },
  loan: { zh: "助学贷款", en: "Loan" },
  cash: { zh: "现金", en: "Cash" },
  transfer: { zh: "转账", en: "Transfer" },
  decision: { zh: "认定已缴", en: "Decided as paid" },
  deferral: { zh: "延期", en: "Deferral" },
};

const nameKind = (kind: AdjustmentKind, language: Language): string => kinds[kind][language];

const journalKinds: Readonly<Record<JournalRow["kind"], Bilingual>> = {
  payment: { zh: "缴费", en: "Payment" },
  refund: { zh: "退款", en: "Refund" },
  adjustment: { zh: "调整", en: "Adjustment" },
  undone: { zh: "撤销调整", en: "Adjustment undone" },
};

function nameChannel(channel: string, language: Language): string {
  if (channel === "hand") return { zh: "线下退款", en: "Outside the gateway" }[language];
  return channel in kinds
    ? nameKind(channel as AdjustmentKind, language)
    : nameGateway(channel as GatewayName, language);
}

export const journalSheet: Sheet<JournalRow> = {
  action: "exportJournal",
  file: "journal",
  name: { zh: "收支流水", en: "Journal" },
  columns: [
    ["时间", "Time", 20, (row, _language, zone) => formatDateTime(new Date(row.at / 1000), zone)],
    ["类型", "Kind", 12, ({ kind }, language) => journalKinds[kind][language]],
    ["渠道", "Channel", 16, ({ channel }, language) => nameChannel(channel, language)],
    ["金额", "Amount", 14, (row) => toYuan(row.fen)],
    ["学号", "Student no.", 20, (row) => row.studentNo],
    ["姓名", "Name", 14, (row) => row.studentName],
    ["订单号", "Order no.", 28, (row) => row.orderNo],
    ["交易号", "Trade no.", 28, (row) => row.tradeNo],
    ["退款单号", "Refund no.", 18, (row) => row.refundNo],
    ["收据号", "Receipt no.", 16, (row) => row.receiptNo],
    ["调整编号", "Adjustment", 12, (row) => row.adjustmentId],
    ["依据", "Evidence", 40, (row) => row.evidence],
    ["经办人", "By", 16, (row) => row.by],
  ],
};

const toTime = (at: Date | string | null, zone: string): string | null => at && formatDateTime(new Date(at), zone);

export const adjustmentSheet: Sheet<AdjustmentRow> = {
  action: "exportAdjustments",
  file: "adjustments",
  name: { zh: "缴费调整", en: "Adjustments" },
  columns: [
    ["编号", "No.", 10, (row) => row.id],
    ["学号", "Student no.", 20, (row) => row.studentNo],
    ["姓名", "Name", 14, (row) => row.studentName],
    ["收费年度", "Charging year", 12, (row) => row.years],
    ["类型", "Kind", 12, ({ kind }, language) => nameKind(kind, language)],
    ["项目", "Items", 40, (row) => writeItems(itemsOf(row))],
    ["金额", "Amount", 14, (row) => (row.kind === "deferral" ? null : toYuan(sumFen(itemsOf(row))))],
    ["延期至", "Until", 14, (row) => row.until],
    ["依据", "Evidence", 40, (row) => row.evidence],
    ["原因", "Reason", 40, (row) => row.reason],
    ["经办人", "By", 16, (row) => row.by],
    ["办理时间", "Time", 20, (row, _language, zone) => toTime(row.madeAt, zone)],
    ["撤销人", "Undone by", 16, (row) => row.undoneBy],
    ["撤销原因", "Reason for undoing", 40, (row) => row.undoReason],
    ["撤销时间", "Undone at", 20, (row, _language, zone) => toTime(row.undoneAt, zone)],
  ],
};

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

export function exportSheet<Row>(
  platform: Platform,
  call: ExportCall,
  sheet: Sheet<Row>,
  read: () => AsyncIterable<Row[]>,
): StreamedAnswer {
  const { language } = call;
  return {
    headers: workbookHeaders(nameFile(platform, sheet)),
    open: async () => {
      await noteExport(call, sheet.action);
      return writeWorkbook({
        sheetName: sheet.name[language],
        columns: sheet.columns.map(([zh, en, width]) => ({ header: { zh, en }[language], width })),
        rows: toCells(platform, language, sheet, read),
      });
    },
  };
}

/** Starts with a byte order mark, from which spreadsheet programs detect UTF-8. */
export function exportCsv<Row>(
  platform: Platform,
  call: ExportCall,
  sheet: Sheet<Row>,
  read: () => AsyncIterable<Row[]>,
): StreamedAnswer {
  const { language } = call;
  async function* write(): AsyncGenerator<string> {
    yield `\uFEFF${toCsvLine(sheet.columns.map(([zh, en]) => ({ zh, en })[language]))}`;
    for await (const rows of toCells(platform, language, sheet, read)) yield rows.map(toCsvLine).join("");
  }
  return {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${nameFile(platform, sheet)}.csv"`,
    },
    open: async () => {
      await noteExport(call, sheet.action);
      return Readable.from(write());
    },
  };
}

const nameFile = ({ settings, clock }: Platform, { file }: Pick<Sheet<never>, "file">): string =>
  `${file}-${formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 10)}`;

const noteExport = ({ db, caller, address }: ExportCall, action: string): Promise<void> =>
  writeAudit(db, { service: "tuition-payment", ...byCaller(caller), action, outcome: "done", address });

async function* toCells<Row>(
  { settings: { TIME_ZONE: zone } }: Platform,
  language: Language,
  { columns }: Sheet<Row>,
  read: () => AsyncIterable<Row[]>,
): AsyncGenerator<Cell[][]> {
  for await (const batch of read())
    yield batch.map((row) => columns.map(([, , , value]) => value(row, language, zone)));
}

const toCsvLine = (cells: readonly Cell[]): string => `${cells.map(toCsvCell).join(",")}\r\n`;

/**
 * A text that could be run as a formula is written with a leading apostrophe, so that spreadsheet programs show it as
 * text.
 */
function toCsvCell(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
