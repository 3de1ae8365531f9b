import type { Readable } from "node:stream";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { parseDateTime, writeTimes } from "#platform/contract/times.ts";
import { Within } from "#platform/database/index.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { compareDirectory, readRows } from "./compare.ts";
import type { endpoints } from "./contract.ts";
import { backfillProject, type Relay, replayDeliveries, type ReplaySelection } from "./delivery/index.ts";
import { maskSecret } from "./log-routes.ts";
import { listBodies, listDeliveries, listOwned } from "./log-store.ts";
import { readHealth } from "./project-health.ts";
import { presentProjects } from "./project-routes.ts";
import type { RelayPlatform } from "./settings.ts";

type Endpoints = Pick<typeof endpoints, "readOwn" | "listOwnDeliveries" | "replayOwn" | "compareOwn">;

export function ownHandlers(platform: RelayPlatform, relay: Pick<Relay, "wake">): Handlers<Endpoints> {
  const { pool, settings } = platform;
  const zone = settings.TIME_ZONE;
  // A comparison of a million digests takes 100 MB and about 17 seconds, so only one runs at a time.
  const comparing = openSemaphore({ permits: 1, maxWaiting: 0, refusal: busy });
  return {
    readOwn: async ({ db, guest }) => {
      const id = Number(guest);
      const [[found], [health]] = await Promise.all([
        presentProjects(db, Within.everywhere, platform, id),
        readHealth(platform, Within.everywhere, id),
      ]);
      if (!found || !health) throw new Problem("tokenInvalid");
      const { contact: _notForReceivers, ...project } = found;
      return { ...project, health };
    },

    listOwnDeliveries: async ({ db, guest, query }) => {
      const filter = { ...query, projectId: Number(guest), within: Within.everywhere };
      const { rows, totalCount } = await listDeliveries(db, filter, toListOrder(query, "id"));
      const ids = rows.map(({ id }) => id);
      const bodies = await listBodies(db, ids);
      const list = rows.map((row) => {
        const { projectId: _own, ...known } = writeTimes(row, zone);
        const body = bodies.get(row.id);
        return { ...known, body: body === undefined ? null : maskSecret(body) };
      });
      return toPage(list, totalCount, query);
    },

    replayOwn: withoutTransaction(async ({ db, guest, body }) => {
      const asked = toSelection(Number(guest), body, zone);
      const selection = "ids" in asked ? { ids: await listOwned(db, asked.ids, Number(guest)) } : asked;
      if ("ids" in selection && selection.ids.length === 0) throw new Problem("notFound");
      const count = await replayDeliveries(pool, selection);
      relay.wake();
      return String(count);
    }),

    compareOwn: withoutTransaction(({ guest, query, request }) =>
      comparing.run(async () => {
        const projectId = Number(guest);
        const rows = await readRows(request.body as Readable | undefined);
        const found = await compareDirectory(pool, projectId, rows);
        if (query.send === 1) {
          const wanted = new Set([...found.missing, ...found.different]);
          await backfillProject(pool, projectId, zone, wanted);
          relay.wake();
        }
        return found;
      }),
    ),
  };
}

const busy = {
  detail: { zh: "另一次核对正在进行，请稍后再试", en: "another comparison is running; try again later" },
  headers: { "retry-after": "30" },
};

/** @throws {Problem} badFormat unless the body has ids, or from and to */
function toSelection(
  projectId: number,
  { ids, from, to }: Call<Endpoints["replayOwn"]>["body"],
  zone: string,
): ReplaySelection {
  if (ids && from === undefined && to === undefined) return { ids };
  if (!ids && from !== undefined && to !== undefined)
    // Times in requests have no fractions of a second, so the whole last second is included.
    return {
      projectId,
      since: parseDateTime(from, zone),
      until: new Date(parseDateTime(to, zone).getTime() + 1000),
    };
  throw explain("badFormat", "请填写 ids，或 from 与 to", "specify ids, or from and to");
}
