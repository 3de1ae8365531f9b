import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { parseDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { holdUploads } from "#platform/files/holds.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { listEvents, listEventsOf } from "./history-store.ts";
import { askOutside, linkSubmitter, recallOpenId, rememberOpenId } from "./messaging.ts";
import type { Receipts } from "./receipts.ts";
import { service, toHolder, toUploadName } from "./rules.ts";
import { findReport, insertReport, listReportsOf, setOpenId } from "./store.ts";
import { getSubmitter, readSubmitterToken, startSubmitterSession } from "./submitter-session.ts";
import { toReceipt } from "./wire-rows.ts";

type Endpoints = Pick<
  typeof endpoints,
  "addReport" | "readReceipt" | "listOwnReports" | "findPhone" | "findOpenId" | "openSession"
>;

/** The handlers of those who submit: what they send, what became of it, and who they are. */
export function submissionHandlers({ settings, messaging }: Platform, receipts: () => Receipts): Handlers<Endpoints> {
  const zone = settings.TIME_ZONE;
  return {
    addReport: {
      // It opens its own: the receipt is of the id that a repeated submission got the first time.
      withoutTransaction: async ({ body, transact, request, reply }) => {
        const { code, ...report } = body;
        const names = listUploadNames(report);
        const session = readSubmitterToken(request);
        const submitter = messaging && session === undefined ? code : undefined;
        const add = async (tx: Db): Promise<string> => {
          const openId = session === undefined ? undefined : await getSubmitter(tx, session);
          const made = await insertReport(tx, { ...report, tenderTime: parseDateTime(report.tenderTime, zone) });
          if (names.length > 0) await holdUploads(tx, { service, record: toHolder(made) }, names);
          if (openId !== undefined) await setOpenId(tx, made, openId);
          else if (submitter) await linkSubmitter(tx, made, submitter);
          return String(made);
        };
        const isOneStatement = names.length === 0 && !submitter && session === undefined;
        const id = await transact(add, isOneStatement ? "oneStatement" : undefined);
        reply.header("report_receipt", receipts().make(Number(id)));
        return id;
      },
    },

    readReceipt: async ({ db, params }) => {
      const id = receipts().read(params.receipt);
      const report = id === undefined ? undefined : await findReport(db, id);
      if (!report) throw new Problem("notFound");
      return toReceipt(report, await listEvents(db, report.id), zone);
    },

    listOwnReports: async ({ db, query, request }) => {
      const openId = await getSubmitter(db, readSubmitterToken(request));
      const { rows, totalCount } = await listReportsOf(db, openId, query);
      const events = await listEventsOf(
        db,
        rows.map(({ id }) => id),
      );
      const list = rows.map((row) => ({
        ...toReceipt(row, events.get(row.id) ?? [], zone),
        receipt: receipts().make(row.id),
      }));
      return toPage(list, totalCount, query);
    },

    findPhone: async ({ query }) => {
      const code = getCode(query.code);
      const phone = await askOutside(messaging, (outside) => outside.findPhone(code));
      if (phone === null) throw explain("notFound", "该用户未绑定手机号", "no phone number is bound");
      return phone;
    },

    findOpenId: async ({ db, query }) => {
      const code = getCode(query.code);
      const known = messaging ? await recallOpenId(db, code) : undefined;
      if (known !== undefined) return known;
      const { openId } = await askOutside(messaging, (outside) => outside.identify(code));
      await rememberOpenId(db, code, openId);
      return openId;
    },

    openSession: {
      // The messaging platform is asked before the transaction.
      withoutTransaction: async ({ body, transact }) => {
        const code = getCode(body.code);
        const { openId, phone } = await askOutside(messaging, (outside) => outside.identify(code));
        return { token: await transact((tx) => startSubmitterSession(tx, openId), "oneStatement"), phone };
      },
    },
  };
}

function getCode(code: string | undefined): string {
  if (!code) throw explain("badFormat", "code: 不能为空", "code: is missing");
  return code;
}

const listUploadNames = ({ bFile = [], file }: { bFile?: string[] | undefined; file?: string | undefined }): string[] =>
  [...bFile, file ?? ""].map(toUploadName).filter((name) => name !== undefined);
