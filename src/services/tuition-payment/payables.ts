import { Readable } from "node:stream";
import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import type { Db, Within } from "#platform/database/index.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import { toWorkbookLimits } from "#platform/workbooks/spreadsheet-error.ts";
import { adjust, undoKind } from "./adjustments/adjusting.ts";
import { toAdjustment, toOwnAdjustment } from "./adjustments/wire.ts";
import { itemsOf, parseItemsOf, type PayItem, toFen, toYuan, writeItems } from "./amounts.ts";
import type { payLimit } from "./contract.ts";
import { listDues } from "./due-store.ts";
import { holdOffImports } from "./import-store.ts";
import { importPayables } from "./import.ts";
import type {
  listedPayable,
  matchedPayable,
  ownPayable,
  payable,
  payableChangeEndpoints,
  payableEndpoints,
  payableFileEndpoints,
} from "./payable-contract.ts";
import {
  addGrades,
  deletePayable,
  findKey,
  findPayable,
  insertPayable,
  isSameByCard,
  listPaidPayables,
  listPayables,
  lockPayable,
  type PayableKey,
  type PayableRow,
  type PayLimitRow,
  type StoredPayable,
  sumDue,
  streamPayables,
  toStoredIdCard,
  updatePayable,
} from "./payable-store.ts";
import { exportSheet, payableSheet, writeImportTemplate } from "./workbooks.ts";

export const payableHandlers = ({ settings: { TIME_ZONE: zone } }: Platform): Handlers<typeof payableEndpoints> => ({
  listPayables: async ({ db, query, within }) => {
    const { rows, totalCount } = await listPayables(db, { ...query, within, zone }, toListOrder(query, "id"));
    const list = rows.map((row) => toListedPayable(row, zone));
    return toPage(list, totalCount, query);
  },

  findPayable: async ({ db, params, within }) => {
    return toPayable(found(await findPayable(db, params.id, within)), zone);
  },

  listPaidPayables: async ({ db, query, within }) => listPaidPayables(db, query.ids, within),
});

export const payableChangeHandlers: Handlers<typeof payableChangeEndpoints> = {
  savePayable: async ({ db, body, audit, within }) => {
    const { realPayAmount, payItemDetail, idCard, dueDate, ...texts } = trimTexts(body);
    const amountFen = toFen(realPayAmount);
    const items = readItems(payItemDetail, amountFen);
    const { studentNo, collegeName = "", majorName = "", className = "", ...rest } = texts;
    within.refuseOutside(toDimensions({ ...rest, collegeName, majorName, className }));
    const names = { studentNo: studentNo || null, idCard: idCard === undefined ? null : toStoredIdCard(idCard) };
    if (idCard !== undefined) await holdOffImports(db);
    await checkNames(db, null, { ...names, years: texts.years });
    const given = { ...rest, ...names, collegeName, majorName, className, amountFen, items };
    const id = await insertPayable(db, { ...given, dueDate: dueDate || null });
    await addGrades(db, [texts.grade]);
    audit.records = [id];
    return String(id);
  },

  updatePayable: async ({ db, body, audit, within }) => {
    const { id, realPayAmount, payItemDetail, idCard, studentNo, dueDate, ...texts } = trimTexts(body);
    await holdOffImports(db);
    const known = await getChangeable(db, id, body, within);
    within.refuseOutside(toDimensions(texts));
    const amountFen = realPayAmount === undefined ? known.amountFen : toFen(realPayAmount);
    const items = readItems(payItemDetail ?? writeItems(itemsOf(known)), amountFen);
    const names = {
      ...(studentNo !== undefined && { studentNo: studentNo || null }),
      ...(idCard !== undefined && { idCard: toStoredIdCard(idCard) }),
    };
    const key = await findKey(db, known.id);
    if (key)
      await checkNames(db, known.id, { ...key, ...names, ...(texts.years !== undefined && { years: texts.years }) });
    const due = dueDate === undefined ? {} : { dueDate: dueDate || null };
    await updatePayable(db, known.id, { ...texts, ...names, ...due, amountFen, items });
    if (texts.grade !== undefined) await addGrades(db, [texts.grade]);
    audit.records = [known.id];
    return "1";
  },

  deletePayable: async ({ db, params, audit, within }) => {
    const { id } = await requireFree(db, await getLocked(db, params.id, within));
    await deletePayable(db, id);
    audit.records = [id];
    return "1";
  },

  recordPayment: async ({ db, params, caller, audit, within }) => {
    const { id, paidBy } = await getLocked(db, params.id, within);
    if (paidBy === "orders")
      throw explain("notAllowedNow", "该缴费信息已由订单支付", "the payable has been paid by an order");
    const isPaid = params.pay === "true";
    const made = { payableId: id, kind: "decision", evidence: "", reason: "", by: caller.userName } as const;
    if (isPaid && paidBy === null) await adjust(db, made);
    if (!isPaid && (await undoKind(db, id, "decision", made)) === 0)
      throw explain("notAllowedNow", "该缴费信息没有缴费记录", "the payable has not been recorded as paid");
    audit.records = [id];
    audit.detail = { pay: isPaid };
    return "1";
  },
};

type InDimensions = { readonly [K in "grade" | "collegeName" | "majorName" | "className"]?: string | undefined };

const toDimensions = ({ grade, collegeName: college, majorName: major, className }: InDimensions) => ({
  grade,
  college,
  major,
  className,
});

async function getLocked(tx: Db, id: number, within: Within): Promise<StoredPayable> {
  return found(await lockPayable(tx, id, within));
}

async function getChangeable(tx: Db, id: number | undefined, change: object, within: Within): Promise<StoredPayable> {
  if (id === undefined) throw new Problem("idMissing");
  const row = await getLocked(tx, id, within);
  // Even a paid payable may get a student number if it has none and nothing else changes.
  const changed = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const isNumberAlone = row.studentNo === null && changed.every((field) => field === "id" || field === "studentNo");
  return isNumberAlone ? row : requireFree(tx, row);
}

async function requireFree(tx: Db, row: StoredPayable): Promise<StoredPayable> {
  const dues = await listDues(tx, [row.id]);
  if (row.paidBy !== null || dues.some(({ state, dueFen, amountFen }) => state !== null || dueFen !== amountFen))
    throw explain(
      "notAllowedNow",
      "已缴费、已调整或在订单中的缴费信息不能修改或删除",
      "a payable that is paid, adjusted or in an order cannot be changed or deleted",
    );
  return row;
}

/**
 * @throws {Problem} badFormat if there is no identifier; alreadyExists if another payable has the same identity card
 * and year, unless both have a student number
 */
async function checkNames(tx: Db, id: number | null, key: PayableKey): Promise<void> {
  if (key.studentNo === null && key.idCard === null)
    throw explain("badFormat", "studentNo: 学号与身份证号不能都为空", "studentNo: is required if idCard is empty");
  if (await isSameByCard(tx, id, key))
    throw explain(
      "alreadyExists",
      "idCard: 该身份证号在该收费年度已有缴费信息",
      "idCard: already has a payable for this charging year",
    );
}

/** Texts are trimmed, since a number with a leading space would never be found. */
const trimTexts = <T extends object>(fields: T): T =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value.trim() : value]),
  ) as T;

/** @throws {Problem} badFormat, tooLong, paymentItemExists or amountWrong; the message names the field */
function readItems(detail: string, amountFen: number): PayItem[] {
  const items = parseItemsOf(detail, amountFen);
  if (!("problem" in items)) return items;
  const field = items.problem === "amountWrong" ? "realPayAmount" : "payItemDetail";
  throw explain(items.problem, `${field}: ${items.zh}`, `${field}: ${items.en}`);
}

export const payableFileHandlers = (platform: Platform, turns: Semaphore): Handlers<typeof payableFileEndpoints> => ({
  importPayables: withoutTransaction((call) => importWorkbook(platform, turns, call)),

  readImportTemplate: async () => ({
    headers: workbookHeaders("payables-template"),
    stream: Readable.from([await writeImportTemplate()]),
  }),

  exportPayables: async (call) =>
    exportSheet(platform, call, payableSheet, () =>
      streamPayables(platform.pool, { ...call.query, within: call.within, zone: platform.settings.TIME_ZONE }),
    ),
});

async function importWorkbook(
  { pool, settings, temporaryFiles }: Platform,
  turns: Semaphore,
  { file, fields, transact, audit, language, within }: Call<(typeof payableFileEndpoints)["importPayables"]>,
): Promise<string> {
  const { dryRun = false, replace = false } = fields;
  const write = (work: (tx: Db) => Promise<number>) =>
    transact(async (tx) => {
      const rows = await work(tx);
      audit.detail = { rows, dryRun, replace };
      return String(rows);
    });
  const begin = () => temporaryFiles.begin("tuition-payment");
  const plan = { path: file.path, limits: toWorkbookLimits(settings), language, begin, keys: pool.keys, within };
  return turns.run(() => importPayables(write, { ...plan, dryRun, replace }));
}

const withDues = (row: PayableRow) => {
  const { id, studentNo, studentName, grade, years, collegeName, majorName, className, itemDueFen, dueDate } = row;
  return {
    id,
    studentNo,
    studentName,
    grade,
    years,
    collegeName,
    majorName,
    className,
    realPayAmount: toYuan(row.amountFen),
    payItemDetail: writeItems(itemsOf(row)),
    due: toYuan(sumDue(row)),
    dueDate,
    items: itemsOf(row).map((item, index) => ({
      name: item.name,
      amount: toYuan(item.amountFen),
      due: toYuan(itemDueFen[index] ?? 0),
    })),
  };
};

export const toListedPayable = (row: PayableRow, zone: string): z.input<typeof listedPayable> => ({
  ...withDues(row),
  adjustments: row.adjustments.map((made) => toAdjustment(made, zone)),
});

const isPaid = ({ paidBy }: PayableRow) => ({ pay: paidBy !== null });

export const toPayable = (row: PayableRow, zone: string): z.input<typeof payable> => ({
  ...toListedPayable(row, zone),
  ...isPaid(row),
});

export const toOwnPayable = (row: PayableRow, zone: string): z.input<typeof ownPayable> => ({
  ...toMatchedPayable(row),
  adjustments: row.adjustments.map((made) => toOwnAdjustment(made, zone)),
});

export const toMatchedPayable = (row: PayableRow): z.input<typeof matchedPayable> => ({
  ...withDues(row),
  ...isPaid(row),
});

export const toPayLimit = ({ id, grade, gradeName, enabled }: PayLimitRow): z.input<typeof payLimit> => ({
  id,
  gradeName,
  grade,
  enablePay: enabled ? "1" : "2",
});
