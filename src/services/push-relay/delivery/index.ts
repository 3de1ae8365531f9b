import type { Metric } from "prom-client";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { createEngine } from "./engine.ts";
import { readFigures } from "./health-store.ts";
import { type EventOutcome, makeRelayMetrics } from "./metrics.ts";
import { tidyTasks } from "./retention-store.ts";
import { sendTest, type TestResult, type TestTarget } from "./sender.ts";

export type { EventOutcome } from "./metrics.ts";
export { type Backlog, listBacklog } from "./health-store.ts";
export { backfillProject, replayDeliveries } from "./replay-store.ts";
export type { ReplaySelection } from "./replay-store.ts";
export { describeHeaders } from "./sender.ts";

/** The part of the relay that pushes: what the rest of the service, and the process, have to do with. */
export interface Relay {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** To be called when something was stored that is due now. */
  readonly wake: () => void;
  /** To be called with what became of an event that has come in. */
  readonly noteEvent: (outcome: EventOutcome) => void;
  readonly metrics: readonly Metric[];
  /** To be called after a change of a project was committed. */
  readonly projectChanged: (projectId: number) => void;
  /** Sends the event "test", which no log will have. */
  readonly sendTest: (target: TestTarget) => Promise<TestResult>;
  readonly health: () => Promise<Part>;
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
}

/** @param only the projects to deliver to, which may become more; left out, all */
export function createRelay({ pool, settings, clock, log }: RelayPlatform, only?: ReadonlySet<number>): Relay {
  const metrics = makeRelayMetrics();
  const { noteSettled: onSettled } = metrics;
  const engine = createEngine({ pool, settings, log, nowMs: clock, onSettled, ...(only && { only }) });
  const health = () =>
    readPart("relay", { zh: "消息推送", en: "Push relay" }, async () => ({
      running: engine.isRunning(),
      ...(await readFigures(pool, settings.PUSH_FLAG_DAYS)),
    }));
  return {
    start: engine.start,
    stop: engine.stop,
    wake: engine.wake,
    metrics: metrics.all,
    noteEvent(outcome) {
      metrics.noteEvent(outcome);
      if (outcome === "stored") engine.wake();
    },
    projectChanged: engine.projectChanged,
    sendTest: (target) => sendTest(target, { open: engine.open, nowMs: clock, timeZone: settings.TIME_ZONE }),
    health,
    ...tidyTasks(pool, settings),
  };
}

/** Whether a project has had nothing but failures for so long that somebody should look. */
export const isFlagged = (
  failingSince: Date | null,
  { PUSH_FLAG_DAYS }: { readonly PUSH_FLAG_DAYS: number },
  nowMs: number,
): boolean => failingSince !== null && nowMs - failingSince.getTime() > PUSH_FLAG_DAYS * 86_400_000;
