import { type Db, copyIn, toCopyLine } from "#platform/database/index.ts";
import { type Block, idsInBlock, type OldTables, type Selection } from "./old-tables.ts";
import type { Source } from "./source.ts";

/** The blocks of a record that have new, changed, refused or deleted rows. */
export interface Changes extends Selection {
  readonly total: number;
  /** SQL that is true if the row `known` is in an unchanged block. */
  readonly isUnchanged: string;
}

export const listFields = ({ mapped }: Source): string[] => Object.keys(mapped.columns).toSorted();

/**
 * Finds the changed blocks of each record, if the old server can compute digests. A record that is not in the result
 * must be read entirely.
 */
export async function findChanges(
  tx: Db,
  old: OldTables,
  sources: readonly Source[],
): Promise<ReadonlyMap<Source, Changes>> {
  const found = new Map<Source, Changes>();
  if (!old.readBlocks) return found;
  for (const source of sources) {
    const table = `"blocks_${source.record.name}"`;
    const total = await copyBlocks(tx, old, source, table);
    const blocks = await tx.query<{ at: string }>(
      `with known as (select old_id / ${idsInBlock} as at, count(*) as rows,
           bit_xor(('x' || right(digest::text, 12))::bit(48)::bigint) as digest
         from platform.old_row where record = $1 group by 1)
       delete from ${table} as there where not exists (
         select from known where known.at = there.at and known.rows = there.rows and known.digest = there.digest)
       returning at::text`,
      [source.name],
    );
    const isUnchanged = `exists (select from ${table} as block where block.at = known.old_id / ${idsInBlock})`;
    found.set(source, {
      total,
      isUnchanged,
      key: source.mapped.columns["id"] ?? "",
      blocks: blocks.map(({ at }) => at),
    });
  }
  return found;
}

async function copyBlocks(tx: Db, old: OldTables, source: Source, into: string): Promise<number> {
  const { table, columns } = source.mapped;
  // `at` is numeric, since the ids of an old table may exceed bigint.
  await tx.script(`create temporary table ${into} (at numeric, rows bigint, digest bigint) on commit drop`);
  let total = 0;
  const lines: string[] = [];
  const take = (block: Block): void => {
    total += Number(block[1]);
    lines.push(toCopyLine(block));
  };
  const ofFields = listFields(source).map((field) => columns[field] ?? "");
  await old.readBlocks?.({ table, key: columns["id"] ?? "", columns: ofFields }, take);
  await copyIn(tx, into, lines);
  await tx.script(`analyze ${into}`);
  return total;
}
