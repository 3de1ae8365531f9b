import { openHeldFiles } from "#platform/files/held-files.ts";
import { toRoomLimits } from "#platform/files/upload.ts";
import { openTurns } from "#platform/jobs/turns.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { analysisTasks } from "./analysis/analyse.ts";
import { attendance } from "./contract.ts";
import { removeOldRows } from "./import/import-store.ts";
import { sweepTask } from "./import/import.ts";
import { persons } from "./person-store.ts";
import { retained } from "./retention-store.ts";
import { attendanceHandlers } from "./routes.ts";
import { sealedColumns } from "./sealed.ts";
import { attendanceSettings } from "./settings.ts";

/** The attendance service: workbooks in, one explained row an employee out. */
export const attendanceModule: ServiceModule = {
  contract: attendance,
  settings: attendanceSettings,
  create: createAttendance,
  persons,
  retained,
  sealed: sealedColumns,
};

// Each reads in a thread of its own and takes two of the process's database connections.
const mostImportsAtOnce = 2;
// Between the look at a file and its import a person reads what would become of the month.
const heldFiles = { forMs: 15 * 60_000, mostFiles: 20 };
const mostHeldBytes = 1024 ** 3;

function createAttendance(platform: Platform): Service {
  const { pool, settings } = platform;
  const turns = openTurns({
    atOnce: Math.max(1, Math.min(mostImportsAtOnce, Math.floor(settings.DATABASE_POOL / 2) - 1)),
  });
  // They must not keep other files out.
  const mostBytes = Math.min(mostHeldBytes, toRoomLimits(settings).serviceQuotaBytes / 4);
  const held = openHeldFiles({ ...heldFiles, mostBytes });
  const analysis = analysisTasks(platform);
  return defineService(attendance, attendanceHandlers(platform, turns, held), {
    tasks: {
      ...analysis.tasks,
      [sweepTask]: () => removeOldRows(pool),
    },
    recurring: [...analysis.recurring, { task: sweepTask, pattern: "37 * * * *" }],
    turns: { "attendance imports": turns },
    settle: async () => {
      await turns.settle();
      await held.clear();
    },
  });
}
