import { auditOutlet } from "#platform/accounts/audit-outlet.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { isAuditProtected } from "./audit-store.ts";

/** Whether the server's own role can do no more with the audit log than it should, and whether lines leave as they are written. */
export const readAuditHealth = ({ pool }: Platform): Promise<Part> =>
  readPart("audit", { zh: "审计日志", en: "Audit log" }, async () => {
    const { waiting, lost } = auditOutlet?.readFigures() ?? { waiting: null, lost: null };
    return { protected: await isAuditProtected(pool), leaves: auditOutlet !== undefined, unsent: waiting, lost };
  });
