import { exchangeForNumber, startNumberSession } from "#platform/accounts/proven-number.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { inSnapshot, Within } from "#platform/database/index.ts";
import { referenceUploads, storeUpload } from "#platform/files/upload.ts";
import { createConfiguredCampusClient } from "#platform/messaging/index.ts";
import { noticePreferenceHandlers } from "#platform/notices/preference-store.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { explainEmployee } from "#services/attendance/answers/month-routes.ts";
import { getFinished } from "#services/attendance/answers/version-store.ts";
import { dayOfInstant } from "#services/attendance/days.ts";
import { findMonth, refuseLocked } from "#services/attendance/month-store.ts";
import { findObjection, holderOf, insertObjection, listOwnObjections } from "#services/attendance/objections/store.ts";
import { toOwnObjection } from "#services/attendance/objections/own-objection.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { dayNumbered, noSuchEmployee } from "#services/attendance/whose.ts";
import type { ownEndpoints } from "./contract.ts";
import { spellEmployee } from "./employees.ts";
import { confirm, hasOpenObjection, keepOwnFile, listOwnFiles, listOwnMonths } from "./own-store.ts";
import { findSelf, getOwn } from "./self-store.ts";

export function ownHandlers({ pool, files, settings, clock }: AttendancePlatform): Handlers<typeof ownEndpoints> {
  const zone = settings.TIME_ZONE;
  const campus = settings.EMPLOYEE_IDENTITY === "campus" ? createConfiguredCampusClient(settings) : null;
  return {
    loginEmployee: withoutTransaction(async ({ body }) => {
      const employeeNo = await exchangeForNumber(campus, body.code);
      const [spelt = ""] = spellEmployee(pool.keys, employeeNo);
      return { employeeNo, ...(await startNumberSession(pool, spelt, settings.TOKEN_HOURS)) };
    }),

    listOwnMonths: async ({ db, guest }) => listOwnMonths(db, await findSelf(db, guest)),

    // An import renumbers the employees, so the number and its row are read in one snapshot.
    readOwnMonth: async ({ query, guest, language }) => {
      const explained = await inSnapshot(pool, async (db) => {
        const { employee } = await getOwn(db, guest, query);
        return explainEmployee(db, await getFinished(db, query.month), employee, language);
      });
      const { row, month, days, bucketEdges, figures, extra, corrections } = explained;
      const { idCard: _, ...own } = row;
      return { ...own, month, days, bucketEdges, explain: figures, extra, corrections };
    },

    uploadOwnFile: withoutTransaction(async ({ file, guest, once }) => {
      const kept = { service: "attendance", imagesOnly: false, settings, once };
      const name = await storeUpload(pool, files, file, kept);
      await keepOwnFile(pool, name, guest);
      return name;
    }),

    object: withoutTransaction(async ({ body, guest, transact }) => {
      const { month, day: number, files: names = [] } = body;
      const id = await transact(async (tx) => {
        const member = await getOwn(tx, guest, body);
        const state = await findMonth(tx, month);
        if (!state) throw noSuchEmployee();
        refuseLocked(state);
        const day = dayNumbered(state, number);
        if (day > dayOfInstant(clock(), zone))
          throw explain("notAllowedNow", "该日期尚未到来", "this day is in the future");
        const own = await listOwnFiles(tx, names, guest);
        const made = await insertObjection(tx, member, { ...body, files: names, day });
        const held = await referenceUploads(tx, { service: "attendance", record: holderOf(made) }, own);
        const strange = names.findIndex((name) => !held.includes(name));
        if (strange !== -1)
          throw explain("notFound", `files[${strange}]: 文件不存在`, `files[${strange}]: the file does not exist`);
        return String(made);
      });
      // A retried request gets the objection that the first call stored.
      return toOwnObjection(found(await findObjection(pool, Number(id), Within.everywhere)), zone);
    }),

    listOwnObjections: async ({ db, query, guest }) => {
      const { rows, totalCount } = await listOwnObjections(db, await findSelf(db, guest), toRange(query));
      return toPage(
        rows.map((row) => toOwnObjection(row, zone)),
        totalCount,
        query,
      );
    },

    confirmMonth: async ({ db, body, guest }) => {
      const member = await getOwn(db, guest, body);
      await getFinished(db, body.month);
      if (await hasOpenObjection(db, body.month, member))
        throw explain("notAllowedNow", "还有未处理的异议", "an objection has not been reviewed yet");
      await confirm(db, body.month, member);
      return "1";
    },

    ...noticePreferenceHandlers("attendance", async (db, guest) =>
      (await findSelf(db, guest)).flatMap(({ userId }) => userId || []),
    ),
  };
}
