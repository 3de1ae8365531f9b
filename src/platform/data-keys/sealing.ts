import { type Db, inLongTransaction, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import { nameColumn, type SealedColumn, type StoredValue, toStoredValue, toText } from "#platform/sealing/column.ts";
import { countLeft, deleteDataKeysBut, differs, listComplete, lockDataKeys, noteComplete } from "./keys.ts";

// A transaction of some 50 ms: whoever writes one of its rows waits no longer.
const usuallyTogether = 500;

export interface SealingOptions {
  /** Is told of each column: how many values were brought to the present key, and how many are left. */
  readonly say: (line: string) => void;
}

/**
 * Seals every value of the columns by the present key, or without one opens every value, beside servers that go on, in
 * batches; cut off, it goes on where it was. Returns how many values are left, which is 0 unless servers with other keys
 * write meanwhile. When none is, the other keys are not needed any more.
 */
export async function sealAll(
  pool: Pool,
  columns: readonly SealedColumn[],
  { say }: SealingOptions,
): Promise<{ readonly changed: number; readonly left: number }> {
  let [changed, left] = [0, 0];
  for (const column of columns) {
    const done = await sealColumn(pool, column);
    const rest = await inLongTransaction(pool, (tx) => countLeft(tx, column));
    say(`${nameColumn(column)}: ${done} values ${pool.keys.currentId ? "sealed" : "opened"}, ${rest} left`);
    changed += done;
    left += rest;
  }
  await noteOutcome(pool, columns);
  return { changed, left };
}

async function sealColumn(pool: Pool, column: SealedColumn): Promise<number> {
  let changed = 0;
  // Once more over what a writer held the time before, or wrote behind it.
  for (let round = await sealOnce(pool, column); round > 0; round = await sealOnce(pool, column)) changed += round;
  return changed;
}

async function sealOnce(pool: Pool, column: SealedColumn): Promise<number> {
  let changed = 0;
  let after: RowKey | undefined;
  do {
    const from = after;
    const rows = await inTransaction(pool, async (tx) => {
      const found = await lockDifferent(tx, column, { after: from, most: column.together ?? usuallyTogether });
      if (found.length > 0)
        await storeSealed(
          tx,
          column,
          found.map(({ key, plain, apart }) => ({
            key,
            stored: toStoredValue(tx.keys, column, toText(tx.keys, column, plain, apart)),
          })),
        );
      return found;
    });
    changed += rows.length;
    after = rows.at(-1)?.key;
  } while (after);
  return changed;
}

async function noteOutcome(pool: Pool, columns: readonly SealedColumn[]): Promise<void> {
  const { currentId } = pool.keys;
  await inLongTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    const complete = await listComplete(tx, columns);
    if (currentId !== undefined) await noteComplete(tx, currentId, complete);
    if (complete.length === columns.length) await deleteDataKeysBut(tx, currentId);
  });
}

/** The primary key of a row, each column as text, in the order of the column's `key`. */
export type RowKey = readonly string[];

export interface DifferentRow {
  readonly key: RowKey;
  readonly plain: string;
  readonly apart: string | null;
}

const keyNames = ({ key }: SealedColumn): string[] => Object.keys(key);

/** Rows behind `after`, in the order of their key, that the present key has not sealed; nobody else changes them meanwhile. */
export async function lockDifferent(
  tx: Db,
  column: SealedColumn,
  { after, most }: { readonly after: RowKey | undefined; readonly most: number },
): Promise<DifferentRow[]> {
  const names = keyNames(column);
  const types = Object.values(column.key);
  const place = sql.raw(names.join(", "));
  const values = after?.map((value, index) => sql`${value}::text::${sql.raw(types[index] ?? "text")}`);
  // Rows that a writer holds are met again: a run ends when nothing is left.
  return tx<DifferentRow[]>`
    select array[${sql.raw(names.map((name) => `${name}::text`).join(", "))}] as key, ${sql.identifier(column.column)} as plain,
      ${column.apart === undefined ? sql`null::text` : sql.identifier(column.apart)} as apart
    from ${sql.identifier(column.table)}
    where ${differs(tx, column)} ${values ? sql`and (${place}) > (${sql.join(values, ", ")})` : sql``}
    order by ${place} limit ${most} for update skip locked`;
}

export async function storeSealed(
  tx: Db,
  column: SealedColumn,
  rows: readonly { readonly key: RowKey; readonly stored: StoredValue }[],
): Promise<number> {
  const names = keyNames(column);
  const types = Object.values(column.key);
  const keyLists = names.map((_name, index) => rows.map(({ key }) => key[index] ?? ""));
  const { apart, found } = column;
  const given = [
    sql`${sql.identifier(column.column)} = new.plain`,
    ...(apart === undefined ? [] : [sql`${sql.identifier(apart)} = new.apart`]),
    ...(found === undefined || found === column.column ? [] : [sql`${sql.identifier(found)} = new.found`]),
  ];
  const same = names.map(
    (name, index) => sql`kept.${sql.raw(name)} = new.${sql.raw(`key_${index}::${types[index] ?? "text"}`)}`,
  );
  return tx.count`
    update ${sql.identifier(column.table)} as kept set ${sql.join(given, ", ")}
    from unnest(${rows.map(({ stored }) => stored.plain)}::text[], ${rows.map(({ stored }) => stored.apart)}::text[],
      ${rows.map(({ stored }) => stored.found)}::text[], ${sql.join(
        keyLists.map((list) => sql`${list}::text[]`),
        ", ",
      )}) as new (plain, apart, found, ${sql.raw(names.map((_name, index) => `key_${index}`).join(", "))})
    where ${sql.join(same, " and ")}`;
}
