import { formatDateTime } from "#platform/contract/times.ts";
import { openHeldFiles } from "#services/attendance/import/held-files.ts";
import { toStorageLimits } from "#platform/files/temporary-files.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { analysisTasks } from "#services/attendance/analysis/analyse.ts";
import { downloadHandlers } from "#services/attendance/answers/download-routes.ts";
import { importHandlers } from "#services/attendance/answers/import-routes.ts";
import { type ChooseMonth, monthHandlers } from "#services/attendance/answers/month-routes.ts";
import { peopleHandlers } from "#services/attendance/answers/people-routes.ts";
import { settingsHandlers } from "#services/attendance/answers/settings-routes.ts";
import { correctionHandlers } from "#services/attendance/corrections/routes.ts";
import { objectionHandlers } from "#services/attendance/objections/routes.ts";
import {
  describeEmployees,
  employeesPage,
  identifyEmployee,
  refuseEmployees,
} from "#services/attendance/own/employees.ts";
import { ownHandlers } from "#services/attendance/own/routes.ts";
import { removeOldRows } from "#services/attendance/import/import-store.ts";
import { sweepTask } from "#services/attendance/import/import.ts";
import { attendance } from "./contract.ts";
import { monthOf } from "./days.ts";
import { attendanceNotices } from "./notices.ts";
import { findLatestMonth, warnOfPeriods } from "./month-store.ts";
import { oldRecords } from "./old-records.ts";
import { persons, retained } from "./privacy-store.ts";
import { type AttendancePlatform, attendanceSettings, type AttendanceSettings } from "./settings.ts";
import { sealedColumns } from "./stored-rows.ts";

export const attendanceModule: ServiceModule<AttendanceSettings> = {
  contract: attendance,
  settings: attendanceSettings,
  setup: [
    {
      name: "first-import",
      title: { zh: "导入首月考勤", en: "Import the first month" },
      about: { zh: "没有导入的月份，考勤无法分析", en: "Attendance cannot be analysed without an imported month" },
      page: "/attendance/imports",
      isDone: ({ pool }) => pool.value<boolean>`select exists (select from attendance.import)`,
    },
  ],
  create: createAttendance,
  notices: attendanceNotices,
  findRefusals: refuseEmployees,
  describeStart: describeEmployees,
  persons,
  dimensionColumns: {
    department: ["attendance.roster", "department"],
    groupOfCheck: ["attendance.roster", "group_name"],
  },
  retained,
  oldRecords,
  sealed: sealedColumns,
};

// The number is small, since each import needs a worker thread and two database connections.
const mostImportsAtOnce = 2;
const heldFiles = { forMs: 15 * 60_000, mostFiles: 20 };
const mostHeldBytes = 1024 ** 3;

function createAttendance(platform: AttendancePlatform): Service {
  const { pool, settings, clock } = platform;
  const turns = openSemaphore({
    permits: Math.max(1, Math.min(mostImportsAtOnce, Math.floor(settings.DATABASE_POOL / 2) - 1)),
  });
  // Files that are kept after previews must leave room for other uploads.
  const mostBytes = Math.min(mostHeldBytes, toStorageLimits(settings).serviceQuotaBytes / 4);
  const held = openHeldFiles({ ...heldFiles, mostBytes });
  const analysis = analysisTasks(pool);
  const { ATTENDANCE_PERIOD_START: periodStart } = settings;
  const today = () => formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 10);
  const chooseMonth: ChooseMonth = async (db, month) =>
    month ?? (await findLatestMonth(db)) ?? monthOf(today(), periodStart);
  const handlers = {
    ...importHandlers({ platform, turns }, held),
    ...monthHandlers(platform, chooseMonth),
    ...peopleHandlers(platform, chooseMonth),
    ...downloadHandlers(platform, chooseMonth),
    ...settingsHandlers(platform, chooseMonth),
    ...correctionHandlers(platform),
    ...objectionHandlers(platform),
    ...ownHandlers(platform),
  };
  return defineService(attendance, handlers, {
    constraints: { correction_of_day: "alreadyExists", objection_of_day: "alreadyExists" },
    pages: [employeesPage(platform)],
    identifyGuest: identifyEmployee(platform),
    tasks: {
      ...analysis.tasks,
      [sweepTask]: () => removeOldRows(pool),
    },
    recurring: [...analysis.recurring, { task: sweepTask, pattern: "37 * * * *" }],
    findWarnings: () => warnOfPeriods(pool, periodStart),
    semaphores: { "attendance imports": turns },
    settle: async () => {
      await turns.whenIdle();
      await held.clear();
    },
  });
}
