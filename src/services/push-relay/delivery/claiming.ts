import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";
import type { Room } from "./model.ts";
import { forgetIdle, type OutletMaking, type Outlets, readRooms, readyOutlets } from "./outlets.ts";
import { claim } from "./queue-store.ts";
import type { Wake } from "./wake.ts";

export interface Claiming {
  readonly pool: Pool;
  readonly settings: RelaySettings;
  readonly log: FastifyBaseLogger;
  readonly nowMs: () => number;
  /** Claims for these projects alone, which may become more; left out, for all. */
  readonly only?: ReadonlySet<number>;
  readonly outlets: Outlets;
  readonly making: OutletMaking;
  /** Called when something may be due. */
  readonly wake: Wake;
}

/** Larger bodies are fetched when they are to be sent, so that what is claimed ahead stays within tens of megabytes. */
const mostInlineBytes = 16 * 1024;
const claimGapMs = 4;
const strangersMs = 100;
const failurePauseMs = 1000;
const forgetEveryMs = 60_000;

interface State extends Claiming {
  claimedMs: number;
  forgotMs: number;
}

/** Claims what is due and hands it to the outlets, until it is aborted. */
export async function claimUntil({ signal }: AbortController, claiming: Claiming): Promise<void> {
  const { log, wake, settings, nowMs } = claiming;
  const state: State = { ...claiming, claimedMs: 0, forgotMs: nowMs() };
  let failing = false;
  while (!signal.aborted) {
    try {
      forgetSometimes(state);
      await claimMore(state);
      failing = false;
      // A little later there is more to claim at once. Whoever calls meanwhile is heard.
      await delay(claimGapMs);
      await wake.sleep(settings.PUSH_POLL_MS);
    } catch (error) {
      if (!failing) log.warn({ ...toLoggable(error) }, "pushes cannot be claimed; trying on");
      failing = true;
      await delay(failurePauseMs);
    }
  }
}

function forgetSometimes(state: State): void {
  const nowMs = state.nowMs();
  if (nowMs - state.forgotMs < forgetEveryMs) return;
  state.forgotMs = nowMs;
  forgetIdle(state.outlets);
}

async function claimMore(state: State): Promise<void> {
  const { pool, settings, outlets, only } = state;
  const rooms = readRooms(outlets);
  for (const projectId of only ?? [])
    if (!rooms.has(projectId)) rooms.set(projectId, { lanes: settings.PUSH_CONCURRENCY, run: 1 });
  const startedMs = state.nowMs();
  // Only a project that is not known here could have anything for us.
  if (startedMs - state.claimedMs < strangersMs && isFull(rooms)) return;
  state.claimedMs = startedMs;
  const otherRoom = only ? 0 : settings.PUSH_CONCURRENCY;
  const leaseMs = settings.PUSH_LEASE_SECONDS * 1000;
  const runs = await claim(pool, { rooms, otherRoom, leaseMs, mostInlineBytes });
  await readyOutlets(outlets, runs, state.making);
  for (const run of runs) outlets.get(run[0].projectId)?.add(run, startedMs + leaseMs);
}

/** Whether there are projects, and none of them has room for more. */
const isFull = (rooms: ReadonlyMap<number, Room>): boolean =>
  rooms.size > 0 && rooms.values().every(({ lanes }) => lanes === 0);
