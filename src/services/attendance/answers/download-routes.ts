import { Readable } from "node:stream";
import { type AuditEntry, byCaller, isAudited, writeAudit } from "#platform/accounts/audit.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { succeed, toPage } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { compileMask, type Mask } from "#platform/contract/masking.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { mayUse } from "#platform/contract/rights.ts";
import { type Db, openSnapshot, type Pool, type Within } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { attachmentHeaders, openZip, workbookHeaders, type ZipSource } from "#platform/workbooks/index.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { comparison, summaryRow } from "#services/attendance/record-contract.ts";
import { dayOfInstant } from "#services/attendance/days.ts";
import { readBasis } from "#services/attendance/month-store.ts";
import { exportComparison, exportMonth } from "./export.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { narrowToDepartment, nameFiles, toFileName } from "./department-files.ts";
import {
  countResults,
  listDepartments,
  type ResultFilter,
  type RowSource,
  streamComparison,
  streamResults,
} from "./result-store.ts";
import {
  type FinishedMonth,
  getFinished,
  getVersion,
  type MonthNotes,
  noteMonth,
  type VersionRow,
} from "./version-store.ts";

export const downloadHandlers = (platform: Platform, chooseMonth: ChooseMonth) =>
  ({
    download: async (call) => {
      const { read, find } = await findMonthRows(platform, call, await chooseMonth(call.db, call.query.month));
      return answerRows(platform, call, { ...read, action: "download" }, find);
    },

    downloadDepartments: async (call) => {
      const { read, find } = await findMonthRows(platform, call, await chooseMonth(call.db, call.query.month));
      const { idCards = "masked" } = call.query;
      const noted = { ...read, action: "downloadDepartments", detail: { idCards } } as const;
      return {
        headers: attachmentHeaders(`${nameMonth(read)}.zip`, "application/zip"),
        open: () =>
          openNoted(platform.pool, call, noted, async (snapshot) => {
            const rows = await find(snapshot);
            return openZip(() => listWorkbooks(platform, call, snapshot, rows));
          }),
      };
    },

    readVersion: async (call) => {
      const { id } = call.params;
      const version = await getVersion(call.db, id, call.within);
      return answerRows(
        platform,
        call,
        { action: "readVersion", months: [version.month], version },
        async (snapshot) => ({
          source: { version: id },
          describe: (within) => getVersion(snapshot, id, within),
        }),
      );
    },

    compare: async (call) => {
      const { db, query, within } = call;
      const { month, with: other } = query;
      if ((other === undefined) === (query.version === undefined))
        throw explain("badFormat", "with 与 version 须填写其中一个", "exactly one of `with` and `version` is required");
      const { version } = await checkCompared(db, query, within);
      const headers = query.format === "xlsx" ? workbookHeaders(`attendance-${month}-compared`) : jsonHeaders;
      const read = { action: "compare", months: other === undefined ? [month] : [month, other], version } as const;
      return {
        headers,
        open: () =>
          openNoted(platform.pool, call, read, async (snapshot) => {
            const { one, two, version: now } = await checkCompared(snapshot, query, within);
            const against: RowSource = now ? { version: now.id } : { month: other ?? "" };
            const changed = query.changed ? (now ? "row" : "figures") : undefined;
            const stored = streamComparison(snapshot, { month }, against, {
              within,
              department: query.department,
              changed,
            });
            const rows = mayExport(call.caller) ? stored : maskRows(stored, masks.comparison);
            if (query.format !== "xlsx") return streamEnvelope(rows, call.language);
            const names = [month, now ? `第${now.number}版` : (other ?? "")] as const;
            const extra = await Promise.all([one, now ?? two].map((side) => listExtra(snapshot, side)));
            return exportComparison(
              names,
              { bucketEdges: one.settings.bucketEdges, extra: [...new Set(extra.flat())] },
              rows,
            );
          }),
      };
    },
  }) satisfies Partial<Handlers<typeof endpoints>>;

/**
 * Returns what the audit entry needs, and a function that finds the month's rows in a snapshot. A locked month is read
 * from its version, which stays the same if the month is unlocked before the snapshot begins.
 */
async function findMonthRows(
  { clock, settings }: Platform,
  { db, within }: Pick<RowsCall, "db" | "within">,
  month: string,
) {
  const { version: locked } = await getFinished(db, month);
  const version = locked === null ? undefined : await getVersion(db, locked, within);
  const find = async (snapshot: Db): Promise<FoundRows> => {
    if (locked !== null) return { source: { version: locked }, describe: (to) => getVersion(snapshot, locked, to) };
    const state = await getFinished(snapshot, month);
    const today = dayOfInstant(clock(), settings.TIME_ZONE);
    return { source: { month }, describe: (to) => noteMonth(snapshot, state, today, to) };
  };
  return { read: { months: [month] as const, version }, find };
}

interface FoundRows {
  readonly source: RowSource;
  readonly describe: (within: Within) => Promise<MonthNotes>;
}

/** Yields one workbook at a time, since all of them are read through the snapshot's connection. */
async function* listWorkbooks(
  { clock, settings }: Platform,
  { query, within, language }: Call<(typeof endpoints)["downloadDepartments"]>,
  snapshot: Db,
  { source, describe }: FoundRows,
): AsyncGenerator<ZipSource> {
  const departments = await listDepartments(snapshot, source, within);
  const names = nameFiles(departments, language === "zh" ? "无部门" : "No department");
  for (const [index, department] of departments.entries()) {
    const stored = streamResults(snapshot, source, { within, department }, { withExtra: true });
    const rows = query.idCards === "whole" ? stored : maskRows(stored, masks.row);
    const notes = await describe(narrowToDepartment(within, department));
    const chunks = exportMonth(notes, rows, { language, now: clock(), zone: settings.TIME_ZONE });
    yield { path: names[index] ?? "", chunks };
  }
}

const nameMonth = ({ months, version }: Pick<Read, "version"> & { readonly months: readonly [string] }): string =>
  `attendance-${months[0]}${version ? `-v${version.number}` : ""}`;

type RowsCall = Call<(typeof endpoints)["readVersion"]> | Call<(typeof endpoints)["download"]>;

function answerRows(
  { pool, settings, clock }: Platform,
  call: RowsCall,
  read: Read & { readonly months: readonly [string] },
  find: (snapshot: Db) => Promise<FoundRows>,
) {
  const { query, language } = call;
  const withCards = showsCards(call);
  const { format, curPage, pageSize } = query;
  const name = nameMonth(read);
  // Headers must be ASCII, so the file name of a JSON response has no department. `workbookHeaders` encodes the name of
  // a workbook.
  const department = query.department ? `-${toFileName(query.department)}` : "";
  const disposition = read.version ? { "content-disposition": `inline; filename="${name}.json"` } : {};
  const headers = format === "xlsx" ? workbookHeaders(name + department) : { ...jsonHeaders, ...disposition };
  const filter: ResultFilter = {
    within: call.within,
    department: query.department,
    group: query.groupOfCheck,
    name: query.name,
  };
  const openRows = async (snapshot: Db): Promise<Readable> => {
    const { source, describe } = await find(snapshot);
    const span = curPage === undefined ? undefined : { offset: (curPage - 1) * pageSize, limit: pageSize };
    const stored = streamResults(snapshot, source, filter, { span, withExtra: format === "xlsx" });
    const rows = withCards ? stored : maskRows(stored, masks.row);
    if (format === "xlsx")
      return exportMonth(await describe(narrowToDepartment(call.within, query.department)), rows, {
        language,
        now: clock(),
        zone: settings.TIME_ZONE,
      });
    if (curPage === undefined) return streamEnvelope(rows, language);
    const page = toPage([], await countResults(snapshot, source, filter), { currPage: curPage, pageSize });
    return streamEnvelope(rows, language, (list) => ({ ...page, list }));
  };
  const noted =
    format === "xlsx" ? { ...read, detail: noteFile(withCards, query.department) } : { ...read, page: curPage };
  return { headers, open: () => openNoted(pool, call, noted, openRows) };
}

async function checkCompared(
  db: Db,
  { month, with: other, version: id }: Call<(typeof endpoints)["compare"]>["query"],
  within: Within,
) {
  const one = await getFinished(db, month);
  const two = other === undefined ? undefined : await getFinished(db, other);
  const version = id === undefined ? undefined : await getVersion(db, id, within);
  if (version && version.month !== month) throw new Problem("notFound");
  return { one, two, version };
}

const listExtra = async (db: Db, side: FinishedMonth | VersionRow | undefined): Promise<readonly string[]> =>
  !side ? [] : "extra" in side ? side.extra : (await readBasis(db, side)).plan.extra;

type ReadingCall = Pick<Call<(typeof endpoints)["download"]>, "db" | "caller" | "address">;

interface Read {
  readonly action: "download" | "downloadDepartments" | "readVersion" | "compare";
  readonly months: readonly string[];
  readonly version: VersionRow | undefined;
  readonly page?: number | undefined;
  readonly detail?: AuditEntry["detail"];
}

const noteFile = (withCards: boolean, department: string | undefined): NonNullable<AuditEntry["detail"]> => ({
  idCards: withCards ? "whole" : "masked",
  ...(department !== undefined && { department }),
});

async function openNoted(
  pool: Pool,
  call: ReadingCall,
  read: Read,
  openRows: (snapshot: Db) => Promise<Readable>,
): Promise<Readable> {
  // The audit entry is written before the snapshot takes its connection: requests that keep one connection while
  // waiting for another may deadlock.
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

/** A page that is requested within this time after an audited page belongs to the same reading. */
const sameReadingMinutes = 60;

/**
 * Writes the audit entry for reading. Reading all rows is audited as `action`, such as "download". Reading by pages is
 * audited once, as "readMonth": when the first page is read, or a later page if no entry was written within the last
 * `sameReadingMinutes`.
 */
async function noteReading(
  { db, caller, address }: ReadingCall,
  { months, version, action, page, detail }: Read,
): Promise<void> {
  if (!caller) return;
  const entry: AuditEntry = {
    service: "attendance",
    ...byCaller(caller),
    action: page === undefined ? action : "readMonth",
    outcome: "done",
    records: version ? [...months, `version ${version.number}`] : months,
    ...(detail && { detail }),
    address,
  };
  if (page !== undefined && page > 1 && (await isAudited(db, entry, sameReadingMinutes))) return;
  await writeAudit(db, entry);
}

// The response streams the stored JSON texts, and parses them only to mask cards, since a month with 8,000 rows is 30
// MB of JSON.

const jsonHeaders = { "content-type": "application/json; charset=utf-8" };
const mark = "\u0000rows\u0000";

/** @param place returns the response's `data` for a given list */
function streamEnvelope(
  batches: AsyncIterable<readonly string[]>,
  language: Language,
  place: (list: string) => unknown = (list) => list,
): Readable {
  const [before = "", after = ""] = JSON.stringify(succeed(place(mark), language)).split(JSON.stringify(mark));
  return Readable.from(
    (async function* writeTexts() {
      let next = `${before}[`;
      for await (const batch of batches) {
        if (batch.length === 0) continue;
        yield Buffer.from(next + batch.join(","));
        next = ",";
      }
      yield Buffer.from(`${next === "," ? "" : next}]${after}`);
    })(),
  );
}

const masks = { row: compileMask(summaryRow), comparison: compileMask(comparison) };

const mayExport = (caller: Caller | undefined): boolean =>
  caller !== undefined && mayUse(caller, "attendance", "export");

/**
 * Whether identity cards are shown in full. A department's workbook is passed on, so its cards are masked unless the
 * request asks for full ones.
 * @throws {Problem} forbidden if full cards are requested without the right to export
 */
function showsCards({ query, caller }: RowsCall): boolean {
  if (query.idCards === "whole" && !mayExport(caller)) throw new Problem("forbidden");
  const isPassedOn = query.format === "xlsx" && query.department !== undefined;
  return mayExport(caller) && (query.idCards ?? (isPassedOn ? "masked" : "whole")) === "whole";
}

async function* maskRows(
  batches: AsyncIterable<readonly string[]>,
  mask: Mask | undefined,
): AsyncGenerator<readonly string[]> {
  for await (const batch of batches) yield mask ? batch.map((text) => JSON.stringify(mask(JSON.parse(text)))) : batch;
}
