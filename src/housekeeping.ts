import { deleteOldFailures } from "#platform/accounts/lockout.ts";
import { deleteOldSessions } from "#platform/accounts/session.ts";
import { deleteOldAttempts } from "#platform/accounts/sign-on/attempt-store.ts";
import {
  releaseUnclaimedUploads,
  removeLostFiles,
  removeReleasedUploads,
  removeUploadsTask,
} from "#platform/files/upload.ts";
import { deleteOldAnswers } from "#platform/http/idempotency.ts";
import { deleteOldCounts } from "#platform/http/rate-limit.ts";
import type { RecurringJob } from "#platform/jobs/runner.ts";
import type { Platform } from "#platform/process/platform.ts";

const task = "platform-housekeeping";

/** Removes what has run out: sessions, tickets, counts, keys, uploads that nobody holds. */
export function housekeeping({ pool, files, arrivals, clock, settings }: Platform): {
  tasks: Readonly<Record<string, () => Promise<void>>>;
  recurring: readonly RecurringJob[];
} {
  const clean = async (): Promise<void> => {
    await deleteOldSessions(pool, settings);
    await deleteOldFailures(pool);
    await deleteOldAttempts(pool);
    await deleteOldCounts(pool);
    await deleteOldAnswers(pool);
    await releaseUnclaimedUploads(pool);
    await arrivals.removeOld(clock());
    // Last: a store elsewhere may fail, and then the job is done again.
    await removeReleasedUploads(pool, files);
    await removeLostFiles(pool, files);
  };
  const removeUploads = (): Promise<void> => removeReleasedUploads(pool, files);
  return {
    tasks: { [task]: clean, [removeUploadsTask]: removeUploads },
    recurring: [{ task, pattern: "*/10 * * * *" }],
  };
}
