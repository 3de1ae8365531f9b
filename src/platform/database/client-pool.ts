import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { Admission, type Admitted } from "./admission.ts";
import { closed, type DatabaseClient, DriverPool } from "./client.ts";
import { toFailure } from "./failures.ts";

/** Gives the connection back. */
export type Done = () => void;
/** Gets a connection, or why there is none. */
export type Taker = (error: Error | undefined, client: DatabaseClient | undefined, done: Done) => void;

/** How full a pool is; `waits` and `waitedMs` since it was opened, of those who got a connection. */
export interface PoolFigures {
  readonly most: number;
  readonly busy: number;
  readonly idle: number;
  readonly opening: number;
  readonly waiting: number;
  readonly waits: number;
  readonly waitedMs: number;
}

const nothing = (): void => {};

/** The driver's pool with what it does not know: whether work may begin, how long was waited, and an end for who waits. */
export class ClientPool {
  readonly #pool: DriverPool;
  readonly #lent = new Set<DatabaseClient>();
  readonly #waiting = new Set<Taker>();
  readonly #admission = new Admission(() => this.#countFree());
  #waits = 0;
  #waitedMs = 0;
  #isEnding = false;
  #onQuiet = nothing;

  constructor(pool: DriverPool) {
    this.#pool = pool;
  }

  take(taker: Taker): void {
    if (this.#isEnding) return taker(closed(), undefined, nothing);
    const sinceMs = this.#pool.idleCount > this.#pool.waitingCount ? undefined : performance.now();
    this.#waiting.add(taker);
    this.#pool.connect((error, client, release) => {
      // Who has been told of the end by now takes nothing.
      if (!this.#waiting.delete(taker)) return release();
      if (client) this.#lend(client as pg.PoolClient & DatabaseClient, taker, sinceMs);
      else taker(toFailure(error), undefined, nothing);
      if (!client) this.#goOn();
    });
  }

  readFigures(): PoolFigures {
    const { totalCount, idleCount } = this.#pool;
    const busy = this.#lent.size;
    return {
      most: this.#pool.options.max,
      busy,
      idle: idleCount,
      opening: totalCount - idleCount - busy,
      waiting: this.#waiting.size,
      waits: this.#waits,
      waitedMs: this.#waitedMs,
    };
  }

  /** Tells whether work may begin; what has begun takes connections before it. */
  askToBegin(answer: Admitted): void {
    this.#admission.ask(answer);
  }

  /** Takes no more, lets what is under way finish, and cuts off what has not after `timeoutMs`; left out, it waits. */
  async close(timeoutMs?: number): Promise<void> {
    this.#isEnding = true;
    const quiet = new Promise<void>((resolve) => (this.#onQuiet = resolve));
    this.#goOn();
    await (timeoutMs === undefined ? quiet : Promise.race([quiet, delay(timeoutMs, undefined, { ref: false })]));
    for (const taker of this.#waiting) taker(closed(), undefined, nothing);
    this.#waiting.clear();
    await this.#pool.close(0);
  }

  #lend(client: pg.PoolClient & DatabaseClient, taker: Taker, sinceMs: number | undefined): void {
    if (sinceMs !== undefined) {
      this.#waits++;
      this.#waitedMs += performance.now() - sinceMs;
    }
    this.#lent.add(client);
    let isBack = false;
    taker(undefined, client, () => {
      if (isBack) return;
      isBack = true;
      this.#lent.delete(client);
      client.release(client.isOver);
      this.#goOn();
    });
  }

  /** Connections that rest or may be made, less those who wait. */
  #countFree(): number {
    const { options, totalCount, idleCount, waitingCount } = this.#pool;
    return idleCount + options.max - totalCount - waitingCount;
  }

  #goOn(): void {
    this.#admission.goOn();
    if (this.#waiting.size + this.#lent.size === 0) this.#onQuiet();
  }
}
