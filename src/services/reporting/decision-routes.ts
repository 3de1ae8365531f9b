import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { releaseUploads } from "#platform/files/holds.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { noteDeed } from "./history-store.ts";
import { queueVerdict, sendsVerdicts } from "./messaging.ts";
import { service, mayClose, mayJudge, toHolder, type Verdict, verdicts } from "./rules.ts";
import { closeReport, deleteReports, judgeReport, lockReport, type LockedReport } from "./store.ts";

type Endpoints = Pick<typeof endpoints, "deleteReports" | "closeReport" | "markValid" | "markInvalid">;

/** The handlers of what administrators decide of a report. */
export function decisionHandlers(platform: Platform): Handlers<Endpoints> {
  return {
    deleteReports: async ({ db, body, caller, audit }) => {
      if (!body.ids?.length) throw new Problem("idMissing");
      const deleted = await deleteReports(db, body.ids);
      if (deleted.length === 0) throw new Problem("notFound");
      await noteDeed(db, deleted, { what: "deleted" }, caller);
      // There is no way back from deleted.
      await releaseUploads(db, { service, records: deleted.map(toHolder), removal: "atOnce" });
      audit.records = deleted;
      return String(deleted.length);
    },

    closeReport: async ({ db, body, caller, audit }) => {
      const report = await getLockedReport(db, body.itemId);
      if (!mayClose(report))
        throw explain("notAllowedNow", "只能关闭进行中的报备", "only a report in progress can be closed");
      await closeReport(db, report.id);
      await noteDeed(db, [report.id], { what: "closed" }, caller);
      audit.records = [report.id];
      return "1";
    },

    markValid: (call) => judge(platform, call, "valid"),
    markInvalid: (call) => judge(platform, call, "invalid"),
  };
}

async function getLockedReport(tx: Db, itemId: number | undefined): Promise<LockedReport> {
  if (itemId === undefined) throw new Problem("idMissing");
  const report = await lockReport(tx, itemId);
  if (!report) throw new Problem("notFound");
  return report;
}

type VerdictCall = Pick<Call<Endpoints["markValid"]>, "db" | "body" | "caller" | "audit">;

async function judge(
  { messaging }: Platform,
  { db, body, caller, audit }: VerdictCall,
  verdict: Verdict,
): Promise<string> {
  const report = await getLockedReport(db, body.itemId);
  if (!mayJudge(report)) throw explain("notAllowedNow", "已删除的报备不能判定", "a deleted report cannot be judged");
  const ps = body.ps || undefined;
  await judgeReport(db, report.id, verdicts[verdict], ps);
  await noteDeed(db, [report.id], { what: "judged", verdict: verdicts[verdict], ps }, caller);
  if (report.openId !== null && sendsVerdicts(messaging)) await queueVerdict(db, report.id, verdict, ps);
  audit.records = [report.id];
  if (ps !== undefined) audit.detail = { ps };
  return "1";
}
