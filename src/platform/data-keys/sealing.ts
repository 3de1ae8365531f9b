import { type Db, inLongTransaction, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import { nameColumn, type SealedColumn, type StoredValue, toStoredValue, toText } from "#platform/sealing/keyring.ts";
import { needsSealing, listComplete, lockDataKeys, recordComplete } from "./keys.ts";

// A batch of this many rows takes about 50 ms, which limits how long a concurrent writer waits.
const defaultBatchRows = 500;

/**
 * Re-encrypts all values with the current key or, if there is none, decrypts them. Works in batches while servers run,
 * and can be resumed after an interruption. Returns the numbers of changed and of remaining values. Values remain only
 * if servers with other keys keep writing or a row stays locked; once none remain, only backups need the old keys.
 * @param options.say receives a progress line per column
 */
export async function sealAll(
  pool: Pool,
  columns: readonly SealedColumn[],
  { say }: { readonly say: (line: string) => void },
): Promise<{ readonly changed: number; readonly left: number }> {
  const { currentId } = pool.keys;
  let [changed, left] = [0, 0];
  for (const column of columns) {
    let [done, round] = [0, 0];
    // Another pass handles rows that a writer had locked, or wrote behind the cursor of this pass.
    do done += round = await sealOnce(pool, column);
    while (round > 0);
    const [row] = await inLongTransaction(
      pool,
      (tx) => tx<[{ left: number }]>`
        select count(*) as left from ${sql.identifier(column.table)} where ${needsSealing(tx, column)}`,
    );
    say(`${nameColumn(column)}: ${done} values ${currentId ? "encrypted" : "decrypted"}, ${row.left} still to do`);
    changed += done;
    left += row.left;
  }
  await inLongTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    const complete = await listComplete(tx, columns);
    if (currentId !== undefined) await recordComplete(tx, currentId, complete);
    if (complete.length === columns.length)
      await tx`delete from platform.data_key where id is distinct from ${currentId ?? null}`;
  });
  return { changed, left };
}

/** The values of the primary key's columns as text, in the same sequence as in the column's `key`. */
type RowKey = readonly string[];

async function sealOnce(pool: Pool, column: SealedColumn): Promise<number> {
  const [names, types] = [Object.keys(column.key), Object.values(column.key)];
  const place = sql.raw(names.join(", "));
  const toPart = (value: string, index: number) => sql`${value}::text::${sql.raw(types[index] ?? "text")}`;
  let changed = 0;
  let after: RowKey | undefined;
  do {
    const from = after;
    const rows = await inTransaction(pool, async (tx) => {
      const found = await tx<{ key: RowKey; plain: string; apart: string | null }[]>`
        select array[${sql.raw(names.map((name) => `${name}::text`).join(", "))}] as key, ${sql.identifier(column.column)} as plain,
          ${column.sealedIn === undefined ? sql`null::text` : sql.identifier(column.sealedIn)} as apart
        from ${sql.identifier(column.table)}
        where ${needsSealing(tx, column)} ${from ? sql`and (${place}) > (${sql.join(from.map(toPart), ", ")})` : sql``}
        order by ${place} limit ${column.batchRows ?? defaultBatchRows} for update skip locked`;
      const sealed = found.map(({ key, plain, apart }) => ({
        key,
        stored: toStoredValue(tx.keys, column, toText(tx.keys, column, plain, apart)),
      }));
      if (sealed.length > 0) await storeSealed(tx, column, sealed);
      return found;
    });
    changed += rows.length;
    after = rows.at(-1)?.key;
  } while (after);
  return changed;
}

async function storeSealed(
  tx: Db,
  { table, column, sealedIn, found, key }: SealedColumn,
  rows: readonly { readonly key: RowKey; readonly stored: StoredValue }[],
): Promise<void> {
  const keys = Object.entries(key).map(([name, type], index) => ({
    alias: sql.raw(`key_${index}`),
    list: sql`${rows.map((row) => row.key[index] ?? "")}::text[]`,
    same: sql.raw(`kept.${name} = new.key_${index}::${type}`),
  }));
  const given = [
    sql`${sql.identifier(column)} = new.plain`,
    ...(sealedIn === undefined ? [] : [sql`${sql.identifier(sealedIn)} = new.apart`]),
    ...(found === undefined || found === column ? [] : [sql`${sql.identifier(found)} = new.found`]),
  ];
  const listOf = (part: keyof StoredValue) => sql`${rows.map(({ stored }) => stored[part])}::text[]`;
  const lists = [listOf("plain"), listOf("apart"), listOf("found"), ...keys.map(({ list }) => list)];
  const aliases = keys.map(({ alias }) => alias);
  const same = keys.map((one) => one.same);
  await tx`
    update ${sql.identifier(table)} as kept set ${sql.join(given, ", ")}
    from unnest(${sql.join(lists, ", ")}) as new (plain, apart, found, ${sql.join(aliases, ", ")})
    where ${sql.join(same, " and ")}`;
}
