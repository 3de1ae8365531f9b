import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import { openAddressRule } from "#platform/outbound/addresses.ts";
import { resolveName, type ResolveName } from "#platform/outbound/connector.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";
import { openBodies } from "./bodies.ts";
import { claimUntil } from "./claiming.ts";
import { openExchangeBook } from "./exchange-store.ts";
import type { Settlement, Target } from "./model.ts";
import { openNotes } from "./notes.ts";
import { finishOutlets, openOutlet, type OutletMaking, type Outlets } from "./outlet.ts";
import { findBody, invalidate, listTargets } from "./queue-store.ts";
import { openSender, type Sender } from "./sender.ts";
import { openSettler, type Settler } from "./settler.ts";
import { openWake, type Wake } from "./wake.ts";

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
  readonly settings: RelaySettings;
  readonly log: FastifyBaseLogger;
  readonly nowMs: () => number;
  readonly resolve?: ResolveName;
  readonly onSettled?: (batch: readonly Settlement[]) => void;
  /** Delivers to these projects alone, which may become more; left out, to all. */
  readonly only?: ReadonlySet<number>;
}

const leaseSpareMs = 500;
const finishMs = 4000;
const settleMs = 1000;

/**
 * Claims what is due and pushes it, project by project, side by side. Any number of processes may do so on one database;
 * a process that dies leaves claims that end with their lease.
 */
export function createEngine(options: EngineOptions): Engine {
  const { pool, settings, log, nowMs } = options;
  const outlets: Outlets = new Map();
  const wake = openWake();
  const notes = openNotes(pool, log);
  const settler = openSettler({
    pool,
    log,
    book: openExchangeBook(nowMs),
    onSettled(batch) {
      notes.add(batch);
      options.onSettled?.(batch);
      wake.call();
    },
  });
  const open = toOpener(options);
  const making = makeOutlets(options, { outlets, open, settler, wake });
  const stopping = new AbortController();
  let claiming: Promise<void> | undefined;

  return {
    start() {
      claiming ??= claimUntil(stopping, { ...options, outlets, making, wake });
    },
    async stop() {
      stopping.abort();
      wake.call();
      await claiming;
      await finishOutlets(outlets, Math.min(finishMs, settings.PUSH_TIMEOUT_SECONDS * 1000));
      await settler.finish(settleMs);
      await notes.finish();
    },
    wake: wake.call,
    projectChanged(projectId) {
      outlets.get(projectId)?.handBack();
      wake.call();
    },
    open,
    isRunning: () => claiming !== undefined && !stopping.signal.aborted,
    countOutlets: () => outlets.size,
  };
}

function toOpener({ settings, resolve = resolveName }: EngineOptions): (target: Target) => Sender {
  const options = {
    isAllowed: openAddressRule(settings.PUSH_ALLOWED_NETWORKS),
    resolve,
    timeoutMs: settings.PUSH_TIMEOUT_SECONDS * 1000,
    connections: settings.PUSH_CONCURRENCY,
  };
  return (target) => openSender(target, options);
}

interface Parts {
  readonly outlets: Outlets;
  readonly open: (target: Target) => Sender;
  readonly settler: Settler;
  readonly wake: Wake;
}

function makeOutlets(options: EngineOptions, { outlets, open, settler, wake }: Parts): OutletMaking {
  const { pool, settings, nowMs } = options;
  const timeoutMs = settings.PUSH_TIMEOUT_SECONDS * 1000;
  const bodies = openBodies(pool.keys);
  return {
    listTargets: (projectIds) => listTargets(pool, projectIds),
    openSender: open,
    openOutlet: (sender) =>
      openOutlet({
        sender,
        concurrency: settings.PUSH_CONCURRENCY,
        stepsSeconds: settings.PUSH_RETRY_SECONDS,
        leastLeaseMs: timeoutMs + Math.min(leaseSpareMs, timeoutMs / 4),
        nowMs,
        loadBody: ({ eventId }) => findBody(pool, eventId),
        openBody: (publicId, stored) => bodies.open(publicId, stored),
        onSettlements: settler.add,
        onLow: wake.call,
        onGone: (gone) => void retire(options, outlets, gone.target),
      }),
  };
}

/** The receiver is gone for good: its project is sent nothing more until somebody makes it valid again. */
async function retire({ pool, log }: EngineOptions, outlets: Outlets, target: Target): Promise<void> {
  try {
    if (!(await invalidate(pool, target))) return;
    log.warn({ projectId: target.projectId }, "a receiver is gone for good; its project is invalid now");
  } catch (error) {
    log.warn({ ...toLoggable(error) }, "a project whose receiver is gone could not be made invalid");
  }
  outlets.get(target.projectId)?.handBack();
}
