import type * as z from "zod";
import type { Range } from "#platform/contract/sorting.ts";
import {
  column,
  compileInsert,
  type PageWithTotal,
  type Db,
  listPage,
  type RowOf,
  setGiven,
  sql,
  startStatement,
  type Stored,
  type Within,
  writeSelected,
} from "#platform/database/index.ts";
import type { newReport } from "./report-contract.ts";
import type { VerdictCode } from "./rules.ts";
import { places } from "./scope-contract.ts";
import { openPhones, sealPhones } from "./sealed.ts";

export type NewReport = Omit<z.output<typeof newReport>, "code" | "tenderTime"> & { readonly tenderTime: Date };

export const submitted = {
  name: "name",
  phone: "phone",
  wxPhone: "wx_phone",
  company: "company",
  customerName: "customer_name",
  entryName: "entry_name",
  projectAmount: "project_amount",
  tenderTime: "tender_time",
  content: "content",
  parameters: "parameters",
  trade: "trade",
  licensing: "licensing",
  product: "product",
  bProduct: "b_product",
  bFile: "b_file",
  file: "file",
} satisfies Record<keyof NewReport, string>;

const sealedPhone = { phoneSealed: column<string | null>("phone_sealed") };

export const progress = {
  closed: column<boolean>("closed"),
  deleted: column<boolean>("deleted"),
  verdict: column<0 | VerdictCode>("verdict"),
  ps: column<string | null>("ps"),
  createdAt: column<Date>("created_at"),
  updatedAt: column<Date>("updated_at"),
};

export type ReportRow = { readonly id: number } & Stored<NewReport> & RowOf<typeof progress>;

export type StoredReport = ReportRow & RowOf<typeof sealedPhone>;

export const columns = `report.id, ${writeSelected({ ...submitted, ...progress, ...sealedPhone })}`;
export const storedColumns = sql.raw(columns);

const insert = compileInsert("reporting.report", { ...submitted, ...sealedPhone, phoneFound: "phone_found" });

export const insertReport = (tx: Db, report: NewReport): Promise<number> => insert(tx, sealPhones(tx.keys, report));

export async function findReport(db: Db, id: number, within: Within): Promise<ReportRow | undefined> {
  const [row] = await db<StoredReport[]>`
    select ${storedColumns} from reporting.report where id = ${id} ${within.and(places)}`;
  return row && openPhones(db.keys, row);
}

/** A report without a phone number is of a person who was erased, and stays without an OpenID. */
export async function setOpenId(db: Db, id: number, openId: string): Promise<void> {
  await db`
    update reporting.report set open_id = ${openId} where id = ${id} and (phone <> '' or phone_sealed is not null)`;
}

export async function listReportsOf(db: Db, openId: string, range: Range): Promise<PageWithTotal<ReportRow>> {
  const statement = startStatement();
  const where = `where open_id = ${statement.value(openId)}`;
  const list = { table: "reporting.report", columns, where, sortColumns: { reportingTime: progress.createdAt } };
  const order = { ...range, field: "reportingTime" as const };
  return openCounted(db, await listPage<StoredReport, "reportingTime">(db, statement, list, order));
}

export const openCounted = (db: Db, { rows, totalCount }: PageWithTotal<StoredReport>): PageWithTotal<ReportRow> => ({
  rows: rows.map((row) => openPhones(db.keys, row)),
  totalCount,
});

export const lockReport = async (tx: Db, id: number, within: Within) =>
  tx.first<{ id: number; deleted: boolean; closed: boolean; verdict: 0 | VerdictCode; openId: string | null }>`
    select id, deleted, closed, verdict, open_id as "openId" from reporting.report
    where id = ${id} ${within.and(places)} for update`;

export async function closeReport(tx: Db, id: number): Promise<void> {
  await tx.send`update reporting.report set closed = true, updated_at = now() where id = ${id}`;
}

export async function judgeReport(tx: Db, id: number, verdict: VerdictCode, ps: string | undefined): Promise<void> {
  await tx.send`update reporting.report set verdict = ${verdict}, ps = ${ps ?? null}, updated_at = now() where id = ${id}`;
}

const { name: _name, phone: _phone, wxPhone: _wxPhone, ...project } = submitted;

type Change = { readonly [F in keyof typeof project]?: NewReport[F] | undefined };

export async function supplementReport(tx: Db, id: number, changes: Change): Promise<void> {
  await tx.send`
    update reporting.report set ${setGiven<keyof typeof project>(project, changes)}, verdict = 0, ps = null, updated_at = now() where id = ${id}`;
}

export const listReasons = (db: Db): Promise<string[]> =>
  db.values<string>`select text from reporting.reason order by place`;

export async function replaceReasons(tx: Db, reasons: readonly string[]): Promise<void> {
  await tx.send`lock table reporting.reason in share row exclusive mode`;
  await tx.send`delete from reporting.reason where place > ${reasons.length}`;
  await tx.send`
    insert into reporting.reason (place, text)
    select place, text from unnest(${reasons}::text[]) with ordinality as given (text, place)
    on conflict (place) do update set text = excluded.text where reason.text <> excluded.text`;
}

export const isAnyValid = async (db: Db, ids: readonly number[]): Promise<boolean> =>
  (await db.count`select from reporting.report where id = any(${ids}) and verdict = 1 limit 1`) > 0;

export const isAnyWithin = async (db: Db, ids: readonly number[], within: Within): Promise<boolean> =>
  (await db.count`select from reporting.report where id = any(${ids}) ${within.and(places)} limit 1`) > 0;

export const deleteReports = async (tx: Db, ids: readonly number[], within: Within): Promise<number[]> =>
  tx.values<number>`
    with chosen as (
      select id from reporting.report where id = any(${ids}) and not deleted ${within.and(places)} order by id for update
    )
    update reporting.report set deleted = true, updated_at = now() from chosen where report.id = chosen.id
    returning report.id`;
