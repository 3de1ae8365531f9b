import type { ListOrder } from "#platform/contract/sorting.ts";
import { type Counted, type Db, startStatement, type Statement, toCounted } from "#platform/database/index.ts";
import { openData } from "./sealed.ts";

/** A person or organisation as the events left it. */
export interface DirectoryRow {
  readonly id: number;
  readonly kind: "person" | "organisation";
  readonly identity: string;
  readonly name: string | null;
  /** JSON, as it came. */
  readonly data: string;
  readonly changedAt: Date;
}

export interface DirectoryFilter {
  readonly kind?: DirectoryRow["kind"] | undefined;
  readonly keyword?: string | undefined;
}

export type DirectoryOrder = ListOrder<"id" | "identity" | "name" | "changed_at">;

/** "Stands anywhere in it" by the index of pieces over both texts, then letter by letter in each. */
function holds(statement: Statement, keyword: string): string {
  const place = `lower(${statement.value(keyword)}::text)`;
  return `platform.grams(identity || ' ' || coalesce(name, '')) @> platform.needle_grams(${place})
    and (strpos(lower(identity), ${place}) > 0 or strpos(lower(name), ${place}) > 0)`;
}

function conditions(statement: Statement, { kind, keyword }: DirectoryFilter): string {
  return [
    "present",
    kind === undefined ? "kind <> 'range'" : `kind = ${statement.value(kind)}`,
    ...(keyword === undefined ? [] : [holds(statement, keyword)]),
  ].join(" and ");
}

/** One page of the directory, and how many entries there are; both of one moment. */
export async function listDirectory(
  db: Db,
  filter: DirectoryFilter,
  { field, descending, offset, limit }: DirectoryOrder,
): Promise<Counted<DirectoryRow>> {
  const statement = startStatement();
  const where = conditions(statement, filter);
  const direction = descending ? "desc" : "asc";
  const order = field === "id" ? `id ${direction}` : `${field} ${direction}, id ${direction}`;
  const rows = await statement.run<DirectoryRow & { totalCount: number }>(
    db,
    `with total as (select count(*) as count from push_relay.subject where ${where}),
     page as (
       select id, kind, identity, name, data, changed_at, changed_at as "changedAt" from push_relay.subject
       where ${where} order by ${order} limit ${statement.value(limit)} offset ${statement.value(offset)})
     select total.count as "totalCount", page.* from total left join page on true order by ${order}`,
  );
  const { rows: page, totalCount } = toCounted(rows);
  return { rows: page.map((row) => ({ ...row, data: openData(db.keys, row.data) })), totalCount };
}
