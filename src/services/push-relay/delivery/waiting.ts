import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { Problem } from "#platform/contract/problem.ts";
import { batch, type Pool } from "#platform/database/index.ts";
import { listReady } from "./pull-store.ts";

const channel = "push_relay_pull";
/** Calls within this time cause only one notification or query. */
const gatherMs = 50;

interface Place {
  readonly leave: () => void;
  readonly called: Promise<void>;
}

/**
 * Idle receivers wait without queries: a writer notifies all processes, and one query then finds the projects with
 * events for all receivers that wait in a process. The notification is a separate statement, since NOTIFY within the
 * writing transaction would serialise commits.
 */
export function openWaiting({ pool, log, most }: { pool: Pool; log: FastifyBaseLogger; most: number }) {
  const readers = new Map<number, Set<() => void>>();
  let count = 0;
  let ended = false;
  let listening: Promise<void> | undefined;

  /** Wakes one reader of the project. If that reader leaves deliveries unread, it wakes the next one. */
  const call = (projectId: number): void => {
    const [first] = readers.get(projectId) ?? [];
    first?.();
  };
  const look = batch<void, void>(
    async (askers) => {
      if (count > 0) for (const projectId of await listReady(pool, [...readers.keys()])) call(projectId);
      return askers;
    },
    { most: Infinity, pauseMs: () => gatherMs },
  );
  const lookSoon = (): void => void look().catch(tellFailure(log));
  const announce = batch<void, void>(
    async (askers) => {
      await pool`
        select pg_notify(${channel}, '') from push_relay.project
        where pull and statu = 0 and deleted_at is null limit 1`;
      return askers;
    },
    { most: Infinity, pauseMs: () => gatherMs },
  );
  const listen = (): Promise<void> =>
    (listening ??= pool.listen(channel, lookSoon, lookSoon).catch((error: unknown) => {
      listening = undefined;
      throw error;
    }));

  return {
    call,
    /** Callers must call this function after deliveries were stored or released. */
    announce: (): void => void announce().catch(tellFailure(log)),
    /**
     * Registers a reader. Its `called` resolves when events may be available, after `waitMs`, or when the relay stops.
     * The reader must call `leave`.
     * @throws {Problem} tooManyRequests if too many readers wait
     */
    async join(projectId: number, waitMs: number): Promise<Place> {
      if (count >= most) throw new Problem("tooManyRequests", { detail: crowded, headers: { "retry-after": "5" } });
      const { promise, resolve } = Promise.withResolvers<void>();
      const leave = (): void => {
        clearTimeout(timer);
        resolve();
        const others = readers.get(projectId);
        if (!others?.delete(resolve)) return;
        count--;
        if (others.size === 0) readers.delete(projectId);
      };
      const timer = setTimeout(leave, waitMs);
      readers.getOrInsertComputed(projectId, () => new Set()).add(resolve);
      count++;
      try {
        await listen();
      } catch (error) {
        leave();
        throw error;
      }
      if (ended) leave();
      return { leave, called: promise };
    },
    end: (): void => {
      ended = true;
      for (const all of readers.values()) for (const resolve of all) resolve();
    },
    isEnded: () => ended,
  };
}

const crowded = { zh: "等待拉取的连接过多，请稍后再试", en: "too many pull requests are waiting; try again later" };

const tellFailure =
  (log: FastifyBaseLogger) =>
  (error: unknown): void =>
    log.warn({ ...toLoggable(error) }, "waiting pull requests could not be notified");
