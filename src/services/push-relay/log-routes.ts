import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { describeHeaders, type Relay, replayDeliveries } from "./delivery/index.ts";
import {
  type AttemptRow,
  type DeliveryRow,
  type DirectoryField,
  type DirectoryRow,
  type ExchangeRow,
  findDelivery,
  findForwarded,
  hasDelivery,
  listAttempts,
  listDeliveries,
  listDirectory,
  listExchanges,
} from "./log-store.ts";
import { hasProject } from "./project-store.ts";

type Endpoints = Pick<
  typeof endpoints,
  "listDeliveries" | "findDelivery" | "findExchanges" | "replayDeliveries" | "listDirectory"
>;

/** The handlers of what has been sent, is to be sent, and can be sent. */
export function logHandlers({ pool, settings }: Platform, relay: Pick<Relay, "wake">): Handlers<Endpoints> {
  const zone = settings.TIME_ZONE;
  return {
    listDeliveries: async ({ db, query }) => {
      const { rows, totalCount } = await listDeliveries(db, query, toListOrder(query, "id"));
      return toPage(
        rows.map((row) => toDelivery(row, zone)),
        totalCount,
        query,
      );
    },

    findDelivery: async ({ db, params: { id } }) => {
      const row = await findDelivery(db, id);
      if (!row) throw new Problem("notFound");
      const attempts = await listAttempts(db, id);
      return { ...toDelivery(row, zone), attempts: attempts.map((attempt) => toAttempt(attempt, zone)) };
    },

    findExchanges: async ({ db, params: { id } }) => {
      const sent = await findForwarded(db, id);
      if (!sent) throw new Problem("notFound");
      return toExchanges(sent, await listExchanges(db, id), zone);
    },

    replayDeliveries: {
      withoutTransaction: async ({ db, body, audit, transact }) => {
        const selection = toSelection(body, zone);
        await refuseUnknown(db, selection);
        audit.records = "ids" in selection ? [...selection.ids] : [selection.projectId];
        if (!("ids" in selection)) audit.detail = { since: body.since ?? null, status: body.status ?? null };
        await transact(async () => "1");
        const count = await replayDeliveries(pool, selection);
        relay.wake();
        return String(count);
      },
    },

    listDirectory: async ({ db, query, audit }) => {
      const { curPage, kind = null, keyword } = query;
      const { rows, totalCount } = await listDirectory(db, query, toListOrder<DirectoryField>(query, "id"));
      // Not the keyword, which may be anybody's name or number, and not the subjects: a page has up to a thousand.
      audit.detail = { kind, searched: keyword !== undefined, page: curPage, rows: rows.length };
      return toPage(
        rows.map((row) => toDirectoryEntry(row, zone)),
        totalCount,
        query,
      );
    },
  };
}

type ReplayBody = Call<Endpoints["replayDeliveries"]>["body"];
type Selection = Parameters<typeof replayDeliveries>[1];

/** @throws {Problem} badFormat for anything but ids, projectId with since, or projectId with status. */
function toSelection({ ids, projectId, since, status }: ReplayBody, zone: string): Selection {
  if (ids && projectId === undefined && since === undefined && status === undefined) return { ids };
  if (!ids && projectId !== undefined) {
    if (since !== undefined && status === undefined) return { projectId, since: parseDateTime(since, zone) };
    if (status !== undefined && since === undefined) return { projectId, status };
  }
  throw explain(
    "badFormat",
    "应为 ids，或 projectId 加 since，或 projectId 加 status",
    "must be ids, or projectId with since, or projectId with status",
  );
}

async function refuseUnknown(db: Db, selection: Selection): Promise<void> {
  const known = "ids" in selection ? hasDelivery(db, selection.ids) : hasProject(db, selection.projectId);
  if (!(await known)) throw new Problem("notFound");
}

// Stored rows in the contract's spelling.

const toTime = (instant: Date | null, zone: string): string | null => instant && formatDateTime(instant, zone);

const toDelivery = (row: DeliveryRow, zone: string) => ({
  id: row.id,
  eventId: row.eventId,
  projectId: row.projectId,
  event: row.event,
  subject: row.subject === "" ? null : row.subject,
  status: row.status,
  attempts: row.attempts,
  nextAttemptTime: toTime(row.nextAttemptAt, zone),
  lastStatusCode: row.lastStatusCode,
  lastError: row.lastError,
  createTime: formatDateTime(row.createdAt, zone),
  deliveredTime: toTime(row.deliveredAt, zone),
});

const toAttempt = (row: AttemptRow, zone: string) => ({
  time: formatDateTime(row.at, zone),
  statusCode: row.statusCode,
  durationMs: row.durationMs,
  error: row.error,
});

const toExchanges = (
  { publicId, body }: { readonly publicId: string; readonly body: string },
  rows: readonly ExchangeRow[],
  zone: string,
) => ({
  method: "POST" as const,
  body,
  attempts: rows.map(({ at, url, ...answer }) => ({
    time: formatDateTime(at, zone),
    url,
    headers: describeHeaders(publicId, at),
    response:
      answer.headers === null || answer.body === null
        ? null
        : { headers: JSON.parse(answer.headers) as Record<string, string>, body: answer.body, cut: answer.cut },
  })),
});

const toDirectoryEntry = (row: DirectoryRow, zone: string) => ({
  kind: row.kind,
  subject: row.identity,
  name: row.name,
  data: JSON.parse(row.data) as Record<string, unknown>,
  updateTime: formatDateTime(row.changedAt, zone),
});
