import type { JsonText } from "#platform/contract/envelope.ts";
import { type Db, startStatement, Within } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { broadcastRecord, broadcastStatistics } from "./broadcast-contract.ts";
import { miniToilets, scenicSpots } from "./place-store.ts";
import { monthSummaries, plans } from "./planning-store.ts";
import {
  compileRead,
  contains,
  equals,
  type FieldOf,
  fileFolder,
  instant,
  type ListQuery,
  plain,
  quote,
  readJson,
  type RecordTable,
  selectFields,
  takeTurn,
  toArray,
  toMonth,
  toObject,
  writePage,
  yesOrNo,
} from "./record-store.ts";
import type { ModuleName, theme } from "./screen-contract.ts";
import { consumptionCategories, detections, writeLast } from "./statistics-store.ts";
import type { member, team } from "./team-contract.ts";

export const statisticsTable: RecordTable<FieldOf<typeof broadcastStatistics>> = {
  table: "disease_command.broadcast_statistics",
  columns: {
    numOfDevice: plain("devices"),
    rateOfInline: plain("online_rate"),
    numOfBroadcasts: plain("broadcasts"),
    broadcastDuration: plain("duration_hours"),
    broadcastTime: plain("periods"),
  },
};

export const broadcasts: RecordTable<FieldOf<typeof broadcastRecord>> = {
  table: "disease_command.broadcast_record",
  columns: {
    title: plain("title"),
    address: plain("address"),
    broadcastType: plain("broadcast_type"),
    messageType: plain("message_type"),
    content: plain("content"),
    playTime: instant("played_at"),
    extraFile: plain("extra_file"),
    // The base URL to which clients append the name of a file.
    extraFileShowUrl: { name: "extra_file", read: (settings) => quote(fileFolder(settings)) },
  },
  filters: {
    title: contains("title"),
    broadcastType: equals("broadcast_type"),
    messageType: equals("message_type"),
  },
  files: "extraFile",
  hasOneFile: true,
};

export const writeStatistics = (settings: Settings): string =>
  toObject(`select ${selectFields(statisticsTable, settings)} from ${statisticsTable.table}`);

export function listBroadcasts(db: Db, settings: Settings, query: ListQuery): Promise<JsonText | undefined> {
  const statement = startStatement();
  const figures = `broadcasts as "numOfBroadcasts", duration_hours as "broadcastDuration"`;
  const page = `${writePage(statement, broadcasts, settings, query, Within.everywhere)} as "recordPage"`;
  return readJson(db, statement, toObject(`select ${figures}, ${page} from ${statisticsTable.table}`));
}

export const teams: RecordTable<FieldOf<typeof team>> = {
  table: "disease_command.emergency_team",
  columns: {
    teamName: plain("name"),
    leader: plain("leader"),
    leaderPhone: plain("leader_phone"),
    duty: plain("duty"),
  },
  unique: { emergency_team_name_key: "teamName" },
};

export const members: RecordTable<FieldOf<typeof member>> = {
  table: "disease_command.emergency_team_member",
  columns: { teamId: plain("team_id"), name: plain("name"), phone: plain("phone"), post: plain("post") },
  filters: { teamId: equals("team_id") },
};

export const teamCounts = toObject(`
  select (select count(*) from ${teams.table}) as "teamCount", (select count(*) from ${members.table}) as "peopleCount"`);

export const countTeams = compileRead(teamCounts);

export const themes: RecordTable<FieldOf<typeof theme>> = {
  table: "disease_command.theme",
  columns: { themeName: plain("name"), enable: yesOrNo("enabled") },
  unique: { theme_name_key: "themeName" },
};

/** Disables all themes. The lock blocks other changes of themes until the transaction ends. */
export async function disableThemes(tx: Db): Promise<void> {
  await takeTurn(tx, themes);
  await tx`update disease_command.theme set enabled = false where enabled`;
}

const selectThemes = (settings: Settings): string => `select ${selectFields(themes, settings)} from ${themes.table}`;

export const writeThemes = (settings: Settings): string => toArray(`${selectThemes(settings)} order by id desc`);

export const writeCurrentTheme = (settings: Settings): string => toObject(`${selectThemes(settings)} where enabled`);

export function writeOverview(settings: Settings): string {
  const list = (table: RecordTable, rest: string) =>
    toArray(`select ${selectFields(table, settings, true)} from ${table.table} ${rest}`);
  const latestDates = `select distinct statistics_date from ${detections.table} order by 1 desc limit 30`;
  const parts: Readonly<Record<ModuleName, string>> = {
    broadcast: toObject(
      `select ${writeStatistics(settings)} as statistics, ${list(broadcasts, "order by id desc limit 10")} as records`,
    ),
    consumptionCategoryStatistics: list(consumptionCategories, "order by id"),
    detectionStatistics: list(
      detections,
      `where statistics_date in (${latestDates}) order by statistics_date desc, id desc`,
    ),
    emergencyTeam: teamCounts,
    eventPlanning: list(
      plans,
      `where ${toMonth("starts_at", settings)} >= ${toMonth("now()", settings)} order by starts_at, id limit 20`,
    ),
    // The screen shows only titles, and a content may take 2 MiB, so contents are omitted.
    eventPlanningMonthSummary: list({ ...monthSummaries, unlisted: "content" }, "order by month desc limit 12"),
    feverClinicOfHospitalStatistics: writeLast(settings, startStatement(), Within.everywhere),
    scenicSpotOverview: list(scenicSpots, "order by id desc limit 100"),
    theme: writeCurrentTheme(settings),
    toilet: miniToilets,
  };
  const columns = Object.entries(parts).map(([name, part]) => `${part} as "${name}"`);
  return toObject(`select ${columns.join(", ")}`);
}
