// The chain of hashes over the audit log: sealing, looking, anchors.
import { type AuditKey, readAuditKeys } from "#platform/contract/audit-keys.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { checkPart, type HealthPart } from "#platform/process/health.ts";
import type { Pool } from "#platform/database/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import type { Platform } from "#platform/process/platform.ts";
import { anchorMessage, readAnchor } from "./anchors.ts";
import { checkChain } from "./check.ts";
import { keepCheck, readChainFigures } from "./check-store.ts";
import { sealLines } from "./seal.ts";

export { type Anchor, parseAnchors, readAnchor } from "./anchors.ts";
export { type ChainReport, checkChain } from "./check.ts";
export { cutLines } from "./cut.ts";
export { sealLines } from "./seal.ts";

const sealMs = 5000;
const oldSeconds = 600;
const checkTask = "platform-audit-check";

/** The chain as a process looks after it. */
export interface Chain {
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
  /** Begins to seal what is written, every five seconds. */
  readonly start: () => void;
  readonly settle: () => Promise<void>;
}

export function createChain(platform: Platform): Chain {
  const keys = readAuditKeys(platform.settings.AUDIT_KEY);
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let sealing: Promise<unknown> | undefined;
  const seal = () => {
    sealing ??= sealLines(platform.pool, keys[0], stop.signal)
      .catch((error: unknown) => platform.log.warn(toLoggable(error), "the audit log could not be sealed"))
      .finally(() => (sealing = undefined));
  };
  return {
    tasks: { [checkTask]: () => checkNightly(platform) },
    // At night, and not when backups begin.
    recurring: [{ task: checkTask, pattern: "40 3 * * *" }],
    start: () => void (timer ??= setInterval(seal, sealMs).unref()),
    settle: async () => {
      clearInterval(timer);
      stop.abort();
      await sealing;
    },
  };
}

/** Looks at the whole chain, keeps what was found for health, and has the day's anchor in the log, which is kept elsewhere. */
async function checkNightly({ pool, settings, log, clock }: Platform): Promise<void> {
  const { lines, faults, told } = await checkChain(pool, readAuditKeys(settings.AUDIT_KEY));
  await keepCheck(pool, { lines, faults, firstFault: told[0] ?? null, at: new Date(clock()) });
  if (faults > 0) log.error({ faults, told: told.slice(0, 10) }, "the audit log is not what was sealed");
  const anchor = await readAnchor(pool);
  if (anchor) log.info(anchor, anchorMessage);
}

/** How many lines are sealed and wait for it, and what the last look at the whole chain has found. */
export const checkAuditHealth = ({ pool, settings }: Platform): Promise<HealthPart> =>
  checkPart("audit", { zh: "审计日志", en: "Audit log" }, async () => {
    const { checkedAt, unadopted, ...figures } = await readChainFigures(pool);
    const isLate = figures.oldestYoungSeconds > oldSeconds && !unadopted;
    const state = (figures.faults ?? 0) > 0 ? "failed" : isLate ? "degraded" : "ok";
    return {
      state,
      figures: { ...figures, keyed: settings.AUDIT_KEY !== undefined, checkedAt: checkedAt?.toISOString() ?? null },
    };
  });

/** The chain as a restored database is judged by it; nothing of one from before there was a chain. */
export async function checkAuditBook(pool: Pool, keys: readonly AuditKey[]): Promise<BookCheck[]> {
  const [known] = await pool<{ known: boolean }[]>`select to_regclass('platform.audit_chain') is not null as known`;
  if (known?.known !== true) return [];
  const { faults } = await checkChain(pool, keys);
  return [{ what: "lines of the audit log that are not what was sealed", expected: 0, found: faults }];
}
