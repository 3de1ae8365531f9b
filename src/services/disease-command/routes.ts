import { readFile } from "node:fs/promises";
import {
  administratorHandlers as sharedHandlers,
  digits,
  toWireScope,
} from "#platform/accounts/administrator-handlers.ts";
import { storeAuditedImage } from "#platform/accounts/audited-upload.ts";
import { signIn } from "#platform/accounts/login.ts";
import { found } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { startStatement, Within } from "#platform/database/index.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload } from "#platform/files/upload.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { refuseFaulty } from "#platform/workbooks/import-problems.ts";
import type { Changes } from "./changes.ts";
import { keepDays } from "./clinic-days.ts";
import type { endpoints } from "./contract.ts";
import { convertMap, readCityMap } from "./geojson.ts";
import { listMismatches, openKeptMap, replaceMap } from "./map-store.ts";
import { capacities, listMiniToilets, listNearbyToilets, scenicSpots, toilets } from "./place-store.ts";
import { listPlansByMonth, monthSummaries, plans } from "./planning-store.ts";
import { compileRead, fileFolder, findRecord, readJson, takeTurn } from "./record-store.ts";
import { keepRecords, service } from "./records.ts";
import * as screen from "./screen-store.ts";
import * as statistics from "./statistics-store.ts";
import { detectionBook, feverClinicBook, openImport, sendTemplate } from "./workbooks.ts";

export const diseaseCommandHandlers = (
  platform: Platform,
  changes: Changes,
  importTurns: Semaphore,
): Handlers<typeof endpoints> => ({
  ...accountHandlers(platform),
  ...fileHandlers(platform),
  ...teamHandlers(platform),
  ...detectionHandlers(platform, importTurns),
  ...feverClinicHandlers(platform, importTurns),
  ...planHandlers(platform),
  ...placeHandlers(platform),
  ...screenHandlers(platform, changes),
  ...mapHandlers(platform),
});

type Part = Partial<Handlers<typeof endpoints>>;

const accountHandlers = (platform: Platform) =>
  ({
    login: withoutTransaction(async (call) => {
      const { account, token, expireTime } = await signIn(platform, service, call);
      // A platform operator has the rights of this service's super administrator.
      const userType = account.service === "platform" ? "0" : digits.write(account).adminType;
      return { userName: account.userName, userType, token, expireTime, ...toWireScope(account.scope) };
    }),
    ...sharedHandlers(platform, service, "time"),
  }) satisfies Part;

const fileHandlers = (platform: Platform) =>
  ({
    uploadImage: withoutTransaction(async (call) => {
      const imageName = await storeAuditedImage(platform, { service, action: "uploadImage" }, call);
      return { imageName, url: fileFolder(platform.settings) + imageName };
    }),
    readFile: async ({ db, params, request }) =>
      toFileAnswer(found(await findUpload(db, service, params.name)), platform.files, request),
  }) satisfies Part;

function teamHandlers({ settings }: Platform) {
  const ofTeams = keepRecords(screen.teams, settings);
  const ofMembers = keepRecords(screen.members, settings);
  return {
    countTeams: async ({ db }) => found(await screen.countTeams(db)),
    listTeams: ofTeams.page,
    saveTeam: ofTeams.save,
    updateTeam: ofTeams.update,
    deleteTeams: ofTeams.remove,
    listMembers: ofMembers.page,
    saveMember: ofMembers.save,
    updateMember: ofMembers.update,
    deleteMembers: ofMembers.remove,
  } satisfies Part;
}

function detectionHandlers(platform: Platform, turns: Semaphore) {
  const { detections } = statistics;
  const { page, save, update, remove } = keepRecords(detections, platform.settings);
  const importBook = openImport(platform, turns, detectionBook);
  return {
    listDetection: page,
    saveDetection: save,
    importDetection: withoutTransaction((call) =>
      importBook(call, (rows) =>
        call.transact(async (tx) => {
          // Rows of concurrent imports may be in different orders, so the lock prevents deadlocks.
          await takeTurn(tx, detections);
          const known = await statistics.insertDetections(tx, rows);
          refuseFaulty([...rows.faults, ...known]);
          call.audit.detail = { rows: rows.count };
          return String(rows.count);
        }),
      ),
    ),
    updateDetection: update,
    deleteDetection: remove,
    detectionTemplate: ({ request }) => sendTemplate(request, detectionBook),
  } satisfies Part;
}

function feverClinicHandlers(platform: Platform, turns: Semaphore) {
  const { feverClinics } = statistics;
  const { page, update, remove } = keepRecords(feverClinics, platform.settings);
  const { settings } = platform;
  const readLast = compileRead(statistics.writeLast(settings, startStatement(), Within.everywhere));
  const importBook = openImport(platform, turns, feverClinicBook);
  const { refuseOtherDays, refuseOtherRecords } = keepDays(platform);
  return {
    listFeverClinics: page,
    saveFeverClinics: async ({ db, body, audit, within }) => {
      for (const { statisticsDate } of body.datas) refuseOtherDays(within, statisticsDate);
      await takeTurn(db, feverClinics);
      const ids = await statistics.replaceFeverClinics(db, body.datas, within);
      audit.records = ids;
      return String(ids.length);
    },
    importFeverClinics: withoutTransaction(async (call) => {
      refuseOtherDays(call.within, call.params.dateStr);
      const answer = await importBook(call, (rows) =>
        call.transact(async (tx) => {
          refuseFaulty(rows.faults);
          if (call.fields.dryRun) {
            const read = await statistics.readSheet(tx, rows, call.within);
            call.audit.detail = { rows: read.length, dryRun: true };
            return JSON.stringify(read);
          }
          // Imports take turns, so that after two imports for the same day, every hospital that both workbooks name
          // has the figures of the later import.
          await takeTurn(tx, feverClinics);
          const ids = await statistics.replaceFromSheet(tx, call.params.dateStr, rows, call.within);
          call.audit.records = [call.params.dateStr];
          call.audit.detail = { rows: ids.length };
          return String(ids.length);
        }),
      );
      return call.fields.dryRun ? (JSON.parse(answer) as statistics.SheetRow[]) : answer;
    }),
    updateFeverClinic: async (call) => {
      const { db, body, within } = call;
      if (body.statisticsDate !== undefined) refuseOtherDays(within, body.statisticsDate);
      await refuseOtherRecords(db, within, body.id === undefined ? [] : [body.id]);
      return update(call);
    },
    deleteFeverClinics: async (call) => {
      await refuseOtherRecords(call.db, call.within, call.body);
      return remove(call);
    },
    findLastFeverClinics: async ({ db, within }) => {
      if (within.isEverywhere) return found(await readLast(db));
      const statement = startStatement();
      return found(await readJson(db, statement, statistics.writeLast(settings, statement, within)));
    },
    feverClinicTemplate: ({ request }) => sendTemplate(request, feverClinicBook),
  } satisfies Part;
}

function planHandlers({ settings, clock }: Platform) {
  const ofPlans = keepRecords(plans, settings);
  const ofSummaries = keepRecords(monthSummaries, settings);
  const presentMonth = () => formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 7);
  return {
    listPlans: ofPlans.page,
    listPlansByMonth: async ({ db, query }) => found(await listPlansByMonth(db, settings, query)),
    findPlan: ofPlans.info,
    savePlan: ofPlans.save,
    updatePlan: ofPlans.update,
    deletePlans: ofPlans.remove,
    listMonthSummaries: ofSummaries.page,
    findMonthSummary: ofSummaries.info,
    findSummaryOfMonth: async ({ db, params }) =>
      found(
        await findRecord(db, monthSummaries, settings, {
          column: "month",
          value: params.month,
          within: Within.everywhere,
        }),
      ),
    saveMonthSummary: (call) =>
      ofSummaries.save({ ...call, body: { ...call.body, month: call.body.month ?? presentMonth() } }),
    updateMonthSummary: ofSummaries.update,
    deleteMonthSummaries: ofSummaries.remove,
  } satisfies Part;
}

function placeHandlers({ settings }: Platform) {
  const ofSpots = keepRecords(scenicSpots, settings);
  const ofCapacities = keepRecords(capacities, settings);
  const ofToilets = keepRecords(toilets, settings);
  return {
    listScenicSpots: ofSpots.page,
    findScenicSpot: ofSpots.info,
    findScenicSpotByName: async ({ db, params }) =>
      found(
        await findRecord(db, scenicSpots, settings, {
          column: "name",
          value: params.scenicSpotName,
          within: Within.everywhere,
        }),
      ),
    addScenicSpot: ofSpots.save,
    updateScenicSpot: ofSpots.update,
    deleteScenicSpots: ofSpots.remove,
    listCapacities: ofCapacities.page,
    saveCapacity: ofCapacities.save,
    updateCapacity: ofCapacities.update,
    deleteCapacities: ofCapacities.remove,
    listToilets: ofToilets.page,
    listMiniToilets: async ({ db }) => found(await listMiniToilets(db)),
    listNearbyToilets: async ({ db }) => found(await listNearbyToilets(db)),
    findToilet: ofToilets.info,
    saveToilet: ofToilets.save,
    updateToilet: ofToilets.update,
    deleteToilets: ofToilets.remove,
  } satisfies Part;
}

function screenHandlers({ settings }: Platform, changes: Changes) {
  const ofBroadcasts = keepRecords(screen.broadcasts, settings);
  const ofConsumption = keepRecords(statistics.consumptionCategories, settings);
  const ofThemes = keepRecords(screen.themes, settings);
  const readStatistics = compileRead(screen.writeStatistics(settings));
  const readThemes = compileRead(screen.writeThemes(settings));
  const readCurrentTheme = compileRead(screen.writeCurrentTheme(settings));
  const readOverview = compileRead(screen.writeOverview(settings));
  return {
    findBroadcastStatistics: async ({ db }) => found(await readStatistics(db)),
    updateBroadcastStatistics: keepRecords(screen.statisticsTable, settings).update,
    addBroadcastRecord: ofBroadcasts.save,
    updateBroadcastRecord: ofBroadcasts.update,
    listBroadcastRecords: async ({ db, query }) => found(await screen.listBroadcasts(db, settings, query)),
    deleteBroadcastRecords: ofBroadcasts.remove,
    findBroadcastRecord: ({ db, params }) =>
      ofBroadcasts.info({ db, within: undefined, params: { id: params.recordId } }),
    listConsumption: ({ db, query, within }) =>
      ofConsumption.page({ db, within, query: { ...query, orderField: query.orderField ?? "id" } }),
    updateConsumption: ofConsumption.update,
    listThemes: async ({ db }) => found(await readThemes(db)),
    saveTheme: async (call) => {
      if (call.body.enable === "1") await screen.disableThemes(call.db);
      return ofThemes.save(call);
    },
    updateTheme: async (call) => {
      if (call.body.enable === "1") await screen.disableThemes(call.db);
      return ofThemes.update(call);
    },
    deleteThemes: ofThemes.remove,
    findCurrentTheme: async ({ db }) => (await readCurrentTheme(db)) ?? null,
    readOverview: async ({ db }) => found(await readOverview(db)),
    followChanges: async () => changes.subscribe,
  } satisfies Part;
}

function mapHandlers({ settings: { MAP_DATUM: datum } }: Platform) {
  const readKeptMap = openKeptMap(datum);
  return {
    readCityMap: ({ db }) => readKeptMap(db),
    saveCityMap: withoutTransaction(async ({ file, fields, transact, audit }) => {
      const map = convertMap(readCityMap(await readFile(file.path)), fields.datum, datum);
      const names = map.features.map(({ properties }) => properties.name);
      audit.detail = { features: names.length, datum: fields.datum };
      return transact(async (tx) => {
        await replaceMap(tx, JSON.stringify(map), datum, names);
        return String(names.length);
      });
    }),
    findMapMismatches: ({ db }) => listMismatches(db),
  } satisfies Part;
}
