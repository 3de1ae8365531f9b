import { type Db, type Fragment, sql, streamRows, type Within } from "#platform/database/index.ts";
import { dayFields } from "#services/attendance/record-contract.ts";
import type { Person } from "#services/attendance/model.ts";
import { places } from "#services/attendance/scope-contract.ts";
import { openRow, type StoredRow } from "#services/attendance/stored-rows.ts";
import { exportColumns } from "./export.ts";

export type ResultFilter = { readonly [K in "department" | "group" | "name"]?: string | undefined } & {
  readonly within: Within;
};

export type RowSource = { readonly month: string } | { readonly version: number };

const wantedRows = (source: RowSource, { within, department, group, name }: ResultFilter): Fragment => sql`
  ${sql.join(
    [
      "month" in source
        ? sql`attendance.result where month = ${source.month}`
        : sql`attendance.version_row where version_id = ${source.version}`,
      ...(department === undefined ? [] : [sql`department = ${department}`]),
      ...(group === undefined ? [] : [sql`group_name = ${group}`]),
      ...(name === undefined ? [] : [sql`position(lower(${name}) in lower(name)) > 0`]),
    ],
    " and ",
  )} ${within.and(places)}`;

const streamedRows = 200;

export async function* streamResults(
  db: Db,
  source: RowSource,
  filter: ResultFilter,
  { span, withExtra = false }: { span?: { offset: number; limit: number } | undefined; withExtra?: boolean } = {},
): AsyncGenerator<string[]> {
  const page = span ? sql`limit ${span.limit} offset ${span.offset}` : sql``;
  // Collation "C" makes the order the same on every server.
  const query = sql`
    select data::text as data, id_card as "idCard", ${withExtra ? sql`extra::text` : sql`null`} as extra
    from ${wantedRows(source, filter)}
    order by department collate "C", work_number collate "C", name collate "C", row ${page}`;
  for await (const batch of streamRows<StoredRow>(db, query, streamedRows))
    yield batch.map((row) => openRow(db.keys, row));
}

export const listDepartments = async (db: Db, source: RowSource, within: Within): Promise<string[]> =>
  (
    await db<{ department: string }[]>`
      select department from ${wantedRows(source, { within })} group by department order by department collate "C"`
  ).map(({ department }) => department);

export const countResults = (db: Db, source: RowSource, filter: ResultFilter): Promise<number> =>
  db.value<number>`select count(*) as count from ${wantedRows(source, filter)}`;

export type Wanted = Partial<Record<keyof Person | "group", string | undefined>>;

export async function findResults(db: Db, month: string, { userId, workNumber, name, group }: Wanted, within: Within) {
  const asked = Object.entries({ user_id: userId, work_number: workNumber, name, group_name: group });
  const wanted = asked.flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.identifier(column)} = ${value}`],
  );
  return db<{ employee: number; group: string }[]>`
    select employee, group_name as "group" from attendance.roster
    where ${sql.join([sql`month = ${month}`, ...wanted], " and ")} ${within.and(places)} order by employee limit 100`;
}

interface ComparisonFilter {
  readonly within: Within;
  readonly department: string | undefined;
  /**
   * Limits the list to rows in which any field differs ("row") or a figure differs ("figures"). The days and records of
   * two months always differ, so two months are compared by figures only.
   */
  readonly changed: "row" | "figures" | undefined;
}

const otherFields = [
  "id",
  ...dayFields,
  ...exportColumns.filter(({ type }) => type === "text").map(({ field }) => field),
];

const figuresOf = (side: "one" | "two"): Fragment =>
  sql`(${sql.identifier(side)}.data::jsonb - string_to_array(${otherFields.join()}, ','), ${sql.identifier(side)}.extra::jsonb)`;

const differences: Readonly<Record<"row" | "figures", Fragment>> = {
  row: sql`where (one.data::text, one.extra::jsonb, one.id_card) is distinct from (two.data::text, two.extra::jsonb, two.id_card)`,
  figures: sql`where ${figuresOf("one")} is distinct from ${figuresOf("two")}`,
};

// Rows with the same identity are numbered by group and then by row. Each row is compared with the row of the other
// side that has the same identity and number.
const sideOf = (source: RowSource, { within, department }: ComparisonFilter): Fragment => sql`
  select *, case when user_id <> '' then user_id else '/' || work_number || '/' || name end as identity,
    row_number() over (partition by user_id, case when user_id = '' then work_number || '/' || name end
      order by group_name collate "C", row) as twin
  from ${wantedRows(source, { within, department })}`;

export async function* streamComparison(
  db: Db,
  one: RowSource,
  other: RowSource,
  filter: ComparisonFilter,
): AsyncGenerator<string[]> {
  const query = sql`
    select json_build_object('workName', coalesce(one.name, two.name), 'userId', coalesce(one.user_id, two.user_id),
      'workNum', coalesce(one.work_number, two.work_number), 'department', coalesce(one.department, two.department),
        'corrections', (select coalesce(json_agg(told), '[]') from (
          select day, kind, campus, hours, evidence, made_by as "madeBy" from attendance.correction
          where month = one.month and undone_at is null and user_id = one.user_id
            and (user_id <> '' or work_number = one.work_number) and correction.group_name in ('', one.group_name)
          order by day) as told))::text as who,
      one.data::text as one, one.id_card as "oneCard", one.extra::text as "oneExtra",
      two.data::text as two, two.id_card as "twoCard", two.extra::text as "twoExtra"
    from (${sideOf(one, filter)}) as one full join (${sideOf(other, filter)}) as two using (identity, twin)
    ${filter.changed ? differences[filter.changed] : sql``}
    order by coalesce(one.department, two.department) collate "C", coalesce(one.work_number, two.work_number) collate "C",
      coalesce(one.name, two.name) collate "C", identity, twin`;
  for await (const batch of streamRows<Pair>(db, query, streamedRows))
    yield batch.flatMap(({ who, one: data, oneCard, oneExtra, two, twoCard, twoExtra }) => {
      const month = toRow(db, data, oneCard, oneExtra);
      const before = toRow(db, two, twoCard, twoExtra);
      // Sealing the same card twice gives different texts, so PostgreSQL reports some rows that do not differ.
      if (filter.changed === "row" && month === before) return [];
      return [`${who.slice(0, -1)}, "month": ${month}, "with": ${before}}`];
    });
}

interface Pair {
  readonly who: string;
  readonly one: string | null;
  readonly oneCard: string | null;
  readonly oneExtra: string | null;
  readonly two: string | null;
  readonly twoCard: string | null;
  readonly twoExtra: string | null;
}

const toRow = (db: Db, data: string | null, idCard: string | null, extra: string | null): string =>
  data === null ? "null" : openRow(db.keys, { data, idCard: idCard ?? "", extra });
