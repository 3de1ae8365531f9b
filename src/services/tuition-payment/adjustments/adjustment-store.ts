import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  type PageWithTotal,
  type Db,
  listPage,
  startStatement,
  type Statement,
  type Within,
} from "#platform/database/index.ts";
import type { AdjustmentKind } from "#services/tuition-payment/adjustment-contract.ts";
import type { PayItem } from "#services/tuition-payment/amounts.ts";
import { adjustmentColumns, type StoredAdjustment } from "#services/tuition-payment/due-store.ts";
import { splitItems } from "#services/tuition-payment/payable-store.ts";
import { listOfPayable } from "#services/tuition-payment/scope-store.ts";
import type { AdjustmentField, AdjustmentFilter } from "./contract.ts";

export interface AdjustmentRow extends StoredAdjustment {
  readonly studentNo: string | null;
  readonly studentName: string | null;
  readonly years: string | null;
}

const payableHas = (column: string): string =>
  `(select payable.${column} from tuition_payment.payable where payable.id = adjustment.payable_id)`;

const columns = `${adjustmentColumns}, ${payableHas("student_no")} as "studentNo",
  ${payableHas("student_name")} as "studentName", ${payableHas("years")} as years`;

export interface NewAdjustment {
  readonly payableId: number;
  readonly kind: AdjustmentKind;
  readonly items: readonly PayItem[];
  readonly until?: string | undefined;
  readonly evidence: string;
  readonly reason: string;
  readonly by: string;
}

export async function insertAdjustment(tx: Db, made: NewAdjustment): Promise<number> {
  const { itemNames, itemFen } = splitItems(made.items);
  return tx.value<number>`
    insert into tuition_payment.adjustment (payable_id, kind, item_names, item_fen, until, evidence, reason, made_by)
    values (${made.payableId}, ${made.kind}, ${itemNames}::text[], ${itemFen}::bigint[], ${made.until ?? null}::date,
      ${made.evidence}, ${made.reason}, ${made.by}) returning id`;
}

/**
 * Whether the day is over by the database's clock, which all processes share.
 * @param zone time zone of the day
 */
export const isOver = (db: Db, day: string, zone: string): Promise<boolean> =>
  db.value<boolean>`select ${day}::date < (now() at time zone ${zone})::date as over`;

export async function findAdjustment(db: Db, id: number, within: Within): Promise<AdjustmentRow | undefined> {
  const statement = startStatement();
  const where = [`id = ${statement.value(id)}`, ...listOfPayable(statement, within, "payable_id")].join(" and ");
  const [row] = await statement.run<AdjustmentRow>(
    db,
    `select ${columns} from tuition_payment.adjustment where ${where}`,
  );
  return row;
}

export const listStanding = async (
  tx: Db,
  payableId: number,
  { kind, since, names }: { kind?: AdjustmentKind; since?: Date; names?: readonly string[] },
): Promise<number[]> =>
  tx.values<number>`
    select id from tuition_payment.adjustment
    where payable_id = ${payableId} and undone_at is null and kind <> 'deferral'
      and (${kind ?? null}::text is null or kind = ${kind ?? null})
      and (${since ?? null}::timestamptz is null or made_at >= ${since ?? null})
      and (${names ?? null}::text[] is null or item_names && ${names ?? null}) order by id`;

/**
 * Revokes all of the adjustments and returns how many were in force. If an unpaid or paid order has one of the adjusted
 * items, none is revoked and undefined is returned. The caller must have locked the payables.
 */
export async function undoAdjustments(
  tx: Db,
  ids: readonly number[],
  { by, reason }: { by: string; reason: string },
): Promise<number | undefined> {
  const [taken] = await tx`
    select from tuition_payment.adjustment as standing
    join tuition_payment.order_item as item on item.payable_id = standing.payable_id
      and item.name = any(standing.item_names) and item.state in ('held', 'paid')
    where standing.id = any(${ids}) limit 1`;
  if (taken) return undefined;
  return tx.count`
    update tuition_payment.adjustment set undone_at = now(), undone_by = ${by}, undo_reason = ${reason}
    where id = any(${ids}) and undone_at is null`;
}

export type ChosenAdjustments = Pick<AdjustmentFilter, "payableId" | "kind"> & {
  readonly within: Within;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

function toConditions(statement: Statement, { within, payableId, kind, from, to }: ChosenAdjustments): string {
  return [
    "where true",
    ...listOfPayable(statement, within, "adjustment.payable_id"),
    ...(payableId === undefined ? [] : [`payable_id = ${statement.value(payableId)}`]),
    ...(kind === undefined ? [] : [`kind = ${statement.value(kind)}`]),
    ...(from === undefined ? [] : [`made_at >= ${statement.value(from)}`]),
    // Times in requests have no fractions of a second, so the whole last second is included.
    ...(to === undefined ? [] : [`made_at < ${statement.value(new Date(to.getTime() + 1000))}`]),
  ].join(" and ");
}

const sortColumns: Readonly<Record<AdjustmentField, string>> = {
  id: "id",
  payableId: "payable_id",
  kind: "kind",
  time: "made_at",
};

export function listAdjustments(
  db: Db,
  filter: ChosenAdjustments,
  order: ListOrder<AdjustmentField>,
): Promise<PageWithTotal<AdjustmentRow>> {
  const statement = startStatement();
  const where = toConditions(statement, filter);
  return listPage(db, statement, { table: "tuition_payment.adjustment", columns, where, sortColumns }, order);
}

export function streamAdjustments(db: Db, filter: ChosenAdjustments): AsyncIterable<AdjustmentRow[]> {
  const statement = startStatement();
  const where = toConditions(statement, filter);
  const text = `select ${columns} from tuition_payment.adjustment ${where} order by id desc`;
  return statement.stream<AdjustmentRow>(db, text, 500);
}

export const listOrdered = (tx: Db, orderId: number) => tx<{ payableId: number; createdAt: Date; names: string[] }[]>`
  select item.payable_id as "payableId", made.created_at as "createdAt", array_agg(item.name) as names
  from tuition_payment.order_item as item join tuition_payment.pay_order as made on made.id = item.order_id
  where made.id = ${orderId} group by item.payable_id, made.created_at order by item.payable_id`;
