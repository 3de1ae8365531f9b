import type { Db } from "#platform/database.ts";
import { toPage } from "#platform/envelope.ts";
import type { Handlers } from "#platform/http/serve.ts";
import { explain, Problem } from "#platform/problem.ts";
import { isDescending } from "#platform/sorting.ts";
import { toFen } from "./amounts.ts";
import type { endpoints } from "./contract.ts";
import { parseItemsOf, type PayItem, writeItems } from "./items.ts";
import { addGrades } from "./pay-limit-store.ts";
import { toFilter } from "./payable-filter.ts";
import {
  decidePayable,
  deletePayable,
  findPayable,
  insertPayable,
  listPaidPayables,
  listPayables,
  lockPayable,
  type PayableRow,
  updatePayable,
} from "./payable-store.ts";
import { mayChange, mayDecide, nameGrade, toStoredIdCard } from "./rules.ts";
import { itemsOf, toListedPayable, toPayable } from "./wire-rows.ts";

type Endpoints = Pick<
  typeof endpoints,
  | "listPayables"
  | "findPayable"
  | "listPaidPayables"
  | "savePayable"
  | "updatePayable"
  | "deletePayable"
  | "recordPayment"
>;

/** The handlers of what administrators do with payables, one at a time. */
export const payableHandlers: Handlers<Endpoints> = {
  listPayables: async ({ db, query }) => {
    const { curPage: currPage, pageSize, orderField = "id" } = query;
    const offset = (currPage - 1) * pageSize;
    const page = { field: orderField, descending: isDescending(query), offset, limit: pageSize };
    const { rows, totalCount } = await listPayables(db, toFilter(query), page);
    return toPage(rows.map(toListedPayable), totalCount, { currPage, pageSize });
  },

  findPayable: async ({ db, params }) => {
    const row = await findPayable(db, params.id);
    if (!row) throw new Problem("notFound");
    return toPayable(row);
  },

  listPaidPayables: async ({ db, query }) => listPaidPayables(db, query.ids),

  savePayable: async ({ db, body, audit }) => {
    const { realPayAmount, payItemDetail, idCard, ...texts } = trimTexts(body);
    const amountFen = toFen(realPayAmount);
    const items = readItems(payItemDetail, amountFen);
    const { collegeName = "", majorName = "", className = "", ...rest } = texts;
    const id = await insertPayable(db, {
      ...rest,
      collegeName,
      majorName,
      className,
      idCard: idCard === undefined ? null : toStoredIdCard(idCard),
      amountFen,
      items,
    });
    await addGrade(db, texts.grade);
    audit.records = [id];
    return String(id);
  },

  updatePayable: async ({ db, body, audit }) => {
    const { id, realPayAmount, payItemDetail, idCard, ...texts } = trimTexts(body);
    const known = await getUnpaid(db, id);
    const amountFen = realPayAmount === undefined ? known.amountFen : toFen(realPayAmount);
    const items = readItems(payItemDetail ?? writeItems(itemsOf(known)), amountFen);
    const storedIdCard = idCard === undefined ? undefined : toStoredIdCard(idCard);
    await updatePayable(db, known.id, { ...texts, idCard: storedIdCard, amountFen, items });
    if (texts.grade !== undefined) await addGrade(db, texts.grade);
    audit.records = [known.id];
    return "1";
  },

  deletePayable: async ({ db, params, audit }) => {
    const { id } = await getUnpaid(db, params.id);
    await deletePayable(db, id);
    audit.records = [id];
    return "1";
  },

  recordPayment: async ({ db, params, audit }) => {
    const { id, paidBy } = await getLocked(db, params.id);
    if (!mayDecide(paidBy))
      throw explain("notAllowedNow", "该缴费信息已由订单支付", "the payable was paid by an order");
    const isPaid = params.pay === "true";
    if (isPaid !== (paidBy !== null)) await decidePayable(db, id, isPaid);
    audit.records = [id];
    audit.detail = { pay: isPaid };
    return "1";
  },
};

async function getLocked(tx: Db, id: number): Promise<PayableRow> {
  const row = await lockPayable(tx, id);
  if (!row) throw new Problem("notFound");
  return row;
}

async function getUnpaid(tx: Db, id: number | undefined): Promise<PayableRow> {
  if (id === undefined) throw new Problem("idMissing");
  const row = await getLocked(tx, id);
  if (!mayChange(row.paidBy))
    throw explain("notAllowedNow", "已缴费的信息不能修改或删除", "what is paid cannot be changed or deleted");
  return row;
}

const addGrade = (tx: Db, grade: string): Promise<void> => addGrades(tx, [{ grade, gradeName: nameGrade(grade) }]);

/** Without the spaces around texts: a number typed with one in front would never be found. */
const trimTexts = <T extends object>(fields: T): T =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value.trim() : value]),
  ) as T;

/** @throws {Problem} badFormat, tooLong, paymentItemExists or amountWrong, naming the field. */
function readItems(detail: string, amountFen: number): PayItem[] {
  const items = parseItemsOf(detail, amountFen);
  if (!("problem" in items)) return items;
  const field = items.problem === "amountWrong" ? "realPayAmount" : "payItemDetail";
  throw explain(items.problem, `${field}: ${items.zh}`, `${field}: ${items.en}`);
}
