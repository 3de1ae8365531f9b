import { JsonText } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { endpoints } from "./contract.ts";
import { acknowledge, nothingPulled, type PulledBatch, pullEvents, type Relay } from "./delivery/index.ts";
import { hasProject, isPulled } from "./project-store.ts";
import { identifyReceiver, replaceKey } from "./receiver-key.ts";
import type { RelayPlatform } from "./settings.ts";

type Endpoints = Pick<typeof endpoints, "rotateReceiverKey" | "pull" | "acknowledgePull">;

export function pullHandlers(
  platform: RelayPlatform,
  { waiting, notePulled }: Pick<Relay, "waiting" | "notePulled">,
): Handlers<Endpoints> {
  const { pool, settings, clock: nowMs } = platform;
  const leaseMs = settings.PUSH_PULL_SECONDS * 1000;

  const pullInTime = async ({ guest, query, request, reply }: Call<Endpoints["pull"]>): Promise<PulledBatch> => {
    const [projectId, untilMs] = [Number(guest), performance.now() + query.wait * 1000];
    for (;;) {
      // The reader registers before it reads, so that it misses no event stored in between.
      const leftMs = untilMs - performance.now();
      const place = leftMs > 0 ? await waiting.join(projectId, leftMs) : undefined;
      try {
        const batch = await pullEvents(pool, projectId, { limit: query.limit, leaseMs, nowMs });
        if (batch.more) waiting.call(projectId);
        if (batch.events.length > 0) return batch;
        await refuseUnlessPulled(projectId);
        if (!place || waiting.isEnded()) return batch;
        reply.raw.once("close", place.leave);
        await place.called;
      } finally {
        if (place) reply.raw.off("close", place.leave);
        place?.leave();
      }
      // The client has disconnected and must not take deliveries, so another reader is called.
      if (reply.raw.destroyed) {
        waiting.call(projectId);
        return nothingPulled;
      }
      await identifyReceiver(request, platform);
    }
  };

  const refuseUnlessPulled = async (projectId: number): Promise<void> => {
    if (await isPulled(pool, projectId)) return;
    throw explain(
      "notAllowedNow",
      "该项目未使用拉取方式，或已停用",
      "the project is disabled, or its receiver does not pull",
    );
  };

  return {
    rotateReceiverKey: async ({ db, query: { id }, audit, within }) => {
      if (!(await hasProject(db, id, within))) throw new Problem("notFound");
      audit.records = [id];
      return { key: await replaceKey(db, id) };
    },
    pull: async (call) => {
      // A HEAD request leases nothing.
      const { cursor, events, more } = call.request.method === "HEAD" ? nothingPulled : await pullInTime(call);
      return new JsonText(`{"cursor":${JSON.stringify(cursor)},"events":[${events.join(",")}],"more":${more}}`);
    },
    acknowledgePull: withoutTransaction(async ({ guest, body: { cursor } }) => {
      const projectId = Number(guest);
      const count = await acknowledge(pool, projectId, cursor);
      if (count === undefined)
        throw explain(
          "notFound",
          "cursor: 不属于本项目，或其中的事件已被重新领取",
          "cursor: does not belong to this project, or some of its events have been delivered again",
        );
      if (count > 0) {
        notePulled(projectId, count);
        waiting.announce();
      }
      return "1";
    }),
  };
}
