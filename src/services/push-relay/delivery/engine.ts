import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { openAddressRule } from "./addresses.ts";
import { openExchangeBook } from "./exchange-book.ts";
import type { Room, Run, Target } from "./model.ts";
import { type ResolveName, resolveName } from "./names.ts";
import { openNotes } from "./notes.ts";
import { openOutlet, type Outlet } from "./outlet.ts";
import { claim, findBody, invalidate, listTargets } from "./queue-store.ts";
import { openSender, type Sender } from "./sender.ts";
import { openSettler } from "./settler.ts";
import { openWake } from "./wake.ts";

export interface Engine {
  readonly start: () => void;
  /** Finishes what is under way, or hands it back after a few seconds. */
  readonly stop: () => Promise<void>;
  /** Something may be due now. */
  readonly wake: () => void;
  /** What is claimed of the project and not under way goes back, for its settings may be others now. */
  readonly projectChanged: (projectId: number) => void;
  /** A sender to a target, beside the queue. */
  readonly open: (target: Target) => Sender;
  readonly isRunning: () => boolean;
  /** For how many projects it keeps connections, pace and queue at the moment. */
  readonly countOutlets: () => number;
}

export interface EngineOptions {
  readonly pool: Pool;
  readonly settings: Settings;
  readonly log: FastifyBaseLogger;
  readonly nowMs: () => number;
  readonly resolve?: ResolveName;
  /** Delivers to these projects alone, which may become more; left out, to all. */
  readonly only?: ReadonlySet<number>;
}

/** Larger bodies are fetched when they are to be sent, so that what is claimed ahead stays within tens of megabytes. */
const mostInlineBytes = 16 * 1024;
const leaseSpareMs = 500;
const claimGapMs = 4;
const strangersMs = 100;
const failurePauseMs = 1000;
/** A project that has had nothing for so long, be it deleted or silent, is known anew when something comes. */
const forgetMs = 600_000;
const forgetEveryMs = 60_000;
const finishMs = 4000;
const settleMs = 1000;

/**
 * Claims what is due and pushes it, project by project, side by side. Any number of processes may do so on one database;
 * a process that dies leaves claims that end with their lease.
 */
export function createEngine({ pool, settings, log, nowMs, resolve = resolveName, only }: EngineOptions): Engine {
  const timeoutMs = settings.PUSH_TIMEOUT_SECONDS * 1000;
  const leaseMs = settings.PUSH_LEASE_SECONDS * 1000;
  const concurrency = settings.PUSH_CONCURRENCY;
  const isAllowed = openAddressRule(settings.PUSH_ALLOWED_NETWORKS);
  const outlets = new Map<number, Outlet>();
  const wake = openWake();
  const notes = openNotes(pool, log);
  const settler = openSettler({
    pool,
    log,
    book: openExchangeBook(nowMs),
    onSettled(batch) {
      notes.add(batch);
      wake.call();
    },
  });
  const stopping = new AbortController();
  let claimedMs = 0;
  let forgotMs = nowMs();
  let loop: Promise<void> | undefined;

  const open = (target: Target): Sender =>
    openSender(target, { isAllowed, resolve, timeoutMs, connections: concurrency });

  const retire = async ({ target }: Sender): Promise<void> => {
    try {
      if (!(await invalidate(pool, target))) return;
      log.warn({ projectId: target.projectId }, "a receiver is gone for good; its project is invalid now");
    } catch (error) {
      log.warn({ ...toLoggable(error) }, "a project whose receiver is gone could not be made invalid");
    }
    outlets.get(target.projectId)?.handBack();
  };

  const openOutletTo = (sender: Sender): Outlet =>
    openOutlet({
      sender,
      concurrency,
      stepsSeconds: settings.PUSH_RETRY_SECONDS,
      leastLeaseMs: timeoutMs + Math.min(leaseSpareMs, timeoutMs / 4),
      nowMs,
      loadBody: ({ eventId }) => findBody(pool, eventId),
      onSettlements: settler.add,
      onLow: wake.call,
      onGone: (gone) => void retire(gone),
    });

  /** Senders for the projects whose settings are not known here or have changed. */
  const refresh = async (runs: readonly Run[]): Promise<void> => {
    const stale = new Set<number>();
    for (const [{ projectId, revision }] of runs)
      if (outlets.get(projectId)?.sender.target.revision !== revision) stale.add(projectId);
    if (stale.size === 0) return;
    for (const target of await listTargets(pool, [...stale])) {
      const outlet = outlets.get(target.projectId);
      outlet?.sender.close();
      if (outlet) outlet.sender = open(target);
      else outlets.set(target.projectId, openOutletTo(open(target)));
    }
  };

  const forgetIdle = (): void => {
    if (nowMs() - forgotMs < forgetEveryMs) return;
    forgotMs = nowMs();
    for (const [projectId, outlet] of outlets) {
      if (outlet.readIdleMs() < forgetMs) continue;
      outlet.sender.close();
      outlets.delete(projectId);
    }
  };

  const readRooms = (): Map<number, Room> => {
    const rooms = new Map([...outlets].map(([projectId, outlet]) => [projectId, outlet.readRoom()]));
    for (const projectId of only ?? []) if (!rooms.has(projectId)) rooms.set(projectId, { lanes: concurrency, run: 1 });
    return rooms;
  };

  const claimMore = async (): Promise<void> => {
    const rooms = readRooms();
    const startedMs = nowMs();
    // Only a project that is not known here could have anything for us.
    if (startedMs - claimedMs < strangersMs && rooms.size > 0 && [...rooms.values()].every(({ lanes }) => lanes === 0))
      return;
    claimedMs = startedMs;
    const otherRoom = only ? 0 : concurrency;
    const runs = await claim(pool, { rooms, otherRoom, leaseMs, mostInlineBytes });
    await refresh(runs);
    for (const run of runs) outlets.get(run[0].projectId)?.add(run, startedMs + leaseMs);
  };

  const run = async (): Promise<void> => {
    let failing = false;
    while (!stopping.signal.aborted) {
      try {
        forgetIdle();
        await claimMore();
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
    for (const outlet of outlets.values()) outlet.handBack();
  };

  const finishUnderWay = async (): Promise<void> => {
    const endMs = performance.now() + Math.min(finishMs, timeoutMs);
    const isBusy = () => [...outlets.values()].some((outlet) => outlet.countUnderWay() > 0);
    while (isBusy() && performance.now() < endMs) await delay(10);
    for (const outlet of outlets.values()) outlet.sender.destroy();
    while (isBusy()) await delay(5);
  };

  return {
    start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      wake.call();
      await loop;
      for (const outlet of outlets.values()) outlet.stop();
      await finishUnderWay();
      await settler.finish(settleMs);
      await notes.finish();
    },
    wake: wake.call,
    projectChanged(projectId) {
      outlets.get(projectId)?.handBack();
      wake.call();
    },
    open,
    isRunning: () => loop !== undefined && !stopping.signal.aborted,
    countOutlets: () => outlets.size,
  };
}
