import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";
import type { Room } from "./model.ts";
import { forgetIdle, type OutletMaking, type Outlets, readRooms, readyOutlets } from "./outlet.ts";
import { bringForward, claim, type LongestWaits, readClock } from "./queue-store.ts";
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

/** Beside what is late for other reasons, such as processes whose settings are not quite the same. */
const clockSpareMs = 60_000;
const lookAtClockEveryMs = 10_000;

interface State extends Claiming {
  claimedMs: number;
  /** When the database's clock was looked at, by the clock that measures time spans, and what it said. */
  clockLookedMs: number;
  clockMs: number;
  /** How often what is put off is still to be looked for. */
  looksLeft: number;
  forgotMs: number;
}

/** Claims what is due and hands it to the outlets, until it is aborted. */
export async function claimUntil({ signal }: AbortController, claiming: Claiming): Promise<void> {
  const { log, wake, settings, nowMs } = claiming;
  const state: State = {
    ...claiming,
    claimedMs: 0,
    forgotMs: nowMs(),
    clockLookedMs: -Infinity,
    clockMs: Infinity,
    looksLeft: 0,
  };
  let failing = false;
  while (!signal.aborted) {
    try {
      forgetSometimes(state);
      await lookAtClock(state);
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

/**
 * Looks for what is put off where the clock went back, and at the start, since nobody may have looked, and not always: in a
 * queue of millions it takes a second. Once more afterwards, for a transaction that had begun before has the time of then.
 */
async function lookAtClock(state: State): Promise<void> {
  if (performance.now() - state.clockLookedMs < lookAtClockEveryMs) return;
  const clockMs = await readClock(state.pool);
  if (clockMs < state.clockMs) state.looksLeft = 2;
  if (state.looksLeft > 0) {
    const count = await bringForward(state.pool, longestWaits(state.settings));
    if (count > 0) state.log.warn({ count }, "the database's clock went back: pushes that it had put off are due");
    state.looksLeft--;
  }
  state.clockMs = clockMs;
  state.clockLookedMs = performance.now();
}

// The random part of a step, and what a receiver may ask for, stay below twice the step.
export const longestWaits = ({ PUSH_RETRY_SECONDS, PUSH_LEASE_SECONDS }: RelaySettings): LongestWaits => ({
  triesMs: [0, ...PUSH_RETRY_SECONDS].map((seconds) => Math.round(2000 * seconds + clockSpareMs)),
  leaseMs: 2000 * PUSH_LEASE_SECONDS + clockSpareMs,
});

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
