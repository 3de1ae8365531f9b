import { type Db, startStatement, type Statement } from "#platform/database/index.ts";
import { dayFields } from "#services/attendance/contract.ts";
import { exportColumns } from "./export-columns.ts";
import { openRows } from "#services/attendance/sealed.ts";
import type { RowSource } from "./result-store.ts";
import { toRows } from "./result-store.ts";

export interface ComparisonFilter {
  readonly department: string | undefined;
  /**
   * Only those who differ: by the whole row, or by their figures. Two months always differ in their days, and in the
   * records, which say the days.
   */
  readonly changed: "row" | "figures" | undefined;
}

const otherFields = [
  "id",
  ...dayFields,
  ...exportColumns.filter(({ type }) => type === "text").map(({ field }) => field),
];

function toDifference(statement: Statement, changed: "row" | "figures"): string {
  if (changed === "row") return "one.data::text is distinct from two.data::text";
  const others = `string_to_array(${statement.value(otherFields.join())}, ',')`;
  return `one.data::jsonb - ${others} is distinct from two.data::jsonb - ${others}`;
}

const streamedRows = 200;

// Rows of one UserId are told apart by their groups, and else stand in the order of their sheet.
const sideOf = (statement: Statement, source: RowSource, { department }: ComparisonFilter): string => `
  select *, case when user_id <> '' then user_id else '/' || work_number || '/' || name end as identity,
    row_number() over (partition by user_id, case when user_id = '' then work_number || '/' || name end
      order by group_name collate "C", row) as twin
  from ${toRows(statement, source)} ${department === undefined ? "" : `and department = ${statement.value(department)}`}`;

/**
 * The rows of two months, or of a month and a version, of each employee, as JSON texts: joined by UserId, and where there
 * is none by number and name.
 */
export async function* streamComparison(
  db: Db,
  one: RowSource,
  other: RowSource,
  filter: ComparisonFilter,
): AsyncGenerator<string[]> {
  const statement = startStatement();
  const text = `
    select json_build_object('workName', coalesce(one.name, two.name), 'userId', coalesce(one.user_id, two.user_id),
      'workNum', coalesce(one.work_number, two.work_number), 'department', coalesce(one.department, two.department),
      'month', one.data, 'with', two.data)::text as data
    from (${sideOf(statement, one, filter)}) as one full join (${sideOf(statement, other, filter)}) as two using (identity, twin)
    ${filter.changed ? `where ${toDifference(statement, filter.changed)}` : ""}
    order by coalesce(one.department, two.department) collate "C", coalesce(one.work_number, two.work_number) collate "C",
      coalesce(one.name, two.name) collate "C", identity, twin`;
  for await (const batch of statement.stream<{ data: string }>(db, text, streamedRows))
    yield batch
      .map(({ data }) => openRows(db.keys, data))
      .filter((data) => filter.changed !== "row" || isReallyChanged(db, data));
}

/** No two cards are sealed alike: where they are sealed, the database takes more rows for changed than are. */
function isReallyChanged({ keys }: Db, data: string): boolean {
  if (keys.ids.length === 0) return true;
  const { month, with: other } = JSON.parse(data) as { readonly month: unknown; readonly with: unknown };
  return JSON.stringify(month) !== JSON.stringify(other);
}
