import { Readable } from "node:stream";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain, Problem, sharedProblems } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { type RowFault, maxFaults, refuseFaulty, toImportProblem } from "#platform/workbooks/import-problems.ts";
import { importTable } from "#platform/workbooks/import.ts";
import {
  type CellValue,
  type Heading,
  type TableRow,
  workbookHeaders,
  writeTemplate,
} from "#platform/workbooks/index.ts";
import { toWorkbookLimits } from "#platform/workbooks/spreadsheet-error.ts";
import { formatFen, parseYuan, toFen } from "#services/tuition-payment/amounts.ts";
import { manyRefundEndpoints, mostRefunds } from "./desk-contract.ts";
import type { Desk } from "./desk.ts";
import type { OrderItem, OrderRow } from "./order-store.ts";
import { beginRefund, chooseRefund, type NamedItem } from "./refunding.ts";
import { sumFen } from "./rules.ts";

type Key = "orderNo" | "items" | "amount" | "reason";

const heading = (key: Key, text: string, required = true): Heading<Key> => ({ key, texts: [text], required });

const headings: readonly Heading<Key>[] = [
  heading("orderNo", "订单号"),
  heading("items", "退款项目", false),
  { ...heading("amount", "退款金额"), type: "number" },
  heading("reason", "退款原因"),
];

const inWorkbook = Object.fromEntries(headings.map(({ key, texts }) => [key, texts[0] ?? key])) as Record<Key, string>;
const inJson: Record<Key, string> = { orderNo: "orderNo", items: "items", amount: "amount", reason: "reason" };

/** An item as it is written in the workbook: `item`, or `years/item` if several payables of the order have the item. */
interface WrittenItem {
  readonly written: string;
}

interface Row {
  readonly row: number;
  readonly orderNo: string;
  readonly items?: readonly NamedItem[] | readonly WrittenItem[] | undefined;
  readonly amountFen: number;
  readonly reason: string;
}

interface Chosen {
  readonly order: OrderRow;
  readonly items: readonly OrderItem[];
  readonly reason: string;
}

export const manyRefundHandlers = (desk: Desk, turns: Semaphore): Handlers<typeof manyRefundEndpoints> => ({
  refundMany: async ({ db, body: { rows, dryRun = false }, caller, audit, language }) => {
    if (rows.length === 0) throw new Problem("idMissing");
    const wanted = rows.map(({ amount, items, ...row }, index) => ({
      ...row,
      row: index + 1,
      amountFen: toFen(amount),
      items: items?.length === 0 ? undefined : items,
    }));
    try {
      const chosen = await chooseAll(db, wanted, [], inJson);
      audit.detail = { rows: chosen.length, dryRun };
      if (!dryRun) audit.records = await beginAll(db, desk, chosen, caller.userName);
      return String(chosen.length);
    } catch (error) {
      throw toImportProblem(error, language);
    }
  },

  importRefunds: withoutTransaction(async ({ file, fields: { dryRun = false }, caller, transact, audit, language }) => {
    const wanted: Row[] = [];
    const readRow = (row: TableRow<Key>, faults: RowFault[]) => {
      const read = readWritten(row, faults);
      if (read && wanted.push(read) > mostRefunds)
        throw explain("importFailed", `最多${mostRefunds}行`, `at most ${mostRefunds} rows`);
      return read && [];
    };
    const { settings, temporaryFiles } = desk.platform;
    const begin = () => temporaryFiles.begin("tuition-payment");
    const plan = { path: file.path, headings, limits: toWorkbookLimits(settings), language, begin, readRow };
    return turns.run(() =>
      importTable(plan, ({ faults }) =>
        transact(async (tx) => {
          const chosen = await chooseAll(tx, wanted, faults, inWorkbook);
          audit.detail = { rows: chosen.length, dryRun };
          if (!dryRun) audit.records = await beginAll(tx, desk, chosen, caller.userName);
          return String(chosen.length);
        }),
      ),
    );
  }),

  readRefundTemplate: async () => ({
    headers: workbookHeaders("refunds-template"),
    stream: Readable.from([
      await writeTemplate(headings, {
        sheetName: "批量退款",
        example: { orderNo: "20261120093000123456789012", items: "2026/住宿费", amount: 1200, reason: "退宿" },
      }),
    ]),
  }),
});

/**
 * Locks the orders by ascending number, which prevents deadlocks.
 * @throws {FaultyRows} if any row is invalid
 */
async function chooseAll(
  tx: Db,
  rows: readonly Row[],
  known: readonly RowFault[],
  names: Record<Key, string>,
): Promise<Chosen[]> {
  const faults = [...known];
  const chosen: Chosen[] = [];
  const seen = new Map<string, number>();
  for (const row of rows.toSorted((a, b) => (a.orderNo < b.orderNo ? -1 : a.orderNo > b.orderNo ? 1 : a.row - b.row))) {
    if (faults.length >= maxFaults) break;
    const complain = (key: Key, says: Bilingual) => void faults.push({ row: row.row, field: names[key], ...says });
    const first = seen.get(row.orderNo);
    if (first !== undefined) complain("orderNo", { zh: `与第${first}行重复`, en: `is a duplicate of row ${first}` });
    else {
      const found = await choose(tx, row, complain);
      if (found) chosen.push(found);
    }
    seen.set(row.orderNo, first ?? row.row);
  }
  refuseFaulty(faults.toSorted((a, b) => a.row - b.row));
  return chosen;
}

async function choose(
  tx: Db,
  { orderNo, items: named, amountFen, reason }: Row,
  complain: (key: Key, says: Bilingual) => void,
): Promise<Chosen | undefined> {
  try {
    const { order, items } = await chooseRefund(tx, orderNo, (row) => named?.map((item) => findNamed(row, item)));
    const fen = sumFen(items);
    if (fen === amountFen) return { order, items, reason };
    complain("amount", { zh: `应退${formatFen(fen)}`, en: `must be ${formatFen(fen)}, the sum of the items` });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { zh, en } = error.extras.detail ?? sharedProblems[error.problem];
    complain(error.problem === "itemNotFound" || error.problem === "paymentItemExists" ? "items" : "orderNo", {
      zh,
      en,
    });
  }
  return undefined;
}

/** @throws {Problem} itemNotFound, also if the name is ambiguous */
function findNamed({ items }: OrderRow, item: NamedItem | WrittenItem): NamedItem {
  if ("payableId" in item) return item;
  const { written: name } = item;
  const [found, other] = items.filter((each) => each.name === name || `${each.years}/${each.name}` === name);
  if (found && !other) return found;
  if (!found) throw new Problem("itemNotFound");
  throw explain(
    "itemNotFound",
    `订单中有多个“${name}”，请写为“收费年度/${name}”`,
    `the order has several items "${name}"; write the item as charging year/${name}`,
  );
}

async function beginAll(tx: Db, desk: Desk, chosen: readonly Chosen[], by: string): Promise<string[]> {
  for (const { order, items, reason } of chosen) await beginRefund(tx, desk, order, { items, reason, by });
  return chosen.map(({ order }) => order.orderNo);
}

function readWritten({ row, cells }: TableRow<Key>, faults: RowFault[]): Row | undefined {
  const before = faults.length;
  const complain = (key: Key, zh: string, en: string) => void faults.push({ row, field: inWorkbook[key], zh, en });
  const orderNo = showCell(cells.orderNo);
  if (!/^[0-9A-Za-z]{6,30}$/.test(orderNo))
    complain("orderNo", "应为文本单元格中的订单号", "must be an order number in a text cell");
  const { amount } = cells;
  // Spreadsheet programs show 15 digits of a number.
  const shown = typeof amount === "number" ? Number(amount.toPrecision(15)) : amount;
  const amountFen = parseYuan(showCell(shown)) ?? 0;
  if (amountFen <= 0)
    complain(
      "amount",
      "应为大于零、最多两位小数的金额",
      "must be an amount above zero with at most two decimal places",
    );
  const reason = showCell(cells.reason);
  if (reason === "" || [...reason].length > 200)
    complain("reason", "应为1到200个字符", "must have 1 to 200 characters");
  const items = readItems(showCell(cells.items));
  return faults.length > before ? undefined : { row, orderNo, amountFen, reason, items };
}

const showCell = (value: CellValue | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : "";

function readItems(text: string): WrittenItem[] | undefined {
  const parts = text.split("\\").map((part) => part.trim());
  const named = parts.flatMap((written) => (written === "" ? [] : [{ written }]));
  return named.length === 0 ? undefined : named;
}
