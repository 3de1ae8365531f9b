import { deleteOldFailures } from "#platform/accounts/lockout.ts";
import { deleteOldCardSessions } from "#platform/cards/card-session.ts";
import { removeOldArrivals } from "#platform/files/file-store.ts";
import { removeUnclaimedUploads } from "#platform/files/upload.ts";
import { deleteOldAnswers } from "#platform/idempotency.ts";
import type { RecurringJob } from "#platform/jobs.ts";
import type { Platform } from "#platform/platform.ts";
import { deleteOldCounts } from "#platform/rate-limit.ts";

const task = "platform-housekeeping";

/** Removes what has run out: sessions, tickets, counts, keys, unclaimed uploads. */
export function housekeeping({ pool, files, clock }: Platform): {
  tasks: Readonly<Record<string, () => Promise<void>>>;
  recurring: readonly RecurringJob[];
} {
  const clean = async (): Promise<void> => {
    await pool`delete from platform.session where expires_at < now()`;
    await pool`delete from platform.ticket where expires_at < now()`;
    await deleteOldCardSessions(pool);
    await deleteOldFailures(pool);
    await deleteOldCounts(pool);
    await deleteOldAnswers(pool);
    await removeUnclaimedUploads(pool, files);
    await removeOldArrivals(files, clock());
  };
  return { tasks: { [task]: clean }, recurring: [{ task, pattern: "*/10 * * * *" }] };
}
