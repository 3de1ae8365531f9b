import { auditOutlet } from "#platform/accounts/audit-outlet.ts";
import { checkPart, type HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { isAuditProtected } from "./audit-store.ts";

const manyWaiting = 100;

/** Whether the server's own role can do no more with the audit log than it should, and whether lines leave as they are written. */
export const checkAudit = ({ pool }: Platform): Promise<HealthPart> =>
  checkPart("audit", { zh: "审计日志", en: "Audit log" }, async () => {
    const { waiting, lost } = auditOutlet?.readFigures() ?? { waiting: null, lost: null };
    return {
      state: (waiting ?? 0) > manyWaiting || (lost ?? 0) > 0 ? "degraded" : "ok",
      figures: { protected: await isAuditProtected(pool), leaves: auditOutlet !== undefined, unsent: waiting, lost },
    };
  });
