import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { Logger, parseCronItems, run, runMigrations, type Task, type WorkerEvents } from "graphile-worker";
import type * as z from "zod";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Db, openWorkerPool, usualLimits } from "#platform/database/index.ts";
import { watchJobOwners } from "#platform/jobs/owners.ts";
import { traced } from "#platform/tracing/tracer.ts";

export interface JobRun {
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  readonly log: FastifyBaseLogger;
}

/** A job is retried if its task throws. A task that is a plain function ignores the payload. */
export type JobTask = (() => Promise<void>) | CheckedTask;
export type JobTasks = Readonly<Record<string, JobTask>>;

interface CheckedTask {
  readonly check: (payload: unknown) => (run: JobRun) => Promise<void>;
}

/**
 * A job with an invalid payload counts as failed and is retried, since a process of another version may understand the
 * payload.
 */
export const typedTask = <S extends z.ZodType>(
  shape: S,
  work: (payload: z.output<S>, run: JobRun) => Promise<void>,
): JobTask => ({
  check: (payload) => {
    const { success, data } = shape.safeParse(payload);
    if (!success) throw new WrongPayload("the payload of the job does not match its schema");
    return (run) => work(data, run);
  },
});

class WrongPayload extends Error {
  override readonly name = "WrongPayload";
}

export interface RecurringJob {
  readonly task: string;
  readonly pattern: string;
}

export interface JobOptions {
  readonly maxAttempts?: number;
  readonly runAt?: Date;
  readonly queue?: string;
  readonly key?: string;
}

export async function addJob(
  tx: Db,
  task: string,
  payload: Readonly<Record<string, string | number | boolean | null>>,
  options: JobOptions = {},
): Promise<void> {
  await tx`
    select graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, queue_name => ${options.queue ?? null}, run_at => ${options.runAt ?? null},
      max_attempts => ${options.maxAttempts ?? 25}, job_key => ${options.key ?? null})`;
}

export async function migrateJobs(url: string): Promise<void> {
  const { pgPool, close } = openWorkerPool(url);
  try {
    await runMigrations({ pgPool, logger: silentLogger });
  } finally {
    await close();
  }
}

const silentLogger = new Logger(() => () => {});

export interface JobRunner {
  isRunning(): boolean;
  stop(): Promise<void>;
}

export interface JobEnd {
  readonly task: string;
  readonly outcome: "done" | "failed";
  readonly seconds: number;
}

export interface RunnerOptions {
  readonly url: string;
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
  readonly concurrency: number;
  readonly log: FastifyBaseLogger;
  readonly onEnd?: (end: JobEnd) => void;
}

const restartPauseMs = 1000;
const markMs = 5_000;

/**
 * Any number of processes may run jobs from one database. The jobs of a killed process are retried by other processes
 * or after the next start. If the connection is lost while a job ends, this runner is replaced by one with a new worker
 * id, which retries the job.
 */
export async function startJobs(options: RunnerOptions): Promise<JobRunner> {
  const stopping = new AbortController();
  let current: Awaited<ReturnType<typeof startRunner>> | undefined = await startRunner(options);
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const over = current;
      await over?.ended;
      current = undefined;
      await over?.stop();
      if (over && !stopping.signal.aborted) options.log.warn("the job runner stopped and is being restarted");
      await delay(restartPauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) current = await startRunner(options).catch(() => undefined);
    }
    await current?.stop();
  };
  const kept = keep();
  return {
    isRunning: () => current !== undefined,
    async stop() {
      stopping.abort();
      await current?.stop();
      await kept;
    },
  };
}

async function startRunner(options: RunnerOptions) {
  const { url, tasks, recurring, concurrency, log } = options;
  const { pgPool, close } = openWorkerPool(url, usualLimits);
  const events: WorkerEvents = new EventEmitter();
  let owner = "";
  events.once("pool:create", ({ workerPool }) => (owner = workerPool.id));
  const runner = await run({
    pgPool,
    events,
    concurrency,
    // graphile-worker's own signal handlers would exit before pending requests are answered.
    noHandleSignals: true,
    pollInterval: 1000,
    logger: silentLogger,
    // By default, graphile-worker does not await marking a job as complete, and a failure to mark it ends the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, toTask(name, task, options)])),
    parsedCronItems: parseCronItems(
      recurring.map(({ task, pattern }) => ({ task, match: pattern, options: { backfillPeriod: 0 } })),
    ),
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  if (owner === "") throw new Error("the job runner reported no worker id");
  const owners = watchJobOwners(url, owner, log);
  // graphile-worker 0.18.0 miscounts the jobs being marked complete after a second failure, and then waits for ever. So
  // shutdown waits a fixed time for the marking.
  const over = (["complete", "error"] as const).map((end) => once(events, `pool:gracefulShutdown:${end}`));
  const marked = Promise.race(over).then(() => delay(markMs, undefined, { ref: false }));
  const ended = Promise.race([runner.promise.catch(() => undefined), marked]);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    void runner.stop().catch(() => undefined);
    await ended;
    await owners.stop();
    await close();
  };
  return { ended, stop: () => (stopping ??= stop()) };
}

const toTask =
  (name: string, task: JobTask, { log, onEnd }: RunnerOptions): Task =>
  async (payload, { job }) => {
    const startMs = performance.now();
    const tell = (outcome: JobEnd["outcome"]): void =>
      onEnd?.({ task: name, outcome, seconds: (performance.now() - startMs) / 1000 });
    const run = { attempt: job.attempts, isLastAttempt: job.attempts >= job.max_attempts, log };
    try {
      const doing = { kind: "internal", name: `job ${name}`, facts: { "quintet.attempt": job.attempts } } as const;
      await traced(doing, async () => (typeof task === "function" ? task() : task.check(payload)(run)));
      tell("done");
    } catch (error) {
      tell("failed");
      log.warn(
        { task: name, attempt: job.attempts, ...toLoggable(error) },
        run.isLastAttempt ? "a job failed for the last time" : "a job failed and will be retried",
      );
      // Only the error's name is thrown, because the message would be stored in the job's row, which must contain
      // nothing personal.
      throw new Error(error instanceof Error ? error.name : "failed", { cause: error });
    }
  };
