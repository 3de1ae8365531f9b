import { toPage } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime, parseDateTime, writeTimes } from "#platform/contract/times.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { describeHeaders, masked, type Relay, replayDeliveries } from "./delivery/index.ts";
import {
  type DirectoryField,
  findDelivery,
  findForwarded,
  listAttempts,
  listDeliveries,
  listDirectory,
  listExchanges,
  listKnown,
} from "./log-store.ts";
import { hasProject } from "./project-store.ts";

type Endpoints = Pick<
  typeof endpoints,
  "listDeliveries" | "findDelivery" | "findExchanges" | "replayDeliveries" | "listDirectory"
>;

export function logHandlers({ pool, settings }: Platform, relay: Pick<Relay, "wake">): Handlers<Endpoints> {
  const zone = settings.TIME_ZONE;
  return {
    listDeliveries: async ({ db, query, within }) => {
      const { rows, totalCount } = await listDeliveries(db, { ...query, within }, toListOrder(query, "id"));
      const list = rows.map((row) => writeTimes(row, zone));
      return toPage(list, totalCount, query);
    },

    findDelivery: async ({ db, params: { id }, within }) => {
      const row = found(await findDelivery(db, id, within));
      const attempts = await listAttempts(db, id);
      return { ...writeTimes(row, zone), attempts: attempts.map((attempt) => writeTimes(attempt, zone)) };
    },

    findExchanges: async ({ db, params: { id }, within }) => {
      const [known] = await listKnown(db, [id], within);
      const sent = found(known === undefined ? undefined : await findForwarded(db, known));
      const rows = await listExchanges(db, id);
      return {
        method: "POST" as const,
        body: maskSecret(sent.body),
        attempts: rows.map(({ time, url, headers, body, cut }) => ({
          time: formatDateTime(time, zone),
          url,
          headers: describeHeaders(sent.publicId, sent.contentType, time),
          response:
            headers === null || body === null
              ? null
              : { headers: JSON.parse(headers) as Record<string, string>, body, cut },
        })),
      };
    },

    replayDeliveries: withoutTransaction(async ({ db, body, audit, transact, within }) => {
      const asked = toSelection(body, zone);
      const selection = "ids" in asked ? { ids: await listKnown(db, asked.ids, within) } : asked;
      const isKnown = "ids" in selection ? selection.ids.length > 0 : await hasProject(db, selection.projectId, within);
      if (!isKnown) throw new Problem("notFound");
      audit.records = "ids" in selection ? [...selection.ids] : [selection.projectId];
      if (!("ids" in selection)) audit.detail = { since: body.since ?? null, status: body.status ?? null };
      await transact(async () => "1");
      const count = await replayDeliveries(pool, selection);
      relay.wake();
      return String(count);
    }),

    listDirectory: async ({ db, query, audit }) => {
      const { curPage, kind = null, keyword } = query;
      const { rows, totalCount } = await listDirectory(db, query, toListOrder<DirectoryField>(query, "id"));
      // The audit entry has neither the keyword nor the subjects, since a keyword may be a person's name or number, and
      // a page may have a thousand subjects.
      audit.detail = { kind, searched: keyword !== undefined, page: curPage, rows: rows.length };
      const list = rows.map(({ data, ...row }) => ({
        ...writeTimes(row, zone),
        data: JSON.parse(data) as Record<string, unknown>,
      }));
      return toPage(list, totalCount, query);
    },
  };
}

const sentSecret = /^(\{"app_key":"(?:[^"\\]|\\.)*","app_secret":)"(?:[^"\\]|\\.)*"/;

export const maskSecret = (body: string): string => body.replace(sentSecret, `$1"${masked}"`);

type ReplayBody = Call<Endpoints["replayDeliveries"]>["body"];
type Selection = Parameters<typeof replayDeliveries>[1];

/** @throws {Problem} badFormat unless the body has ids, or projectId with either since or status */
function toSelection({ ids, projectId, since, status }: ReplayBody, zone: string): Selection {
  if (ids && projectId === undefined && since === undefined && status === undefined) return { ids };
  if (!ids && projectId !== undefined) {
    if (since !== undefined && status === undefined) return { projectId, since: parseDateTime(since, zone) };
    if (status !== undefined && since === undefined) return { projectId, status };
  }
  throw explain(
    "badFormat",
    "请填写 ids，或 projectId 与 since，或 projectId 与 status",
    "specify ids, or projectId and since, or projectId and status",
  );
}
