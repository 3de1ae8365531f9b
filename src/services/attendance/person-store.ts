import { type Db, type Fragment, sql, streamRows } from "#platform/database/index.ts";
import type { Person, PersonRecords } from "#platform/process/person.ts";
import { openImported, openResultCard, openRow, type StoredRow } from "./sealed.ts";

interface Found {
  readonly id: string;
  readonly row: number;
  readonly isUser: boolean;
  readonly idCard: string;
}

const batchRows = 5000;

/**
 * Which rows are the person's, by UserId, work number or card. Nothing stands for a sealed card, so each is opened in 4 µs;
 * nobody looks for one but the command line.
 */
async function findRows(
  db: Db,
  { user = "", card = "" }: Person,
  { table, id, open }: { table: Fragment; id: Fragment; open: typeof openImported },
): Promise<{ ids: string[]; rows: number[] }> {
  const found: { ids: string[]; rows: number[] } = { ids: [], rows: [] };
  if (!user && !card) return found;
  const wanted = card.trim().toUpperCase();
  const isUser = sql`(${user} <> '' and (user_id = ${user} or work_number = ${user}))`;
  const mayBe = card ? sql`(upper(id_card) = ${wanted} or id_card like 'sealed:%')` : sql`false`;
  const query = sql`
    select ${id}::text as id, row, ${isUser} as "isUser", id_card as "idCard" from ${table}
    where ${isUser} or ${mayBe} order by ${id}, row`;
  for await (const batch of streamRows<Found>(db, query, batchRows))
    for (const { id: of, row, isUser: isTheirs, idCard: stored } of batch) {
      if (!isTheirs && open(db.keys, stored).toUpperCase() !== wanted) continue;
      found.ids.push(of);
      found.rows.push(row);
    }
  return found;
}

/** An employee's rows of months, or of versions. */
async function showRows(db: Db, person: Person, table: Fragment, id: Fragment): Promise<object[]> {
  const { ids, rows } = await findRows(db, person, { table, id, open: openResultCard });
  const found = await db<StoredRow[]>`
    select ${id}, name, user_id as "userId", work_number as "workNumber", department, data::text as data,
      id_card as "idCard"
    from ${table} where (${id}::text, row) in (select * from unnest(${ids}::text[], ${rows}::int[])) order by ${id}, row`;
  return found.map(({ data, idCard, ...row }) => ({
    ...row,
    data: JSON.parse(openRow(db.keys, { data, idCard })) as object,
  }));
}

async function showIdentities(db: Db, person: Person): Promise<object[]> {
  const table = sql`attendance.identity`;
  const id = sql`import_id`;
  const { ids, rows } = await findRows(db, person, { table, id, open: openImported });
  const found = await db<{ idCard: string }[]>`
    select import_id as import, name, user_id as "userId", work_number as "workNumber", id_card as "idCard"
    from attendance.identity
    where (import_id::text, row) in (select * from unnest(${ids}::text[], ${rows}::int[])) order by import_id, row`;
  return found.map((row) => ({ ...row, idCard: openImported(db.keys, row.idCard) }));
}

/** What attendance has about persons: a month's rows, by UserId, work number or identity card. */
export const persons: readonly PersonRecords[] = [
  {
    kind: "result",
    show: (db, person) => showRows(db, person, sql`attendance.result`, sql`month`),
    kept: "pay is worked out of whole months",
  },
  {
    kind: "locked row",
    show: (db, person) => showRows(db, person, sql`attendance.version_row`, sql`version_id`),
    kept: "it proves what was paid by",
  },
  {
    kind: "identity",
    show: showIdentities,
    kept: "the next sheet of identity cards takes their place",
  },
];
