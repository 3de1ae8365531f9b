import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";
import type { Dispatcher, Dispatchers } from "./dispatcher.ts";
import { bringForward, claim, listTargets, readClock, type Run, type Target } from "./queue-store.ts";
import type { Sender } from "./sender.ts";

export type Wake = ReturnType<typeof openWake>;

export function openWake() {
  let called = Promise.withResolvers<void>();
  return {
    call: (): void => called.resolve(),
    /**
     * Returns as soon as `call` is called or `mostMs` has passed. If `call` was called after the previous `sleep` had
     * returned, this `sleep` returns immediately.
     */
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
  readonly dispatchers: Dispatchers;
  readonly openSender: (target: Target) => Sender;
  readonly openDispatcher: (sender: Sender) => Dispatcher;
  readonly wake: Wake;
}

/**
 * Larger bodies are loaded just before they are sent, so that the claimed deliveries of a project take only tens of
 * megabytes of memory.
 */
const mostInlineBytes = 16 * 1024;
const claimGapMs = 4;
const strangersMs = 100;
const failurePauseMs = 1000;

/**
 * A margin for delays that exceed those in this process's settings, for example because another process has slightly
 * different settings.
 */
const clockSpareMs = 60_000;
const lookAtClockEveryMs = 10_000;

interface State extends Claiming {
  claimedMs: number;
  clockLookedMs: number;
  clockMs: number;
  looksLeft: number;
}

export async function claimUntil(signal: AbortSignal, claiming: Claiming): Promise<void> {
  const { log, wake, settings } = claiming;
  const state: State = { ...claiming, claimedMs: 0, clockLookedMs: -Infinity, clockMs: Infinity, looksLeft: 0 };
  let failing = false;
  while (!signal.aborted) {
    try {
      await lookAtClock(state);
      await claimMore(state);
      failing = false;
      // During this short pause more deliveries become due, so that one claim takes more of them. If `wake.call` is
      // called during the pause, the following sleep ends immediately.
      await delay(claimGapMs);
      await wake.sleep(settings.PUSH_POLL_MS);
    } catch (error) {
      if (!failing) log.warn({ ...toLoggable(error) }, "pushes could not be claimed; trying again");
      failing = true;
      await delay(failurePauseMs);
    }
  }
}

/**
 * If the database's clock goes back, deliveries may be scheduled too far ahead. Finding them takes a second in a queue
 * of millions, so the search runs only at the start and after the clock has gone back. It runs twice, since
 * transactions that began before the first search still use the old time.
 */
async function lookAtClock(state: State): Promise<void> {
  if (performance.now() - state.clockLookedMs < lookAtClockEveryMs) return;
  const clockMs = await readClock(state.pool);
  if (clockMs < state.clockMs) state.looksLeft = 2;
  if (state.looksLeft > 0) {
    const { PUSH_RETRY_SECONDS, PUSH_LEASE_SECONDS, PUSH_PULL_SECONDS } = state.settings;
    // A delivery never waits longer than twice its delay in the settings, even with jitter or a receiver's Retry-After.
    const triesMs = [0, ...PUSH_RETRY_SECONDS].map((seconds) => Math.round(2000 * seconds + clockSpareMs));
    const [leaseMs, pullMs] = [PUSH_LEASE_SECONDS, PUSH_PULL_SECONDS].map((seconds) => 2000 * seconds + clockSpareMs);
    const count = await bringForward(state.pool, triesMs, leaseMs ?? 0, pullMs ?? 0);
    if (count > 0)
      state.log.warn({ count }, "the database clock was set back: pushes postponed because of it are due now");
    state.looksLeft--;
  }
  state.clockMs = clockMs;
  state.clockLookedMs = performance.now();
}

async function claimMore(state: State): Promise<void> {
  const { pool, settings, dispatchers } = state;
  const rooms = new Map([...dispatchers].map(([projectId, dispatcher]) => [projectId, dispatcher.readRoom()]));
  const startedMs = state.nowMs();
  // If all lanes of the projects with a dispatcher here are full, a claim can only get deliveries of other projects, so it
  // need not run often.
  const isFull = rooms.size > 0 && rooms.values().every(({ lanes }) => lanes === 0);
  if (startedMs - state.claimedMs < strangersMs && isFull) return;
  state.claimedMs = startedMs;
  const otherRoom = settings.PUSH_CONCURRENCY;
  const leaseMs = settings.PUSH_LEASE_SECONDS * 1000;
  const runs = await claim(pool, { rooms, otherRoom, leaseMs, mostInlineBytes });
  await readyDispatchers(state, runs);
  for (const run of runs) dispatchers.get(run[0].projectId)?.add(run, startedMs + leaseMs);
}

async function readyDispatchers(
  { pool, dispatchers, openSender, openDispatcher }: State,
  runs: readonly Run[],
): Promise<void> {
  const stale = new Set<number>();
  for (const [{ projectId, revision }] of runs)
    if (dispatchers.get(projectId)?.sender.target.revision !== revision) stale.add(projectId);
  if (stale.size === 0) return;
  for (const target of await listTargets(pool, [...stale])) {
    const dispatcher = dispatchers.get(target.projectId);
    if (dispatcher) dispatcher.replaceSender(openSender(target));
    else dispatchers.set(target.projectId, openDispatcher(openSender(target)));
  }
}
