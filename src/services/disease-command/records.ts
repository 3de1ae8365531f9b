import type { JsonText } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { type Db, startStatement, Within } from "#platform/database/index.ts";
import { referenceUploads, releaseUploads } from "#platform/files/upload.ts";
import type { Settings } from "#platform/process/config.ts";
import {
  deleteRecords,
  findRecord,
  insertRecord,
  type ListQuery,
  readJson,
  type RecordBody,
  type RecordTable,
  updateRecord,
  writePage,
} from "./record-store.ts";

export const service = "disease-command";

const { everywhere } = Within;

interface Scoped {
  /** Undefined in operations that are closed to scoped accounts. */
  readonly within: Within | undefined;
}

interface Writing<Body> extends Scoped {
  readonly db: Db;
  readonly body: Body;
  readonly audit: { records: (string | number)[] };
}

export const keepRecords = (table: RecordTable, settings: Settings) => ({
  page: async ({ db, query, within = everywhere }: Scoped & { db: Db; query: ListQuery }): Promise<JsonText> => {
    const statement = startStatement();
    return found(await readJson(db, statement, writePage(statement, table, settings, query, within)));
  },

  info: async ({ db, params, within = everywhere }: Scoped & { db: Db; params: { id: number } }): Promise<JsonText> =>
    found(await findRecord(db, table, settings, { column: "id", value: params.id, within })),

  save: async ({ db, body, audit, within = everywhere }: Writing<RecordBody>): Promise<string> => {
    const id = await insertRecord(db, table, settings, body, within);
    await holdFiles(db, table, id, body);
    audit.records = [id];
    return String(id);
  },

  update: async ({
    db,
    body,
    audit,
    within = everywhere,
  }: Writing<RecordBody & { id?: number | undefined }>): Promise<string> => {
    const { id, ...change } = body;
    if (id === undefined) throw new Problem("idMissing");
    if (!(await updateRecord(db, table, settings, id, change, within))) throw new Problem("notFound");
    await holdFiles(db, table, id, change);
    audit.records = [id];
    return "1";
  },

  remove: async ({ db, body, audit, within = everywhere }: Writing<readonly number[]>): Promise<string> => {
    if (body.length === 0) throw new Problem("idMissing");
    const deleted = await deleteRecords(db, table, body, within);
    if (deleted.length === 0) throw new Problem("notFound");
    if (table.files !== undefined)
      await releaseUploads(db, { service, records: deleted.map((id) => toHolder(table, id)), removal: "afterADay" });
    audit.records = deleted;
    return String(deleted.length);
  },
});

const toHolder = ({ table }: RecordTable, id: number): string => `${table.slice(table.indexOf(".") + 1)}/${id}`;

/**
 * Claims the uploads named in the body. If the body lacks the field for uploads, nothing changes.
 * @throws {Problem} notAllowedNow if a name is not the name of an upload
 */
async function holdFiles(tx: Db, table: RecordTable, id: number, body: RecordBody): Promise<void> {
  const { files, hasOneFile } = table;
  const given = files === undefined ? undefined : body[files];
  if (files === undefined || typeof given !== "string") return;
  const listed = hasOneFile ? [given] : given.split(",").map((name) => name.trim());
  const names = given === "" ? [] : [...new Set(listed)];
  const held = await referenceUploads(tx, { service, record: toHolder(table, id) }, names);
  if (held.length < names.length)
    throw explain(
      "notAllowedNow",
      `${files}: 应为上传返回的文件名`,
      `${files}: must be a file name returned by an upload`,
    );
}
