import type * as z from "zod";
import type { Language } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inSnapshot, Within } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { startAnalysis } from "#services/attendance/analysis/analyse.ts";
import { countDifferences, listDifferences, listJoinedPeople } from "#services/attendance/analysis/analysis-store.ts";
import { streamInputs } from "#services/attendance/analysis/employee-store.ts";
import { explainExtra, explainFindings } from "#services/attendance/analysis/explain.ts";
import { analyseMonth, titleRow } from "#services/attendance/analysis/summary-row.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { dayOfInstant, daysOf, sheetNames, toCovered, toWireDays } from "#services/attendance/days.ts";
import { listMonthWarnings, toTime, toWaring } from "#services/attendance/import/warnings.ts";
import { toWirePerson } from "#services/attendance/model.ts";
import {
  countAnalysed,
  countWithin,
  findMonth,
  holdMonth,
  listMonths,
  type MonthState,
  refuseLocked,
} from "#services/attendance/month-store.ts";
import type { analysisStatus, explanation } from "#services/attendance/record-contract.ts";
import { noSuchEmployee, severalAreMeant } from "#services/attendance/whose.ts";
import { toDayCorrection } from "#services/attendance/corrections/describe.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { findResults } from "./result-store.ts";
import {
  closeVersion,
  findVersion,
  type FinishedMonth,
  getFinished,
  insertVersion,
  listLocked,
  listVersions,
  noteMonth,
  requireFinished,
  type VersionRow,
} from "./version-store.ts";

export type ChooseMonth = (db: Db, month: string | undefined) => Promise<string>;

export function monthHandlers({ pool, settings, clock }: AttendancePlatform, chooseMonth: ChooseMonth) {
  const { TIME_ZONE: zone, ATTENDANCE_PERIOD_START: periodStart } = settings;
  const today = () => dayOfInstant(clock(), zone);
  return {
    analyse: async ({ db, query, transact, audit }) => {
      const month = await chooseMonth(db, query.month);
      audit.records.push(month);
      await transact(async (tx) => {
        await startAnalysis(tx, month);
        return month;
      });
      return readStatus(db, month, await findMonth(db, month));
    },

    // Status and warnings are read in one snapshot, so that they agree even if an analysis fails between the two reads.
    findStatus: async ({ query, language, within }) =>
      inSnapshot(pool, async (db) => {
        const month = await chooseMonth(db, query.month);
        const state = await findMonth(db, month);
        const version = state?.version ? await findVersion(db, state.version) : undefined;
        return {
          ...(await readStatus(db, month, state)),
          ...(state && !within.isEverywhere && (await countWithin(db, state, within))),
          days: toWireDays(daysOf(state ?? { month, periodStart })),
          waring: toWaring(state ? await listMonthWarnings(db, state, today(), within) : [], language),
          covered: toCovered(state?.spans ?? []),
          locked: toLocked(version, zone),
          differing: state?.statu === 2 ? await countDifferences(db, state, within) : 0,
        };
      }),

    testService: async () => "",

    findTitle: async ({ db, query }) => {
      const month = await chooseMonth(db, query.month);
      return titleRow((await findMonth(db, month)) ?? { month, periodStart });
    },

    listMonths: async ({ within }) =>
      inSnapshot(pool, async (db) => {
        const locked = await listLocked(db);
        return (await listMonths(db, within)).map(
          ({ month, periodStart: start, importedAt, statu, analysedAt, spans, ...row }) => ({
            month,
            days: toWireDays(daysOf({ month, periodStart: start })),
            ...row,
            importTime: toTime(importedAt, zone),
            statu,
            analyseTime: toTime(analysedAt, zone),
            covered: toCovered(spans),
            locked: toLocked(locked.get(month), zone),
          }),
        );
      }),

    explain: async ({ query, language, within }) => {
      const { userId, workNum: workNumber, name, groupOfCheck: group } = query;
      if (userId === undefined && workNumber === undefined && name === undefined)
        throw explain(
          "badFormat",
          "userId: 未填写 workNum 或 name 时不能为空",
          "userId: must not be empty unless workNum or name is given",
        );
      return inSnapshot(pool, async (db) => {
        const state = await getFinished(db, await chooseMonth(db, query.month));
        const found = await findResults(db, state.month, { userId, workNumber, name, group }, within);
        const [one, another] = found;
        if (!one) throw noSuchEmployee();
        if (another) throw severalAreMeant(found.map((each) => each.group));
        return explainEmployee(db, state, one.employee, language);
      });
    },

    listDifferences: async ({ query, within }) =>
      inSnapshot(pool, async (db) => {
        const { run } = await getFinished(db, await chooseMonth(db, query.month));
        return (await listDifferences(db, run, within)).map((found) => ({ ...found, days: [...found.days] }));
      }),

    lock: async ({ db, body, caller, audit }) => {
      const { month, note = "" } = body;
      audit.records.push(month);
      const state = requireFinished(month, await holdMonth(db, month));
      refuseLocked(state);
      const notes = await noteMonth(db, state, today(), Within.everywhere);
      const id = await insertVersion(db, { ...notes, note, lockedBy: caller.userName });
      audit.detail = { version: id, note };
      return String(id);
    },

    unlock: async ({ db, body, caller, audit }) => {
      const { month, reason } = body;
      audit.records.push(month);
      const { version } = (await holdMonth(db, month)) ?? {};
      if (version === undefined) throw new Problem("notFound");
      if (version === null) throw explain("notAllowedNow", `${month} 未锁定`, `${month} is not locked`);
      await closeVersion(db, version, reason, caller.userName);
      audit.detail = { version, reason };
      return "1";
    },

    listVersions: async ({ db, query, language, within }) => {
      const rows = await listVersions(db, await chooseMonth(db, query.month), within);
      return rows.map(
        ({
          settings: _settings,
          units: _units,
          extra: _extra,
          corrections: _corrections,
          month,
          periodStart: start,
          covered,
          warnings,
          lockedAt,
          unlockedAt,
          ...row
        }) => ({
          ...row,
          month,
          days: toWireDays(daysOf({ month, periodStart: start })),
          covered: [...covered],
          // Warnings name people of all departments, so users with a scope do not get them.
          waring: toWaring(within.isEverywhere ? warnings : [], language),
          lockTime: formatDateTime(lockedAt, zone),
          unlockTime: toTime(unlockedAt, zone),
        }),
      );
    },
  } satisfies Partial<Handlers<typeof endpoints>>;
}

const readStatus = async (
  db: Db,
  month: string,
  state: MonthState | undefined,
): Promise<z.input<typeof analysisStatus>> => ({
  month,
  statu: state?.statu ?? 0,
  total: state?.total ?? 0,
  done: state ? await countAnalysed(db, state.run) : 0,
});

// Explanations are not stored, since they can be computed again from the stored rows.
export async function explainEmployee(
  db: Db,
  state: FinishedMonth,
  employee: number,
  language: Language,
): Promise<z.input<typeof explanation>> {
  const [[input] = []] = await Array.fromAsync(streamInputs(db, state, { first: employee, last: employee }));
  if (!input) throw noSuchEmployee();
  const { row, findings } = analyseMonth(input, state.settings);
  const people = await listJoinedPeople(db, state.month, employee);
  return {
    month: state.month,
    days: toWireDays(daysOf(state)),
    row,
    waring: toWaring(findings.warnings, language),
    bucketEdges: [...state.settings.bucketEdges],
    people: people.map(({ sheet, rows, by, ...person }) => ({
      kind: sheet,
      sheet: sheetNames[sheet],
      ...toWirePerson(person),
      rows,
      by,
    })),
    figures: explainFindings(input, findings, language),
    corrections: input.corrections.map(toDayCorrection),
    extra: explainExtra(input, language),
  };
}

const toLocked = (version: VersionRow | undefined, zone: string) =>
  version
    ? {
        version: version.id,
        number: version.number,
        note: version.note,
        lockTime: formatDateTime(version.lockedAt, zone),
        lockedBy: version.lockedBy,
      }
    : null;
