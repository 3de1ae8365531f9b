import { type Counted, type Db, sql, toCopyLine } from "#platform/database/index.ts";
import { listImportsOf } from "#services/attendance/coverage.ts";
import { copyText } from "#services/attendance/copy.ts";
import type { Span } from "#services/attendance/model.ts";
import type { Candidate } from "./people.ts";
import { type Member, openRoster, type SheetRow } from "./roster.ts";
import { listSettled } from "./settled-store.ts";

// The employees of a month, made anew whenever the imports change that give its month sheet, or who is settled as whom.

/** An employee without the columns. */
export interface RosterEmployee extends Candidate {
  readonly employee: number;
  readonly group: string;
  readonly department: string;
}

/** Puts the employees of a held month together, and returns how many they are. */
export async function composeRoster(tx: Db, month: string, spans: readonly Span[]): Promise<number> {
  const imports = listImportsOf(spans, "month");
  const roster = openRoster(await listSettled(tx, "month", imports));
  // One sheet at a time, since a month may have one for each day.
  for (const importId of imports) roster.add(importId, await listSheetRows(tx, importId));
  const members = roster.list();
  await tx`delete from attendance.roster where month = ${month}`;
  await copyText(tx, "roster", [
    Buffer.from(members.map((member, index) => toLine(month, index + 1, member)).join("")),
  ]);
  await tx`update attendance.month set employees = ${members.length} where month = ${month}`;
  return members.length;
}

async function listSheetRows(tx: Db, importId: number): Promise<SheetRow[]> {
  return tx<SheetRow[]>`
    select row, name, user_id as "userId", work_number as "workNumber", group_name as "group", department
    from attendance.employee where import_id = ${importId} order by row`;
}

const toLine = (
  month: string,
  employee: number,
  { name, userId, workNumber, group, department, imports, rows }: Member,
): string => toCopyLine([month, employee, name, userId, workNumber, group, department, imports, rows]);

const columns = sql`
  employee, name, user_id as "userId", work_number as "workNumber", group_name as "group", department`;

/** Everybody of a month, without the columns. */
export async function listRoster(db: Db, month: string): Promise<RosterEmployee[]> {
  return db<RosterEmployee[]>`select ${columns} from attendance.roster where month = ${month} order by employee`;
}

/** Those in whose name, UserId or number a text stands, one page of them, and how many there are. */
export async function searchRoster(
  db: Db,
  month: string,
  { keyword, offset, limit }: { readonly keyword: string; readonly offset: number; readonly limit: number },
): Promise<Counted<RosterEmployee>> {
  const wanted = sql`
    attendance.roster where month = ${month}
      and (${keyword} = '' or position(lower(${keyword}) in lower(concat_ws(chr(31), name, user_id, work_number))) > 0)`;
  const rows = await db<RosterEmployee[]>`
    select ${columns} from ${wanted}
    order by department collate "C", work_number collate "C", name collate "C", employee limit ${limit} offset ${offset}`;
  const [total] = await db<{ count: number }[]>`select count(*) from ${wanted}`;
  return { rows, totalCount: total?.count ?? 0 };
}

/** The employees of a month with a UserId, and of one group where that is asked for. */
export async function findByUserId(db: Db, month: string, userId: string, group: string): Promise<RosterEmployee[]> {
  return db<RosterEmployee[]>`
    select ${columns} from attendance.roster
    where month = ${month} and user_id = ${userId} and (${group} = '' or group_name = ${group}) order by employee`;
}
