import { type Db, startStatement, type Statement } from "#platform/database/index.ts";
import { dayFields } from "#services/attendance/contract.ts";
import { exportColumns } from "./export-columns.ts";
import { openRow } from "#services/attendance/sealed.ts";
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
  if (changed === "row") return "(one.data::text, one.id_card) is distinct from (two.data::text, two.id_card)";
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
      'workNum', coalesce(one.work_number, two.work_number), 'department', coalesce(one.department, two.department))::text as who,
      one.data::text as one, one.id_card as "oneCard", two.data::text as two, two.id_card as "twoCard"
    from (${sideOf(statement, one, filter)}) as one full join (${sideOf(statement, other, filter)}) as two using (identity, twin)
    ${filter.changed ? `where ${toDifference(statement, filter.changed)}` : ""}
    order by coalesce(one.department, two.department) collate "C", coalesce(one.work_number, two.work_number) collate "C",
      coalesce(one.name, two.name) collate "C", identity, twin`;
  for await (const batch of statement.stream<Pair>(db, text, streamedRows))
    yield batch.flatMap(({ who, one: data, oneCard, two, twoCard }) => {
      const month = toRow(db, data, oneCard);
      const before = toRow(db, two, twoCard);
      // No two cards are sealed alike: where they are sealed, the database takes more rows for changed than are.
      if (filter.changed === "row" && month === before) return [];
      return [`${who.slice(0, -1)}, "month": ${month}, "with": ${before}}`];
    });
}

interface Pair {
  readonly who: string;
  readonly one: string | null;
  readonly oneCard: string | null;
  readonly two: string | null;
  readonly twoCard: string | null;
}

const toRow = (db: Db, data: string | null, idCard: string | null): string =>
  data === null ? "null" : openRow(db.keys, { data, idCard: idCard ?? "" });
