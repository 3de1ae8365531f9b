import { toLoggable } from "#platform/contract/loggable.ts";
import { openAddressRule } from "#platform/outbound/addresses.ts";
import { resolveName } from "#platform/outbound/connector.ts";
import { readPart } from "#platform/process/health.ts";
import type { ProjectSecrets } from "#services/push-relay/project-store.ts";
import { openBodies } from "#services/push-relay/sealed.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { claimUntil, openWake, type Wake } from "./claiming.ts";
import { readFigures } from "./health-store.ts";
import { type EventOutcome, openNotes } from "./notes.ts";
import { finishDispatchers, Dispatcher, type DispatcherOptions, type Dispatchers } from "./dispatcher.ts";
import { findBody, invalidate, reservePace, type Target } from "./queue-store.ts";
import { tidyTasks } from "./retention-store.ts";
import { openSender, type Sender, sendTest } from "./sender.ts";
import { openSettler, type Settler } from "./settler.ts";
import { openWaiting } from "./waiting.ts";

export type { EventOutcome } from "./notes.ts";
export { listBacklog } from "./health-store.ts";
export { backfilled, backfillProject, replayDeliveries, type ReplaySelection } from "./replay-store.ts";
export { masked } from "./exchange-store.ts";
export { acknowledge, endLeases, nothingPulled, type PulledBatch, pullEvents } from "./pull-store.ts";
export { describeHeaders } from "./sender.ts";

export type Relay = ReturnType<typeof createRelay>;

const leaseSpareMs = 500;
const finishMs = 4000;
/**
 * The time for finishing the pushes in flight and storing their outcomes when the relay stops. A push without a stored
 * outcome is repeated later.
 */
const stopMs = 5500;

/** Any number of processes may share one database. If a process dies, its claims expire with their leases. */
export function createRelay(platform: RelayPlatform) {
  const { pool, settings, clock: nowMs, log } = platform;
  const dispatchers: Dispatchers = new Map();
  const [wake, notes, openTo] = [openWake(), openNotes(pool, log), toOpener(platform)];
  // Long polls may use half of the HTTP connections, so that the other half can serve ordinary requests.
  const waiting = openWaiting({ pool, log, most: Math.floor(settings.MAX_CONNECTIONS / 2) });
  const wakeAll = (): void => {
    wake.call();
    waiting.announce();
  };
  const settler = openSettler(platform, (settled) => {
    notes.add(settled);
    wake.call();
  });
  const making = toDispatcherOptions(platform, dispatchers, settler, wake);
  const openFor = { openSender: openTo, openDispatcher: (sender: Sender) => new Dispatcher(making, sender) };
  const stopping = new AbortController();
  let claiming: Promise<void> | undefined;
  return {
    start: (): void => {
      claiming ??= claimUntil(stopping.signal, { pool, settings, log, nowMs, dispatchers, wake, ...openFor });
    },
    stop: async (): Promise<void> => {
      const endMs = performance.now() + stopMs;
      stopping.abort();
      wake.call();
      waiting.end();
      await claiming;
      await finishDispatchers(dispatchers, Math.min(finishMs, settings.PUSH_TIMEOUT_SECONDS * 1000));
      await settler.finish(endMs - performance.now());
      await notes.finish();
    },
    wake: wakeAll,
    waiting,
    notePulled: notes.addPulled,
    metrics: notes.metrics,
    noteEvent: (outcome: EventOutcome): void => {
      notes.addEvent(outcome);
      if (outcome === "stored") wakeAll();
    },
    /**
     * Callers must call this function after they have committed the change of a project. It releases claimed deliveries
     * that are not sent yet.
     */
    projectChanged: (projectId: number): void => {
      dispatchers.get(projectId)?.handBack();
      wakeAll();
    },
    sendTest: (target: ProjectSecrets) =>
      sendTest(openTo({ ...target, projectId: 0, revision: 0, perSecond: 0 }), nowMs, settings.TIME_ZONE),
    health: () =>
      readPart("relay", { zh: "消息推送", en: "Push relay" }, async () => ({
        running: claiming !== undefined && !stopping.signal.aborted,
        ...(await readFigures(pool, settings.PUSH_FLAG_DAYS)),
      })),
    ...tidyTasks(pool, settings),
  };
}

function toOpener({ settings }: RelayPlatform): (target: Target) => Sender {
  const options = {
    isAllowed: openAddressRule(settings.PUSH_ALLOWED_NETWORKS),
    resolve: resolveName,
    timeoutMs: settings.PUSH_TIMEOUT_SECONDS * 1000,
    connections: settings.PUSH_CONCURRENCY,
  };
  return (target) => openSender(target, options);
}

function toDispatcherOptions(
  platform: RelayPlatform,
  dispatchers: Dispatchers,
  settler: Settler,
  wake: Wake,
): DispatcherOptions {
  const { pool, settings, clock: nowMs } = platform;
  const timeoutMs = settings.PUSH_TIMEOUT_SECONDS * 1000;
  return {
    concurrency: settings.PUSH_CONCURRENCY,
    stepsSeconds: settings.PUSH_RETRY_SECONDS,
    leastLeaseMs: timeoutMs + Math.min(leaseSpareMs, timeoutMs / 4),
    nowMs,
    loadBody: ({ eventId }) => findBody(pool, eventId),
    openBody: openBodies(pool.keys),
    reserve: (projectId, stretchMs) => reservePace(pool, projectId, stretchMs),
    onSettlements: settler.add,
    onLow: wake.call,
    onGone: ({ target }) => retire(platform, dispatchers, target),
  };
}

/** Disables a project whose receiver answered 410 Gone, until somebody enables it again. */
async function retire({ pool, log }: RelayPlatform, dispatchers: Dispatchers, target: Target): Promise<void> {
  try {
    if (!(await invalidate(pool, target))) return;
    log.warn({ projectId: target.projectId }, "a receiver no longer exists; its project was disabled");
  } catch (error) {
    log.warn({ ...toLoggable(error) }, "a project whose receiver no longer exists could not be disabled");
  }
  dispatchers.get(target.projectId)?.handBack();
}

export const isFlagged = (
  failingSince: Date | null,
  { PUSH_FLAG_DAYS }: { readonly PUSH_FLAG_DAYS: number },
  nowMs: number,
): boolean => failingSince !== null && nowMs - failingSince.getTime() > PUSH_FLAG_DAYS * 86_400_000;
