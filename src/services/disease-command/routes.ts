import { readFile } from "node:fs/promises";
import { administratorHandlers as sharedHandlers, digits } from "#platform/accounts/administrator-handlers.ts";
import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { signIn } from "#platform/accounts/login.ts";
import { Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload, keepUpload } from "#platform/files/upload.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { refuseFaulty } from "#platform/workbooks/import-problems.ts";
import type { administratorEndpoints, fileEndpoints } from "./account-contract.ts";
import type { broadcastEndpoints } from "./broadcast-contract.ts";
import type { Changes } from "./changes.ts";
import type { endpoints } from "./contract.ts";
import { convertMap, MapFault, readCityMap } from "./geojson.ts";
import { listMismatches, openKeptMap, replaceMap } from "./map-store.ts";
import type { capacityEndpoints, scenicSpotEndpoints, toiletEndpoints } from "./place-contract.ts";
import { capacities, listMiniToilets, listNearbyToilets, scenicSpots, toilets } from "./place-store.ts";
import type { eventPlanningEndpoints, monthSummaryEndpoints } from "./planning-contract.ts";
import { listPlansByMonth, monthSummaries, plans } from "./planning-store.ts";
import { compileRead, fileFolder, findRecord, takeTurn } from "./record-store.ts";
import { found, keepRecords, service } from "./records.ts";
import type { mapEndpoints, overviewEndpoints, themeEndpoints } from "./screen-contract.ts";
import * as screen from "./screen-store.ts";
import type { consumptionEndpoints, detectionEndpoints, feverClinicEndpoints } from "./statistics-contract.ts";
import * as statistics from "./statistics-store.ts";
import type { emergencyTeamEndpoints } from "./team-contract.ts";
import { detectionBook, feverClinicBook, openImport, sendTemplate } from "./workbooks.ts";

/** What each operation of the contract does. */
export const diseaseCommandHandlers = (
  platform: Platform,
  changes: Changes,
  importTurns: Turns,
): Handlers<typeof endpoints> => ({
  ...administratorHandlers(platform),
  ...fileHandlers(platform),
  ...broadcastHandlers(platform),
  ...teamHandlers(platform),
  ...consumptionHandlers(platform),
  ...detectionHandlers(platform, importTurns),
  ...feverClinicHandlers(platform, importTurns),
  ...planHandlers(platform),
  ...placeHandlers(platform),
  ...themeHandlers(platform),
  ...mapHandlers(platform),
  ...overviewHandlers(platform, changes),
});

const administratorHandlers = (platform: Platform): Handlers<typeof administratorEndpoints> => ({
  login: {
    withoutTransaction: async (call) => {
      const { account, token, expireTime } = await signIn(platform, service, call);
      // An operator may here what a super administrator may.
      const userType = account.service === "platform" ? "0" : digits.write(account).adminType;
      return { userName: account.userName, userType, token, expireTime };
    },
  },
  ...sharedHandlers(platform, service, "time"),
});

const fileHandlers = ({ pool, settings, files }: Platform): Handlers<typeof fileEndpoints> => ({
  uploadImage: {
    withoutTransaction: async ({ file, once, caller, address }) => {
      const imageName = await keepUpload(pool, files, file, {
        service,
        imagesOnly: true,
        settings,
        once: async (tx, create) => {
          const name = await once(tx, create);
          const line = { service, ...byCaller(caller), action: "uploadImage", records: [name], address };
          await writeAudit(tx, { ...line, outcome: "done" });
          return name;
        },
      });
      return { imageName, url: fileFolder(settings) + imageName };
    },
  },
  readFile: async ({ db, params, request }) =>
    toFileAnswer(found(await findUpload(db, service, params.name)), files, request),
});

function broadcastHandlers({ settings }: Platform): Handlers<typeof broadcastEndpoints> {
  const { info, save, update, remove } = keepRecords(screen.broadcasts, settings);
  const readStatistics = compileRead(screen.writeStatistics(settings));
  return {
    findBroadcastStatistics: async ({ db }) => found(await readStatistics(db)),
    updateBroadcastStatistics: keepRecords(screen.statisticsTable, settings).update,
    addBroadcastRecord: save,
    updateBroadcastRecord: update,
    listBroadcastRecords: async ({ db, query }) => found(await screen.listBroadcasts(db, settings, query)),
    deleteBroadcastRecords: remove,
    findBroadcastRecord: ({ db, params }) => info({ db, params: { id: params.recordId } }),
  };
}

function teamHandlers({ settings }: Platform): Handlers<typeof emergencyTeamEndpoints> {
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
  };
}

function consumptionHandlers({ settings }: Platform): Handlers<typeof consumptionEndpoints> {
  const { page, update } = keepRecords(statistics.consumptionCategories, settings);
  return {
    // There is no newest: the six are there from the start, and are shown in their own order.
    listConsumption: ({ db, query }) => page({ db, query: { ...query, orderField: query.orderField ?? "id" } }),
    updateConsumption: update,
  };
}

function detectionHandlers(platform: Platform, turns: Turns): Handlers<typeof detectionEndpoints> {
  const { detections } = statistics;
  const { page, save, update, remove } = keepRecords(detections, platform.settings);
  const importBook = openImport(platform, turns, detectionBook);
  return {
    listDetection: page,
    saveDetection: save,
    importDetection: {
      withoutTransaction: (call) =>
        importBook(call, (rows) =>
          call.transact(async (tx) => {
            // Two that store the same rows in another order would wait for each other.
            await takeTurn(tx, detections);
            const known = await statistics.insertDetections(tx, rows);
            refuseFaulty([...rows.faults, ...known]);
            call.audit.detail = { rows: rows.count };
            return String(rows.count);
          }),
        ),
    },
    updateDetection: update,
    deleteDetection: remove,
    detectionTemplate: ({ request }) => sendTemplate(request, detectionBook),
  };
}

function feverClinicHandlers(platform: Platform, turns: Turns): Handlers<typeof feverClinicEndpoints> {
  const { feverClinics } = statistics;
  const { page, update, remove } = keepRecords(feverClinics, platform.settings);
  const readLast = compileRead(statistics.writeLast(platform.settings));
  const importBook = openImport(platform, turns, feverClinicBook);
  return {
    listFeverClinics: page,
    saveFeverClinics: async ({ db, body, audit }) => {
      await takeTurn(db, feverClinics);
      const ids = await statistics.replaceFeverClinics(db, body.datas);
      audit.records = ids;
      return String(ids.length);
    },
    importFeverClinics: {
      withoutTransaction: (call) =>
        importBook(call, (rows) =>
          call.transact(async (tx) => {
            refuseFaulty(rows.faults);
            // Of two for one day the later wins whole.
            await takeTurn(tx, feverClinics);
            const ids = await statistics.replaceFromSheet(tx, call.params.dateStr, rows);
            call.audit.records = [call.params.dateStr];
            call.audit.detail = { rows: ids.length };
            return String(ids.length);
          }),
        ),
    },
    updateFeverClinic: update,
    deleteFeverClinics: remove,
    findLastFeverClinics: async ({ db }) => found(await readLast(db)),
    feverClinicTemplate: ({ request }) => sendTemplate(request, feverClinicBook),
  };
}

type PlanEndpoints = typeof eventPlanningEndpoints & typeof monthSummaryEndpoints;

function planHandlers({ settings, clock }: Platform): Handlers<PlanEndpoints> {
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
      found(await findRecord(db, monthSummaries, settings, { column: "month", value: params.month })),
    saveMonthSummary: (call) =>
      ofSummaries.save({ ...call, body: { ...call.body, month: call.body.month ?? presentMonth() } }),
    updateMonthSummary: ofSummaries.update,
    deleteMonthSummaries: ofSummaries.remove,
  };
}

type PlaceEndpoints = typeof scenicSpotEndpoints & typeof capacityEndpoints & typeof toiletEndpoints;

function placeHandlers({ settings }: Platform): Handlers<PlaceEndpoints> {
  const ofSpots = keepRecords(scenicSpots, settings);
  const ofCapacities = keepRecords(capacities, settings);
  const ofToilets = keepRecords(toilets, settings);
  return {
    listScenicSpots: ofSpots.page,
    findScenicSpot: ofSpots.info,
    findScenicSpotByName: async ({ db, params }) =>
      found(await findRecord(db, scenicSpots, settings, { column: "name", value: params.scenicSpotName })),
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
  };
}

function themeHandlers({ settings }: Platform): Handlers<typeof themeEndpoints> {
  const { save, update, remove } = keepRecords(screen.themes, settings);
  const readThemes = compileRead(screen.writeThemes(settings));
  const readCurrentTheme = compileRead(screen.writeCurrentTheme(settings));
  return {
    listThemes: async ({ db }) => found(await readThemes(db)),
    saveTheme: async (call) => {
      if (call.body.enable === "1") await screen.disableThemes(call.db);
      return save(call);
    },
    updateTheme: async (call) => {
      if (call.body.enable === "1") await screen.disableThemes(call.db);
      return update(call);
    },
    deleteThemes: remove,
    findCurrentTheme: async ({ db }) => (await readCurrentTheme(db)) ?? null,
  };
}

function mapHandlers({ settings: { MAP_DATUM: datum } }: Platform): Handlers<typeof mapEndpoints> {
  const readKeptMap = openKeptMap(datum);
  return {
    readCityMap: ({ db }) => readKeptMap(db),
    saveCityMap: {
      withoutTransaction: async ({ file, fields, transact, audit }) => {
        const map = convertMap(readUploadedMap(await readFile(file.path)), fields.datum, datum);
        const names = map.features.map(({ properties }) => properties.name);
        audit.detail = { features: names.length, datum: fields.datum };
        return transact(async (tx) => {
          await replaceMap(tx, JSON.stringify(map), datum, names);
          return String(names.length);
        });
      },
    },
    findMapMismatches: ({ db }) => listMismatches(db),
  };
}

function readUploadedMap(bytes: Buffer) {
  try {
    return readCityMap(bytes);
  } catch (error) {
    throw error instanceof MapFault ? new Problem("badFile", { detail: error.says }) : error;
  }
}

function overviewHandlers({ settings }: Platform, changes: Changes): Handlers<typeof overviewEndpoints> {
  const readOverview = screen.compileOverview(settings);
  return {
    readOverview: async ({ db }) => found(await readOverview(db)),
    followChanges: async () => changes.subscribe,
  };
}
