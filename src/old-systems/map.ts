import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import * as z from "zod";

const zone = z.string().refine((name) => isZone(name), { error: "must be a time zone such as Asia/Shanghai" });

const record = z.object({
  table: z.string(),
  columns: z.record(z.string(), z.string()),
  /** Constants for the fields that have no column in the old database. */
  values: z.record(z.string(), z.string()).default({}),
  zone: zone.optional(),
});

const map = z.object({
  zone,
  gap: z.int().min(0).max(1_000_000_000),
  records: z.record(z.string(), record),
  uploads: z.record(z.string(), z.object({ folder: z.string(), address: z.string() })).default({}),
});

export type OldMap = z.output<typeof map>;

function isZone(name: string): boolean {
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId !== "";
  } catch {
    return false;
  }
}

/**
 * @param known the names of records, such as "reporting.reports"
 * @throws {Error} if the map file cannot be read or is invalid; the message describes the fault
 */
export async function readMap(file: string, known: ReadonlySet<string>): Promise<OldMap> {
  const fail = (why: string): never => {
    throw new Error(`${file} is not a valid map file: ${why}`);
  };
  const text = await readFile(file, "utf8");
  let given: unknown;
  try {
    given = parse(text);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  const read = map.safeParse(given);
  if (!read.success) return fail(z.prettifyError(read.error));
  for (const [name, { columns }] of Object.entries(read.data.records)) {
    if (!known.has(name)) fail(`unknown record ${name}; the known records are ${[...known].join(", ")}`);
    if (columns["id"] === undefined) fail(`${name} has no column for id, which identifies its rows`);
  }
  const tables = Object.values(read.data.records).map(({ table }) => table);
  const twice = tables.find((table, at) => tables.indexOf(table) !== at);
  return twice === undefined ? read.data : fail(`table ${twice} is assigned to two records`);
}
