import { createReadStream } from "node:fs";
import { countOf } from "#platform/contract/language.ts";
import { type Db, sql } from "#platform/database/index.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import { rawTable, type Source, stagedTable } from "./source.ts";
import { sha256Of, toOldFile, type UploadPlace } from "./uploads.ts";

interface Comparing {
  readonly read: number;
  readonly zone: string;
  readonly say: (line: string) => void;
}

/**
 * Compares the staged rows of a source with this database and returns the number of differences. Rows that were refused,
 * and rows that were changed or deleted here, are reported but not counted.
 */
export async function compareRecord(tx: Db, source: Source, { read, zone, say }: Comparing): Promise<number> {
  const rows = await tx.query<{ fate: string; count: number }>(
    `select fate, count(*) as count from ${stagedTable(source)} group by fate`,
    [],
  );
  const counts = new Map(rows.map(({ fate, count }) => [fate, count]));
  const of = (fate: string): number => counts.get(fate) ?? 0;
  const gone = await tx.value<number>`
    select count(*) from platform.old_row as known where record = ${source.name} and not exists (
      select from ${sql.raw(rawTable(source))} as raw where raw.old_id = known.old_id)`;
  const staged = rows.reduce((sum, { count }) => sum + count, 0);
  const differing = of("new") + of("changed") + gone;
  say(
    `${source.name}: ${read} read, ${of("same")} identical, ${read - staged} refused, ${of("new")} missing, ` +
      `${of("changed")} changed in the old system, ${of("kept")} changed in Quintet, ${of("lost")} deleted in Quintet, ${gone} deleted in the old system`,
  );
  return differing + (await compareCounts(tx, source, zone, say));
}

interface Counted {
  readonly what: string | null;
  readonly old_count: number;
  readonly our_count: number;
  readonly old_sum: string;
  readonly our_sum: string;
}

async function compareCounts(tx: Db, source: Source, zone: string, say: Comparing["say"]): Promise<number> {
  const { by = "''", sum = "0" } = source.record.counted ?? {};
  const describe = (rows: number, total: string): string =>
    countOf(rows, "row") + (source.record.counted?.sum === undefined ? "" : ` with sum ${total}`);
  await tx.query("select set_config('timezone', $1, true)", [zone]);
  const side = (table: string, count: string, total: string): string =>
    `select ${by} as what, ${count}, ${total} from ${table} group by 1`;
  const differing = await tx.query<Counted>(
    `select what, sum(old_count) as old_count, sum(our_count) as our_count, sum(old_sum)::text as old_sum,
       sum(our_sum)::text as our_sum from (
       ${side(`(select * from ${stagedTable(source)} where fate = 'same') as old`, "count(*) as old_count, 0 as our_count", `sum(${sum}) as old_sum, 0 as our_sum`)}
       union all
       ${side(`(select here.* from ${source.record.table} as here where id in (select id from ${stagedTable(source)} where fate = 'same')) as ours`, "0, count(*)", `0, sum(${sum})`)}
     ) as sides group by what having sum(old_count) <> sum(our_count) or sum(old_sum) <> sum(our_sum) order by what`,
    [],
  );
  await tx.query("select set_config('timezone', 'UTC', true)", []);
  for (const { what, old_count, our_count, old_sum, our_sum } of differing)
    say(
      `${source.name}${what ? `, ${what}` : ""}: the totals differ: ` +
        `${describe(old_count, old_sum)} in the old system, ${describe(our_count, our_sum)} in Quintet`,
    );
  return differing.length;
}

type OldPlace = Pick<UploadPlace, "folder" | "address" | "service">;

export async function compareUploads(
  tx: Db,
  place: OldPlace,
  { place: { files }, say }: { readonly place: { readonly files: FileStore }; readonly say: Comparing["say"] },
): Promise<number> {
  const copied = await tx<{ address: string; upload: string }[]>`
    select address, upload from platform.old_file where service = ${place.service} order by address`;
  let differing = 0;
  for (const { address, upload } of copied) {
    const ours = await files.open(upload);
    const old = toOldFile(place, address);
    const [there, here] = await Promise.all([
      old ? sha256Of(createReadStream(old)).catch(() => undefined) : undefined,
      ours && sha256Of(ours.stream),
    ]);
    if (there && here && there.equals(here)) continue;
    differing++;
    say(`${place.service}, ${address}: the file is missing or different`);
  }
  say(`${place.service}: ${copied.length} files, ${differing} differ`);
  return differing;
}
