import type { Db } from "#platform/database.ts";
import type { Settings } from "#platform/config.ts";
import type { JsonText } from "#platform/envelope.ts";
import { claimUploads } from "#platform/files/upload.ts";
import { explain, Problem } from "#platform/problem.ts";
import { startStatement } from "#platform/statement.ts";
import {
  deleteRecords,
  findRecord,
  insertRecord,
  type ListQuery,
  readJson,
  type RecordBody,
  updateRecord,
  writePage,
} from "./record-store.ts";
import { type RecordTable } from "./record-table.ts";

export const service = "disease-command";

interface Reading {
  readonly db: Db;
}

interface Writing extends Reading {
  readonly audit: { records: (string | number)[] };
}

/** The handlers of a module that is only create, read, update and delete. */
export const keepRecords = (table: RecordTable, settings: Settings) => ({
  page: async ({ db, query }: Reading & { query: ListQuery }): Promise<JsonText> => {
    const statement = startStatement();
    return found(await readJson(db, statement, writePage(statement, table, settings, query)));
  },

  info: async ({ db, params }: Reading & { params: { id: number } }): Promise<JsonText> =>
    found(await findRecord(db, table, settings, { column: "id", value: params.id })),

  save: async ({ db, body, audit }: Writing & { body: RecordBody }): Promise<string> => {
    await claimFiles(db, table, body);
    const id = await insertRecord(db, table, settings, body);
    audit.records = [id];
    return String(id);
  },

  update: async ({
    db,
    body,
    audit,
  }: Writing & { body: RecordBody & { id?: number | undefined } }): Promise<string> => {
    const { id, ...change } = body;
    if (id === undefined) throw new Problem("idMissing");
    await claimFiles(db, table, change);
    if (!(await updateRecord(db, table, settings, id, change))) throw new Problem("notFound");
    audit.records = [id];
    return "1";
  },

  remove: async ({ db, body, audit }: Writing & { body: readonly number[] }): Promise<string> => {
    if (body.length === 0) throw new Problem("idMissing");
    audit.records = await deleteRecords(db, table, body);
    if (audit.records.length === 0) throw new Problem("notFound");
    return String(audit.records.length);
  },
});

/** What was read. @throws {Problem} notFound. */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw new Problem("notFound");
  return record;
}

/** Keeps the uploads that a record names from being removed. @throws {Problem} notAllowedNow when one is none. */
async function claimFiles(tx: Db, { files }: RecordTable, body: RecordBody): Promise<void> {
  const given = files === undefined ? undefined : body[files];
  if (files === undefined || typeof given !== "string" || given === "") return;
  const names = new Set(given.split(",").map((name) => name.trim()));
  const claimed = await claimUploads(tx, service, [...names]);
  if (claimed.length < names.size)
    throw explain("notAllowedNow", `${files}: 应为上传返回的文件名`, `${files}: must be what an upload returned`);
}
