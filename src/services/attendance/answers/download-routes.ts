import type { Readable } from "node:stream";
import { toPage } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import { titleRow } from "#services/attendance/analysis/analysis.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { type Described, describeMonth, describeVersion } from "./described-month.ts";
import { describeBasis } from "./export-notes.ts";
import { exportMonth } from "./export.ts";
import { type FinishedMonth, getFinished, getVersion } from "./finished-month.ts";
import { jsonHeaders, streamEnvelope } from "./json-answer.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { openNoted } from "./noted-rows.ts";
import { countResults, type ResultFilter, type RowSource, streamResults } from "./result-store.ts";
import { findVersion, type VersionRow } from "./version-store.ts";
import { maskIdCards } from "./wire-rows.ts";

type Endpoints = Pick<typeof endpoints, "download" | "readVersion">;

/** The handlers that give out a month's rows: as they are now, or as a version has them. */
export const downloadHandlers = (platform: Platform, chooseMonth: ChooseMonth): Handlers<Endpoints> => ({
  download: async (call) => {
    const { db, query, request } = call;
    const month = await chooseMonth(db, query.month);
    const version = await findLockedVersion(db, await getFinished(db, month));
    const headers = headersOf(month, version, query.format);
    // Nothing leaves with a HEAD request, so nobody has read anything.
    if (request.method === "HEAD") return { headers };
    const openRows = async (snapshot: Db): Promise<Readable> => {
      const state = await getFinished(snapshot, month);
      const describe = () => (version ? describeVersion(version, platform) : describeMonth(snapshot, state, platform));
      return streamRows(snapshot, call, { source: { month }, month, describe });
    };
    const read = { action: "download", months: [month], version, page: toPageRead(query) } as const;
    return { headers, open: () => openNoted(platform.pool, call, read, openRows) };
  },

  readVersion: async (call) => {
    const { db, params, query, request } = call;
    const version = await getVersion(db, params.id);
    const { month } = version;
    const headers = headersOf(month, version, query.format);
    if (request.method === "HEAD") return { headers };
    const read = { action: "readVersion", months: [month], version, page: toPageRead(query) } as const;
    const rows = { source: { version: version.id }, month, describe: () => describeVersion(version, platform) };
    return {
      headers,
      open: () => openNoted(platform.pool, call, read, (snapshot) => streamRows(snapshot, call, rows)),
    };
  },
});

type RowsCall = Call<Endpoints["readVersion"]> | Call<Endpoints["download"]>;

interface Rows {
  readonly source: RowSource;
  readonly month: string;
  /** For a workbook. */
  readonly describe: () => Described | Promise<Described>;
}

/** The rows as the call asks for them: a workbook, one page, or all. */
async function streamRows(db: Db, call: RowsCall, { source, month, describe }: Rows): Promise<Readable> {
  const { query, caller, language } = call;
  const filter: ResultFilter = { department: query.department, group: query.groupOfCheck, name: query.name };
  const span = toSpan(query);
  const described = query.format === "xlsx" ? await describe() : undefined;
  const count = span && !described ? await countResults(db, source, filter) : 0;
  const stored = streamResults(db, source, filter, span);
  const rows = caller ? stored : maskIdCards(stored);
  if (described) return writeMonth(month, described, rows, language);
  if (!span) return streamEnvelope(rows, language);
  const page = toPage([], count, { currPage: query.curPage ?? 1, pageSize: query.pageSize });
  return streamEnvelope(rows, language, (list) => ({ ...page, list }));
}

const toSpan = ({ curPage, pageSize }: { readonly curPage?: number | undefined; readonly pageSize: number }) =>
  curPage === undefined ? undefined : { offset: (curPage - 1) * pageSize, limit: pageSize };

function writeMonth(
  month: string,
  { notes, units }: Described,
  rows: AsyncIterable<readonly string[]>,
  language: Language,
) {
  const { id: _id, userId: _userId, workName: _workName, ...days } = titleRow(month);
  const weekdays = Object.values(days as Record<string, string>).filter((weekday) => weekday !== "");
  const { bucketEdges } = notes.settings;
  return exportMonth({ month, weekdays, bucketEdges, units, notes: describeBasis(notes, language), rows });
}

type Format = "json" | "xlsx" | undefined;

// What comes of a locked month says which version it is, JSON too.
function headersOf(month: string, version: VersionRow | undefined, format: Format): Record<string, string> {
  const name = version ? `attendance-${month}-v${version.number}` : `attendance-${month}`;
  if (format === "xlsx") return workbookHeaders(name);
  return version ? { ...jsonHeaders, "content-disposition": `inline; filename="${name}.json"` } : jsonHeaders;
}

/** The version that a locked month is frozen at. */
const findLockedVersion = async (db: Db, { version }: FinishedMonth): Promise<VersionRow | undefined> =>
  version === null ? undefined : findVersion(db, version);

/** The page of rows that is read; a workbook has them all. */
const toPageRead = ({ format, curPage }: { readonly format?: Format; readonly curPage?: number | undefined }) =>
  format === "xlsx" ? undefined : curPage;
