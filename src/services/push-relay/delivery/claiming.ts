import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";
import type { Outlet, Outlets } from "./outlet.ts";
import { bringForward, claim, listTargets, readClock, type Run, type Target } from "./queue-store.ts";
import type { Sender } from "./sender.ts";

export type Wake = ReturnType<typeof openWake>;

/** Lets the loop sleep until somebody has something for it, or a time is over. */
export function openWake() {
  let called = Promise.withResolvers<void>();
  return {
    call: (): void => called.resolve(),
    /** Resolves at once when there was a call since the last sleep. */
    async sleep(mostMs: number): Promise<void> {
      const timer = setTimeout(() => called.resolve(), mostMs);
      await called.promise;
      clearTimeout(timer);
      called = Promise.withResolvers();
    },
  };
}

interface Claiming {
  readonly pool: Pool;
  readonly settings: RelaySettings;
  readonly log: FastifyBaseLogger;
  readonly nowMs: () => number;
  readonly outlets: Outlets;
  readonly openSender: (target: Target) => Sender;
  readonly openOutlet: (sender: Sender) => Outlet;
  /** Called when something may be due. */
  readonly wake: Wake;
}

/** Larger bodies are fetched when they are to be sent, so that what is claimed ahead stays within tens of megabytes. */
const mostInlineBytes = 16 * 1024;
const claimGapMs = 4;
const strangersMs = 100;
const failurePauseMs = 1000;

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
}

/** Claims what is due and hands it to the outlets, until it is aborted. */
export async function claimUntil(signal: AbortSignal, claiming: Claiming): Promise<void> {
  const { log, wake, settings } = claiming;
  const state: State = { ...claiming, claimedMs: 0, clockLookedMs: -Infinity, clockMs: Infinity, looksLeft: 0 };
  let failing = false;
  while (!signal.aborted) {
    try {
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

/**
 * Looks for what is put off where the clock went back, and at the start, since nobody may have looked, and not always: in a
 * queue of millions it takes a second. Once more afterwards, for a transaction that had begun before has the time of then.
 */
async function lookAtClock(state: State): Promise<void> {
  if (performance.now() - state.clockLookedMs < lookAtClockEveryMs) return;
  const clockMs = await readClock(state.pool);
  if (clockMs < state.clockMs) state.looksLeft = 2;
  if (state.looksLeft > 0) {
    const { PUSH_RETRY_SECONDS, PUSH_LEASE_SECONDS, PUSH_PULL_SECONDS } = state.settings;
    // The random part of a step, and what a receiver may ask for, stay below twice the step.
    const triesMs = [0, ...PUSH_RETRY_SECONDS].map((seconds) => Math.round(2000 * seconds + clockSpareMs));
    const [leaseMs, pullMs] = [PUSH_LEASE_SECONDS, PUSH_PULL_SECONDS].map((seconds) => 2000 * seconds + clockSpareMs);
    const count = await bringForward(state.pool, triesMs, leaseMs ?? 0, pullMs ?? 0);
    if (count > 0) state.log.warn({ count }, "the database's clock went back: pushes that it had put off are due");
    state.looksLeft--;
  }
  state.clockMs = clockMs;
  state.clockLookedMs = performance.now();
}

async function claimMore(state: State): Promise<void> {
  const { pool, settings, outlets } = state;
  const rooms = new Map([...outlets].map(([projectId, outlet]) => [projectId, outlet.readRoom()]));
  const startedMs = state.nowMs();
  // Only a project that is not known here could have anything for us.
  const isFull = rooms.size > 0 && rooms.values().every(({ lanes }) => lanes === 0);
  if (startedMs - state.claimedMs < strangersMs && isFull) return;
  state.claimedMs = startedMs;
  const otherRoom = settings.PUSH_CONCURRENCY;
  const leaseMs = settings.PUSH_LEASE_SECONDS * 1000;
  const runs = await claim(pool, { rooms, otherRoom, leaseMs, mostInlineBytes });
  await readyOutlets(state, runs);
  for (const run of runs) outlets.get(run[0].projectId)?.add(run, startedMs + leaseMs);
}

/** Has outlets for the projects of runs, each with the settings that it was claimed by. */
async function readyOutlets({ pool, outlets, openSender, openOutlet }: State, runs: readonly Run[]): Promise<void> {
  const stale = new Set<number>();
  for (const [{ projectId, revision }] of runs)
    if (outlets.get(projectId)?.sender.target.revision !== revision) stale.add(projectId);
  if (stale.size === 0) return;
  for (const target of await listTargets(pool, [...stale])) {
    const outlet = outlets.get(target.projectId);
    if (outlet) outlet.replaceSender(openSender(target));
    else outlets.set(target.projectId, openOutlet(openSender(target)));
  }
}
