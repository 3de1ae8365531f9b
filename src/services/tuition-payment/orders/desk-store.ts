import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  column,
  type PageWithTotal,
  type Db,
  listPage,
  type RowOf,
  startStatement,
  writeSelected,
} from "#platform/database/index.ts";
import type { GatewayName } from "#services/tuition-payment/gateways/gateway.ts";
import type { DeskField } from "./desk-contract.ts";
import type { DeskKind } from "./rules.ts";

const deskColumns = {
  id: column<string>("id"),
  kind: column<DeskKind>("kind"),
  orderNo: column<string>("order_no"),
  refundNo: column<string>("refund_no"),
  gateway: column<GatewayName>("gateway"),
  amountFen: column<number | null>("amount_fen"),
  theirFen: column<number | null>("their_fen"),
  time: column<Date>("at"),
  handled: column<boolean>("handled"),
  note: column<string | null>("note"),
  by: column<string | null>("by"),
  isSecond: column<boolean>("is_second"),
  isKnown: column<boolean>("is_known"),
  isBusy: column<boolean>("is_busy"),
  isSurplus: column<boolean>("is_surplus"),
};

export type DeskEntry = RowOf<typeof deskColumns>;

const columns = writeSelected(deskColumns);
const selectById = `select ${columns} from tuition_payment.desk where id = $1`;

export const findDeskEntry = async (db: Db, id: string): Promise<DeskEntry | undefined> =>
  (await db.query<DeskEntry>(selectById, [id]))[0];

const sortColumns: Readonly<Record<DeskField, string>> = { time: "at", id: "id" };

export function listDesk(
  db: Db,
  { kind, handled }: { kind?: DeskKind | undefined; handled?: boolean | undefined },
  page: ListOrder<DeskField>,
): Promise<PageWithTotal<DeskEntry>> {
  const statement = startStatement();
  const where = [
    "where true",
    ...(kind === undefined ? [] : [`kind = ${statement.value(kind)}`]),
    ...(handled === undefined ? [] : [handled ? "handled" : "not handled"]),
  ].join(" and ");
  return listPage(db, statement, { table: "tuition_payment.desk", columns, where, sortColumns }, page);
}
