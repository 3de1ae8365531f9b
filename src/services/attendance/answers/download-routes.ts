import type { Readable } from "node:stream";
import { toPage } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { WORKBOOK_MIME } from "#platform/workbooks/index.ts";
import { titleRow } from "#services/attendance/analysis/analysis.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { readBasis } from "#services/attendance/coverage-store.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { tellMonth } from "#services/attendance/import/told.ts";
import type { Units } from "#services/attendance/import/workbook/index.ts";
import { dayOfInstant } from "#services/attendance/local-times.ts";
import { auditReading, type Reading } from "./audit-reading.ts";
import { streamComparison } from "./comparison-store.ts";
import { exportComparison } from "./export-comparison.ts";
import { describeBasis, type Notes } from "./export-notes.ts";
import { exportMonth } from "./export.ts";
import { type FinishedMonth, getFinished } from "./finished-month.ts";
import { jsonHeaders, streamEnvelope } from "./json-answer.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { countResults, type ResultFilter, type RowSource, streamResults } from "./result-store.ts";
import { streamSnapshot } from "./snapshot.ts";
import { findVersion, type VersionRow } from "./version-store.ts";
import { maskIdCards } from "./wire-rows.ts";

// What gives out whole rows, identity cards with them: each leaves a line in the audit log.

type Endpoints = typeof endpoints;
type Downloads = Pick<Handlers<Endpoints>, "download" | "readVersion" | "compare">;

export function downloadHandlers(platform: Platform, chooseMonth: ChooseMonth): Downloads {
  const { pool, settings, clock } = platform;
  const zone = settings.TIME_ZONE;
  const now = () => formatDateTime(new Date(clock()), zone);

  return {
    download: async (call) => {
      const { db, query, request } = call;
      const month = await chooseMonth(db, query.month);
      const version = await findLockedVersion(db, await getFinished(db, month));
      // Nothing leaves with a HEAD request, so nobody has read anything.
      const headers = headersOf(month, version, query.format);
      if (request.method === "HEAD") return { headers };
      const openRows = async (snapshot: Db): Promise<Readable> => {
        const state = await getFinished(snapshot, month);
        const describe = () => (version ? toNotes(version) : describeMonth(snapshot, state));
        return streamRows(snapshot, call, { source: { month }, month, describe });
      };
      const read = { action: "download", months: [month], version, page: toPageRead(query) } as const;
      return { headers, open: () => openNoted(call, read, openRows) };
    },

    readVersion: async (call) => {
      const { db, params, query, request } = call;
      const version = await getVersion(db, params.id);
      const { month } = version;
      const headers = headersOf(month, version, query.format);
      if (request.method === "HEAD") return { headers };
      const read = { action: "readVersion", months: [month], version, page: toPageRead(query) } as const;
      const rows = { source: { version: version.id }, month, describe: () => toNotes(version) };
      return { headers, open: () => openNoted(call, read, (snapshot) => streamRows(snapshot, call, rows)) };
    },

    compare: async (call) => {
      const { db, query, language, request } = call;
      const { month, with: other = "", department, changed: isChanged = false, format } = query;
      if ((query.with === undefined) === (query.version === undefined))
        throw explain("badFormat", "with 与 version 应填写其一", "either with or version must be given");
      const { version } = await checkCompared(db, query);
      const headers = format === "xlsx" ? comparisonHeaders(month) : jsonHeaders;
      if (request.method === "HEAD") return { headers };
      const months = query.with === undefined ? [month] : [month, other];
      const openRows = async (snapshot: Db): Promise<Readable> => {
        const { one } = await checkCompared(snapshot, query);
        const against: RowSource = version ? { version: version.id } : { month: other };
        const rows = streamComparison(snapshot, { month }, against, {
          department,
          changed: isChanged ? (version ? "row" : "figures") : undefined,
        });
        if (format !== "xlsx") return streamEnvelope(rows, language);
        const names = [month, version ? `第${version.number}版` : other] as const;
        return exportComparison({ names, bucketEdges: one.settings.bucketEdges, rows });
      };
      return { headers, open: () => openNoted(call, { action: "compare", months, version }, openRows) };
    },
  };

  // The line is written before the snapshot is opened: whoever held a connection and asked for another could wait for ever.
  async function openNoted(call: ReadingCall, read: Read, openRows: (db: Db) => Promise<Readable>): Promise<Readable> {
    await noteReading(call, read);
    return streamSnapshot(pool, openRows);
  }

  async function describeMonth(db: Db, state: FinishedMonth): Promise<Described> {
    const { plan } = await readBasis(db, state);
    const { month, settings: used } = state;
    const warnings = await tellMonth(db, state, dayOfInstant(clock(), zone));
    const notes = { month, madeAt: now(), covered: toCovered(state.spans), settings: used, warnings };
    return { notes, units: plan.units };
  }

  async function toNotes(version: VersionRow): Promise<Described> {
    const { month, covered, settings: used, warnings, number, lockedAt, lockedBy, note, units } = version;
    const of = { number, lockTime: formatDateTime(lockedAt, zone), lockedBy, note };
    return { notes: { month, madeAt: now(), covered, settings: used, warnings, version: of }, units };
  }
}

/** What a workbook tells beside its rows. */
interface Described {
  readonly notes: Notes;
  readonly units: Units;
}

type RowsCall = Call<Endpoints["readVersion"]> | Call<Endpoints["download"]>;

interface Rows {
  readonly source: RowSource;
  readonly month: string;
  /** For a workbook. */
  readonly describe: () => Promise<Described>;
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

const workbookHeaders = (name: string): Record<string, string> => ({
  "content-type": WORKBOOK_MIME,
  "content-disposition": `attachment; filename="${name}.xlsx"`,
});

const comparisonHeaders = (month: string) => workbookHeaders(`attendance-${month}-compared`);

/** The version that a locked month is frozen at. */
const findLockedVersion = async (db: Db, { version }: FinishedMonth): Promise<VersionRow | undefined> =>
  version === null ? undefined : findVersion(db, version);

async function getVersion(db: Db, id: number): Promise<VersionRow> {
  const version = await findVersion(db, id);
  if (!version) throw new Problem("notFound");
  return version;
}

interface Compared {
  readonly month: string;
  readonly with?: string | undefined;
  readonly version?: number | undefined;
}

/** @throws {Problem} notFound where one of the two is not there to be compared. */
async function checkCompared(db: Db, { month, with: other, version: id }: Compared) {
  const one = await getFinished(db, month);
  if (other !== undefined) await getFinished(db, other);
  const version = id === undefined ? undefined : await getVersion(db, id);
  if (version && version.month !== month) throw new Problem("notFound");
  return { one, version };
}

type ReadingCall = Pick<Call<Endpoints["download"]>, "db" | "caller" | "address">;
type Read = Pick<Reading, "action" | "page"> & {
  readonly months: readonly string[];
  readonly version: VersionRow | undefined;
};

async function noteReading({ db, caller, address }: ReadingCall, { months, version, ...read }: Read): Promise<void> {
  if (!caller) return;
  const records = version ? [...months, `version ${version.number}`] : months;
  await auditReading(db, { ...read, records, caller, address });
}

/** The page of rows that is read; a workbook has them all. */
const toPageRead = ({ format, curPage }: { readonly format?: Format; readonly curPage?: number | undefined }) =>
  format === "xlsx" ? undefined : curPage;
