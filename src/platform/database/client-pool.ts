import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { Admission, type Admitted } from "./admission.ts";
import { closed, type DatabaseClient, DriverPool } from "./client.ts";
import { toFailure } from "./failures.ts";

/** Gets a connection and what gives it back, or why there is none. */
export type Taker = (error: Error | undefined, client: DatabaseClient | undefined, done: () => void) => void;

type Client = pg.PoolClient & DatabaseClient;

const nothing = (): void => {};

/**
 * Lends the connections of the driver's pool, which makes and ends them. Those that rest stay here: given back and asked for
 * each time they would cost a statement a turn of the loop and six listeners. It also knows whether work may begin.
 */
export class ClientPool {
  readonly #pool: DriverPool;
  readonly #resting: Client[] = [];
  readonly #waiting: { readonly taker: Taker; readonly sinceMs: number }[] = [];
  readonly #admission = new Admission(() => this.#countFree());
  #lent = 0;
  #waits = 0;
  #waitedMs = 0;
  #isEnding = false;
  #onQuiet = nothing;

  constructor(pool: DriverPool) {
    this.#pool = pool;
  }

  take(taker: Taker): void {
    if (this.#isEnding) return taker(closed(), undefined, nothing);
    for (let client = this.#resting.pop(); client; client = this.#resting.pop()) {
      if (!client.isOver) return this.#lend(client, taker);
      client.release(true);
    }
    this.#waiting.push({ taker, sinceMs: performance.now() });
    this.#open();
  }

  /** How full it is; `waits` and `waitedMs` since it was opened, of those who got a connection. */
  readFigures() {
    return {
      most: this.#pool.options.max,
      busy: this.#lent,
      idle: this.#resting.length,
      opening: this.#countOpening(),
      waiting: this.#waiting.length,
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
    for (const { taker } of this.#waiting.splice(0)) taker(closed(), undefined, nothing);
    for (const client of this.#resting.splice(0)) client.release();
    await this.#pool.close(0);
  }

  /** Makes one connection more, where there may be one, for whoever has waited for the longest by then. */
  #open(): void {
    const isFull = this.#pool.totalCount >= this.#pool.options.max;
    if (isFull || this.#countOpening() >= this.#waiting.length) return;
    const beganMs = performance.now();
    this.#pool.connect((error, client) => {
      if (client) return this.#give(client as Client);
      // Who came later has a try of their own: the database may be back by now.
      const [first] = this.#waiting;
      if (first && first.sinceMs <= beganMs) {
        this.#waiting.shift();
        first.taker(toFailure(error), undefined, nothing);
      }
      this.#open();
      this.#goOn();
    });
  }

  #give(client: Client): void {
    if (client.isOver) {
      client.release(true);
      this.#open();
    } else {
      const first = this.#waiting.shift();
      if (first) {
        this.#waits++;
        this.#waitedMs += performance.now() - first.sinceMs;
        this.#lend(client, first.taker);
      } else this.#resting.push(client);
    }
    this.#goOn();
  }

  #lend(client: Client, taker: Taker): void {
    this.#lent++;
    let isBack = false;
    taker(undefined, client, () => {
      if (isBack) return;
      isBack = true;
      this.#lent--;
      this.#give(client);
    });
  }

  #countOpening(): number {
    return this.#pool.totalCount - this.#resting.length - this.#lent;
  }

  /** Connections that rest or may be made, less those who wait for another than one that is being made. */
  #countFree(): number {
    const { options, totalCount } = this.#pool;
    return this.#resting.length + options.max - totalCount - Math.max(0, this.#waiting.length - this.#countOpening());
  }

  #goOn(): void {
    this.#admission.goOn();
    if (this.#waiting.length + this.#lent === 0) this.#onQuiet();
  }
}
