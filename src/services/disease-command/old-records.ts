import { oldAccounts } from "#platform/accounts/old-accounts.ts";
import type { CopyValue } from "#platform/database/index.ts";
import { type OldRecord, type OldRow, toFlag } from "#platform/process/old-row.ts";
import { capacities, scenicSpots, toilets } from "./place-store.ts";
import { monthSummaries, plans } from "./planning-store.ts";
import type { RecordTable } from "./record-store.ts";
import { service } from "./records.ts";
import { broadcasts, members, statisticsTable, teams, themes } from "./screen-store.ts";
import { consumptionCategories, detections, feverClinics } from "./statistics-store.ts";

type Read = (old: OldRow, field: string) => CopyValue;

const textOrNull: Read = (old, field) => old.textOrNull(field);
const time: Read = (old, field) => old.time(field);
const timeOrNull: Read = (old, field) => old.timeOrNull(field);
const isOne: Read = (old, field) => toFlag(old.choice(field, ["1", "2"], "1") === "1");
const count: Read = (old, field) => old.integerOrNull(field) ?? 0;
const name: Read = (old, field) => old.name(field);
const month: Read = (old, field) => old.name(field).slice(0, "yyyy-MM".length);

const mostInt32 = 2_147_483_647;
const count32: Read = (old, field) => old.integerOrNull(field, mostInt32) ?? 0;

const noRate = { zh: "应为 0 到 1 之间的数", en: "must be a number from 0 to 1" };
function readRate(old: OldRow, field: string): number {
  const rate = old.decimalOrNull(field) ?? 0;
  if (rate > 1) old.find("refused", field, noRate);
  return rate;
}

const reads: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    ["leader", "leaderPhone", "duty", "post", "images", "urlOfVr", "extraFile"].map((field) => [field, textOrNull]),
  ),
  ...Object.fromEntries(["itemNo", "thirdOpenFlag", "thirdOpenId"].map((field) => [field, textOrNull])),
  ...Object.fromEntries(
    ["numOfBarrierFree", "numOfThird", "numOfMan", "numOfWoman", "numOfCommon", "sort", "maxCapacity"]
      .concat("numOfEmergencyCrew", "numOfEmergencMaterial", "numOfDevice")
      .map((field) => [field, count32]),
  ),
  ...Object.fromEntries(
    [
      "detectionCount",
      "abnormalCount",
      "feverClinicCount",
      "epidemicCount",
      "numOfBroadcasts",
      "broadcastDuration",
    ].map((field) => [field, count]),
  ),
  rateOfInline: readRate,
  teamId: (old, field) => old.id(field),
  value: (old, field) => old.decimalOrNull(field) ?? 0,
  statisticsDate: (old, field) => old.day(field) ?? old.time(field),
  enable: isOne,
  status: isOne,
  month,
  playTime: timeOrNull,
  startTime: time,
  publishTime: (old, field) => old.timeOrNull(field) ?? old.timeOrNull("startTime") ?? old.time(field),
  updateTime: (old, field) => old.timeOrNull(field) ?? old.time("statisticsDate"),
};
// The field `extraFileShowUrl` only shows `extraFile` in another form, so old tables may lack it.
const isSecondName = (field: string): boolean => field === "extraFileShowUrl";

function recordOf(called: string, { table, columns, files }: RecordTable, own: Partial<OldRecord> = {}): OldRecord {
  const fields = Object.entries(columns).filter(([field]) => !isSecondName(field));
  const names = new Set((own.unique ?? []).flatMap(({ of }) => of));
  return {
    name: called,
    table,
    columns: fields.map(([, column]) => column.name),
    toRow: (old) =>
      Object.fromEntries(
        fields.map(([field, column]) => {
          const read = reads[field] ?? (names.has(column.name) ? name : (_, of) => old.text(of));
          return [column.name, read(old, field)];
        }),
      ),
    ...(files !== undefined && {
      files: { columns: [columns[files]?.name ?? ""], holder: table.slice(table.indexOf(".") + 1), byName: true },
    }),
    ...own,
  };
}

const byName = (...of: string[]): Pick<OldRecord, "unique"> => ({ unique: [{ of, otherwise: "refuse" }] });

export const oldRecords: readonly OldRecord[] = [
  // A migration has inserted some categories already. Imported categories with the same name are merged into them.
  recordOf("consumption", consumptionCategories, { hasOwnIds: true, unique: [{ of: ["name"], otherwise: "merge" }] }),
  recordOf("detection", detections, {
    ...byName("statistics_date", "people_type"),
    counted: { by: "to_char(statistics_date, 'YYYY-MM')", sum: "detections" },
  }),
  recordOf("teams", teams, byName("name")),
  recordOf("members", members, { refersTo: { team_id: { record: "teams", table: teams.table } } }),
  recordOf("plans", plans, { counted: { by: "to_char(starts_at, 'YYYY-MM')" } }),
  recordOf("monthSummaries", monthSummaries, byName("month")),
  recordOf("feverClinics", feverClinics, {
    ...byName("statistics_date", "hospital"),
    counted: { by: "to_char(statistics_date, 'YYYY-MM')", sum: "fever_patients" },
  }),
  recordOf("scenicSpots", scenicSpots, byName("name")),
  recordOf("capacities", capacities, byName("scenic_spot_name")),
  recordOf("themes", themes, {
    unique: [
      { of: ["name"], otherwise: "refuse" },
      { of: ["nullif(enabled, false)"], otherwise: "refuse" },
    ],
  }),
  recordOf("toilets", toilets, byName("name")),
  // The statistics are one row, which a migration has inserted. The imported row is merged into it.
  recordOf("broadcastStatistics", statisticsTable, {
    hasOwnIds: true,
    unique: [{ of: ["'the only row'"], otherwise: "merge" }],
  }),
  recordOf("broadcasts", broadcasts),
  oldAccounts(service, ["0", "1"]),
];
