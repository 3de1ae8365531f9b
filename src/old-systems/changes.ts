import { type Db, openCopyIn, toCopyLine } from "#platform/database/index.ts";
import type { OldTables, Selection } from "./old-tables.ts";
import type { Source } from "./staging.ts";

export interface Changes extends Selection {
  readonly total: number;
  readonly present: string;
}

// Above this fraction of changed rows, reading the whole table is faster.
const mostChanged = 0.1;
const longestKey = 2n ** 63n - 1n;
const isKey = (text: string): boolean => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= longestKey;

export const listFields = ({ mapped }: Source): string[] => Object.keys(mapped.columns).toSorted();

/** Changes by record, if the old server can compute digests; a record that is absent must be read entirely. */
export async function findChanges(
  tx: Db,
  old: OldTables,
  sources: readonly Source[],
): Promise<ReadonlyMap<Source, Changes>> {
  const found = new Map<Source, Changes>();
  if (!old.readDigests) return found;
  for (const source of sources) {
    const present = `"present_${source.record.name}"`;
    const total = await copyDigests(tx, old, source, present);
    if (total === undefined) continue;
    const keys = await tx.query<{ key: string }>(
      `select there.old_id::text as key from ${present} as there left join platform.old_row as known
         on known.record = $1 and known.old_id = there.old_id
       group by there.old_id having count(*) > 1 or bool_or(known.digest is distinct from there.digest)`,
      [source.name],
    );
    if (keys.length > total * mostChanged) continue;
    found.set(source, { total, present, key: source.mapped.columns["id"] ?? "", keys: keys.map(({ key }) => key) });
  }
  return found;
}

async function copyDigests(tx: Db, old: OldTables, source: Source, present: string): Promise<number | undefined> {
  const { table, columns } = source.mapped;
  await tx.script(`create temporary table ${present} (old_id bigint, digest uuid) on commit drop`);
  const copy = await openCopyIn(tx, present);
  let total: number | undefined = 0;
  let lines = "";
  const take = (key: string | null, digest: string | null): void => {
    if (key === null || !isKey(key)) total = undefined;
    else lines += toCopyLine([key, digest]);
    if (total !== undefined) total++;
  };
  const settle = async (): Promise<void> => {
    await copy.write(lines);
    lines = "";
  };
  const ofFields = listFields(source).map((field) => columns[field] ?? "");
  await old.readDigests?.({ table, key: columns["id"] ?? "", columns: ofFields }, take, settle);
  await copy.finish();
  await tx.script(`analyze ${present}`);
  return total;
}
