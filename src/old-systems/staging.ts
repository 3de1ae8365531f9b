import { type CopyIn, type CopyValue, type Db, openCopyIn, toCopyLine } from "#platform/database/index.ts";
import { OldRow } from "#platform/process/old-row.ts";
import { findChanges, listFields } from "./changes.ts";
import type { OldMap } from "./map.ts";
import { digestOf, type OldReader, type OldTable, type OldTables, type OldValue } from "./old-tables.ts";
import { rawTable, type Source, type Tell } from "./source.ts";
import type { Uploads } from "./uploads.ts";

// The files of this many rows are copied concurrently, since copying a file mostly waits for the disk.
const rowsAtOnce = 16;
const ownColumns = ["old_id", "line", "digest"];

async function createRaw(tx: Db, source: Source): Promise<void> {
  const { table, columns, staged = {} } = source.record;
  const own = ["add old_id bigint", "add line bigint", "add digest uuid"];
  const more = Object.entries(staged).map(([name, type]) => `add ${name} ${type}`);
  await tx.script(`create temporary table ${rawTable(source)} on commit drop as
    select ${columns.join(", ")} from ${table} with no data`);
  await tx.script(`alter table ${rawTable(source)} ${[...own, ...more].join(", ")}`);
}

interface Pending {
  readonly source: Source;
  readonly key: string;
  readonly line: number;
  readonly digest: string;
  readonly values: Record<string, CopyValue>;
}

export interface Staged {
  readonly read: number;
  /** The number of rows that the old server did not send because they are unchanged. */
  readonly unsent: number;
  /** SQL that is true if the row `known` is unchanged and was therefore not read. */
  readonly isUnchanged: string;
  readonly refused: ReadonlySet<string>;
}

export async function stage(
  tx: Db,
  { old: tables, map, sources, isAgain, uploads, tell }: Staging,
): Promise<ReadonlyMap<Source, Staged>> {
  for (const source of sources) await createRaw(tx, source);
  const byTable = new Map(sources.map((source) => [source.mapped.table, source]));
  const changes = await findChanges(tx, tables, isAgain ? sources : []);
  const counts = new Map(sources.map((source) => [source, { read: 0, refused: new Set<string>() }]));
  const rows = openRows(tx);
  let pending: Pending[] = [];
  const seen = new Set<string>();
  const reader: OldReader = {
    table: (table) => {
      const source = byTable.get(table.name);
      if (!source) return;
      seen.add(table.name);
      requireColumns(source, table);
    },
    wants: (table) => byTable.has(table),
    row: (table, values) => {
      const source = byTable.get(table.name);
      const count = source && counts.get(source);
      if (!count) return;
      count.read++;
      const old = openRow(source, map, table, values);
      const key = old.id();
      const row = source.record.toRow(old, tx.keys);
      for (const finding of old.findings) tell(source, key, finding);
      if (old.isRefused) count.refused.add(key);
      else pending.push({ source, key, line: count.read, digest: digest(source, old), values: { ...row } });
    },
    settle: async () => {
      for (let at = 0; at < pending.length; at += rowsAtOnce) {
        const some = pending.slice(at, at + rowsAtOnce);
        await Promise.all(some.map(async ({ source, key, values }) => uploads?.replace(source, key, values)));
      }
      for (const { source, key, values, line, digest: made } of pending) {
        await rows.write(
          source,
          toCopyLine([key, line, made, ...listColumns(source).map((name) => values[name] ?? null)]),
        );
      }
      pending = [];
    },
  };
  try {
    await tables.read(reader, new Map([...changes].map(([{ mapped }, found]) => [mapped.table, found])));
  } catch (error) {
    // An open COPY would prevent the transaction's rollback.
    rows.abandon();
    throw error;
  }
  await rows.finish();
  for (const table of byTable.keys()) if (!seen.has(table)) throw new Error(`The old database has no table ${table}.`);
  return new Map(
    [...counts].map(([source, { read, refused }]) => {
      const { total = read, isUnchanged = "false" } = changes.get(source) ?? {};
      return [source, { read: total, unsent: total - read, isUnchanged, refused }];
    }),
  );
}

export interface Staging {
  readonly old: OldTables;
  readonly map: OldMap;
  readonly sources: readonly Source[];
  readonly isAgain: boolean;
  readonly uploads?: Uploads | undefined;
  readonly tell: Tell;
}

const listColumns = ({ record }: Source): string[] => [...record.columns, ...Object.keys(record.staged ?? {})];

function requireColumns({ name, mapped }: Source, { name: table, columns }: OldTable): void {
  const missing = Object.values(mapped.columns).find((column) => columns.length > 0 && !columns.includes(column));
  if (missing !== undefined) throw new Error(`${name}: the table ${table} has no column ${missing}.`);
}

const places = new WeakMap<readonly string[], Map<string, number>>();
function placeOf({ columns }: OldTable, column: string): number {
  let known = places.get(columns);
  if (!known) places.set(columns, (known = new Map(columns.map((name, at) => [name, at]))));
  return known.get(column) ?? -1;
}

function openRow({ mapped }: Source, map: OldMap, table: OldTable, values: readonly OldValue[]): OldRow {
  const columnOf = (field: string): string => mapped.columns[field] ?? "";
  return new OldRow(
    (field) => values[placeOf(table, columnOf(field))] ?? mapped.values[field] ?? null,
    (field) => (table.inUtc.has(columnOf(field)) ? "UTC" : (mapped.zone ?? map.zone)),
  );
}

const digest = (source: Source, old: OldRow): string => digestOf(listFields(source).map((field) => old.raw(field)));

/**
 * A connection can run only one COPY at a time, so the COPY into one source's table ends when a row of another source
 * arrives.
 */
function openRows(tx: Db) {
  let open: { readonly source: Source; readonly copy: CopyIn } | undefined;
  const finish = async (): Promise<void> => {
    await open?.copy.finish();
    open = undefined;
  };
  return {
    async write(source: Source, line: string): Promise<void> {
      if (open?.source !== source) {
        await finish();
        const columns = [...ownColumns, ...listColumns(source)].join(", ");
        open = { source, copy: await openCopyIn(tx, `${rawTable(source)} (${columns})`) };
      }
      await open.copy.write(line);
    },
    finish,
    abandon: (): void => open?.copy.abandon(),
  };
}
