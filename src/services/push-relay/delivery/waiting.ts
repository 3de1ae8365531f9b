import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { Problem } from "#platform/contract/problem.ts";
import { batch, type Pool } from "#platform/database/index.ts";
import { listReady } from "./pull-store.ts";

const channel = "push_relay_pull";
/** Between two words to the other processes, and between two looks: what comes meanwhile is told together. */
const gatherMs = 50;

export type Waiting = ReturnType<typeof openWaiting>;

interface Place {
  readonly leave: () => void;
  /** Resolves when there may be something, when the time is up or when it left. */
  readonly called: Promise<void>;
}

/**
 * Readers who wait for something to fetch. They cost nothing while nothing comes: whoever stores something says so to every
 * process, in a statement of its own (a transaction that says it would let no other commit), and one look is for all of them.
 */
export function openWaiting({ pool, log, most }: { pool: Pool; log: FastifyBaseLogger; most: number }) {
  const readers = new Map<number, Set<() => void>>();
  let count = 0;
  let ended = false;
  let listening: Promise<void> | undefined;

  /** Calls one of a project's readers: if there is more than that one takes, it calls the next. */
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
    /** To be called when something was stored, or may be given again. */
    announce: (): void => void announce().catch(tellFailure(log)),
    /**
     * Takes a place, which is to be left. What is stored from then on calls.
     * @throws {Problem} tooManyRequests where there is none
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
    /** Lets all go, and nobody wait from now on. */
    end: (): void => {
      ended = true;
      for (const all of readers.values()) for (const resolve of all) resolve();
    },
    isEnded: () => ended,
  };
}

const crowded = { zh: "等待拉取的连接过多，请稍后再试", en: "too many readers are waiting, try again later" };

const tellFailure =
  (log: FastifyBaseLogger) =>
  (error: unknown): void =>
    log.warn({ ...toLoggable(error) }, "readers who wait could not be called");
