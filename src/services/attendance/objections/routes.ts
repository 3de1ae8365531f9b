import { toPage } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inSnapshot } from "#platform/database/index.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload } from "#platform/files/upload.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { explainEmployee } from "#services/attendance/answers/month-routes.ts";
import { type FinishedMonth, getFinished, requireFinished } from "#services/attendance/answers/version-store.ts";
import { addCorrection, holdChangeable, toOrdered } from "#services/attendance/corrections/routes.ts";
import { numberOf, writeDay } from "#services/attendance/days.ts";
import type { Day } from "#services/attendance/model.ts";
import { findMonth } from "#services/attendance/month-store.ts";
import { listConfirming, listOwnFiles } from "#services/attendance/own/own-store.ts";
import { dayFields } from "#services/attendance/record-contract.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { noSuchEmployee } from "#services/attendance/whose.ts";
import type { objectionEndpoints } from "./contract.ts";
import { findObjection, findObjector, isFileWithin, judgeObjection, listObjections } from "./store.ts";
import { toOwnObjection } from "./own-objection.ts";

export function objectionHandlers({ pool, files, settings }: AttendancePlatform): Handlers<typeof objectionEndpoints> {
  const zone = settings.TIME_ZONE;
  return {
    listObjections: async ({ query, within, language }) =>
      inSnapshot(pool, async (db) => {
        const { rows, totalCount } = await listObjections(db, query, within, toRange(query));
        const explainDay = openDays(db, language);
        const list = await Array.fromAsync(rows, async (row) => ({
          ...toOwnObjection(row, zone),
          userId: row.userId,
          workNum: row.workNumber,
          workName: row.name,
          department: row.department ?? "",
          judgedBy: row.judgedBy,
          ...(await explainDay(row.month, row.employee, row.day)),
        }));
        return toPage(list, totalCount, query);
      }),

    judgeObjection: async ({ db, params, body, within, caller, audit }) => {
      const { accept, note = "", correction } = body;
      const objection = found(await findObjection(db, params.id, within));
      const state = correction && (await holdChangeable(db, objection.month));
      const verdict = { state: accept ? "accepted" : "refused", note, by: caller.userName } as const;
      if (!(await judgeObjection(db, objection.id, verdict)))
        throw explain("notAllowedNow", "该异议已处理", "the objection has already been reviewed");
      if (state && correction) {
        const member = await findObjector(db, objection);
        if (!member) throw noSuchEmployee();
        const evidence = note.trim() === "" ? objection.text : note;
        const made = { evidence, objection: objection.id, madeBy: caller.userName, day: objection.day };
        await addCorrection(db, state, member, { ...toOrdered(correction), ...made });
      }
      audit.records = [objection.id];
      audit.detail = { state: verdict.state, note, ...(correction && { correction: correction.kind }) };
      return "1";
    },

    readObjectionFile: async ({ db, params, within, guest, request }) => {
      const { name } = params;
      const upload = await findUpload(db, "attendance", name);
      const isSeen =
        guest === undefined ? await isFileWithin(db, name, within) : (await listOwnFiles(db, [name], guest)).length > 0;
      if (!upload || !isSeen) throw new Problem("notFound");
      return toFileAnswer(upload, files, request);
    },

    listConfirmations: async ({ db, query, within }) => {
      await getFinished(db, query.month);
      const people = (await listConfirming(db, query.month, within)).map(({ isObjecting, confirmedAt, ...who }) => {
        const state = isObjecting ? ("objecting" as const) : confirmedAt ? ("confirmed" as const) : ("open" as const);
        return { ...who, state, confirmTime: confirmedAt && formatDateTime(confirmedAt, zone) };
      });
      const count = (wanted: string): number => people.filter(({ state }) => state === wanted).length;
      const counts = { confirmed: count("confirmed"), open: count("open"), objecting: count("objecting") };
      return { ...counts, of: people.length, people };
    },
  };
}

function openDays(db: Db, language: Language) {
  const months = new Map<string, FinishedMonth | undefined>();
  const nothing = { cell: "", explain: [] };
  return async (month: string, employee: number | null, day: Day) => {
    if (!months.has(month)) {
      const state = await findMonth(db, month);
      months.set(month, state?.statu === 2 ? requireFinished(month, state) : undefined);
    }
    const state = months.get(month);
    if (!state || employee === null) return nothing;
    const { row, figures } = await explainEmployee(db, state, employee, language);
    const date = writeDay(day);
    const own = figures.flatMap((figure) => {
      const entries = figure.entries.filter((entry) => entry.day === date);
      return entries.length === 0 ? [] : { ...figure, entries };
    });
    return { cell: String(Reflect.get(row, dayFields[numberOf(day) - 1] ?? "")), explain: own };
  };
}
