import { Readable } from "node:stream";
import { type AuditEntry, byCaller, isAudited, writeAudit } from "#platform/accounts/audit.ts";
import { succeed, toPage } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, openSnapshot, type Pool } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import { titleRow } from "#services/attendance/analysis/summary-row.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { dayOfInstant, toCovered } from "#services/attendance/days.ts";
import { tellMonth } from "#services/attendance/import/told.ts";
import { readBasis } from "#services/attendance/month-store.ts";
import type { Units } from "#services/attendance/workbook/headings.ts";
import { describeBasis, exportComparison, exportMonth, type Notes } from "./export.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { countResults, type ResultFilter, type RowSource, streamComparison, streamResults } from "./result-store.ts";
import { findVersion, type FinishedMonth, getFinished, getVersion, type VersionRow } from "./version-store.ts";

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

type Comparing = Pick<typeof endpoints, "compare">;
type CompareCall = Call<Comparing["compare"]>;

/** The handler that lays a month beside another, or beside a version of its own. */
export const compareHandlers = ({ pool }: Platform): Handlers<Comparing> => ({
  compare: async (call) => {
    const { db, query, request } = call;
    const { month, with: other } = query;
    if ((other === undefined) === (query.version === undefined))
      throw explain("badFormat", "with 与 version 应填写其一", "either with or version must be given");
    const { version } = await checkCompared(db, query);
    const headers = query.format === "xlsx" ? workbookHeaders(`attendance-${month}-compared`) : jsonHeaders;
    if (request.method === "HEAD") return { headers };
    const read = { action: "compare", months: other === undefined ? [month] : [month, other], version } as const;
    return { headers, open: () => openNoted(pool, call, read, (snapshot) => openComparison(snapshot, call)) };
  },
});

async function openComparison(snapshot: Db, { query, language }: CompareCall): Promise<Readable> {
  const { month, with: other = "", department, changed: isChanged = false, format } = query;
  const { one, version } = await checkCompared(snapshot, query);
  const against: RowSource = version ? { version: version.id } : { month: other };
  const changed = isChanged ? (version ? "row" : "figures") : undefined;
  const rows = streamComparison(snapshot, { month }, against, { department, changed });
  if (format !== "xlsx") return streamEnvelope(rows, language);
  const names = [month, version ? `第${version.number}版` : other] as const;
  return exportComparison({ names, bucketEdges: one.settings.bucketEdges, rows });
}

/** @throws {Problem} notFound where one of the two is not there to be compared. */
async function checkCompared(db: Db, { month, with: other, version: id }: CompareCall["query"]) {
  const one = await getFinished(db, month);
  if (other !== undefined) await getFinished(db, other);
  const version = id === undefined ? undefined : await getVersion(db, id);
  if (version && version.month !== month) throw new Problem("notFound");
  return { one, version };
}

/** What a workbook tells beside its rows. */
interface Described {
  readonly notes: Notes;
  readonly units: Units;
}

type Now = Pick<Platform, "settings" | "clock">;

/** An open month as it is now. */
async function describeMonth(db: Db, state: FinishedMonth, now: Now): Promise<Described> {
  const { plan } = await readBasis(db, state);
  const { month, settings } = state;
  const warnings = await tellMonth(db, state, dayOfInstant(now.clock(), now.settings.TIME_ZONE));
  return {
    notes: { month, madeAt: readTime(now), covered: toCovered(state.spans), settings, warnings },
    units: plan.units,
  };
}

/** A version, as it was when it was made. */
function describeVersion(row: VersionRow, now: Now): Described {
  const { month, covered, settings, warnings, number, lockedBy, note, units } = row;
  const version = { number, lockTime: formatDateTime(row.lockedAt, now.settings.TIME_ZONE), lockedBy, note };
  return { notes: { month, madeAt: readTime(now), covered, settings, warnings, version }, units };
}

const readTime = ({ settings, clock }: Now): string => formatDateTime(new Date(clock()), settings.TIME_ZONE);

type ReadingCall = Pick<Call<(typeof endpoints)["download"]>, "db" | "caller" | "address">;

/** How rows of a month leave: all that are asked for, as a file or as rows, or a page of them at a time. */
interface Read {
  /** What it is called where no page is asked for. */
  readonly action: "download" | "readVersion" | "compare";
  readonly months: readonly string[];
  readonly version: VersionRow | undefined;
  /** From 1; left out, all rows. */
  readonly page?: number | undefined;
}

/**
 * Opens whole rows, identity cards with them, out of one state of the database: what is checked before the first byte
 * holds for the last, an import that comes in between or not. The connection is kept until the stream has closed;
 * `openRows` must ask the pool for no other.
 */
async function openNoted(
  pool: Pool,
  call: ReadingCall,
  read: Read,
  openRows: (snapshot: Db) => Promise<Readable>,
): Promise<Readable> {
  // Before the snapshot is opened: whoever held a connection and asked for another could wait for ever.
  await noteReading(call, read);
  const { db, close } = await openSnapshot(pool);
  try {
    const stream = await openRows(db);
    return stream.once("close", () => void close());
  } catch (error) {
    await close();
    throw error;
  }
}

/** So long after its first page, the others still belong to it: a person turns pages slowly. */
const sameReadingMinutes = 60;

/**
 * Writes the audit line of a month that leaves. Whole, it is an export. Page by page it is read, which is one line
 * however many pages there are: with the first, or with whichever comes without one before it, so that nobody gets
 * round the line by beginning in the middle.
 */
async function noteReading(
  { db, caller, address }: ReadingCall,
  { months, version, action, page }: Read,
): Promise<void> {
  if (!caller) return;
  const entry: AuditEntry = {
    service: "attendance",
    ...byCaller(caller),
    action: page === undefined ? action : "readMonth",
    outcome: "done",
    records: version ? [...months, `version ${version.number}`] : months,
    address,
  };
  if (page !== undefined && page > 1 && (await isAudited(db, entry, sameReadingMinutes))) return;
  await writeAudit(db, entry);
}

// A month of eight thousand rows is thirty megabytes of JSON. The database keeps each row as it goes out, so the answer
// is put together from texts, without making objects of them, and leaves while it is being made.

/** Of what `streamEnvelope` makes. */
const jsonHeaders = { "content-type": "application/json; charset=utf-8" };
const mark = "\u0000rows\u0000";

/**
 * The envelope with a list of JSON texts in it.
 * @param place puts the list where it belongs in `data`: the list itself by itself, or one page of it.
 */
function streamEnvelope(
  batches: AsyncIterable<readonly string[]>,
  language: Language,
  place: (list: string) => unknown = (list) => list,
): Readable {
  const [before = "", after = ""] = JSON.stringify(succeed(place(mark), language)).split(JSON.stringify(mark));
  return Readable.from(writeTexts(batches, before, after));
}

async function* writeTexts(
  batches: AsyncIterable<readonly string[]>,
  before: string,
  after: string,
): AsyncGenerator<Buffer> {
  let text = `${before}[`;
  let isFirst = true;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    text += `${isFirst ? "" : ","}${batch.join(",")}`;
    isFirst = false;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(`${text}]${after}`);
}

const shownDigits = { first: 4, last: 2 } as const;

/** An identity card of which only the region and the end are left to see. */
const maskIdCard = (idCard: string): string =>
  idCard.length <= shownDigits.first + shownDigits.last
    ? "*".repeat(idCard.length)
    : idCard.slice(0, shownDigits.first) +
      "*".repeat(idCard.length - shownDigits.first - shownDigits.last) +
      idCard.slice(-shownDigits.last);

/** Summary rows as JSON texts, for those who called without a token. */
async function* maskIdCards(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string[]> {
  for await (const batch of batches) {
    yield batch.map((text) => {
      const row = JSON.parse(text) as { idCard: string };
      return JSON.stringify({ ...row, idCard: maskIdCard(row.idCard) });
    });
  }
}
