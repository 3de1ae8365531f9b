import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { Admission, type AdmissionCallback } from "./admission.ts";
import { closed, type DatabaseClient, DriverPool } from "./client.ts";
import { toFailure } from "./failures.ts";

export type ClientCallback = (error: Error | undefined, client: DatabaseClient | undefined, done: () => void) => void;

type Client = pg.PoolClient & DatabaseClient;

const nothing = (): void => {};

/**
 * This pool keeps idle connections itself, because returning each to the driver's pool would cost a turn of the event
 * loop and six listeners per statement.
 */
export class ClientPool {
  readonly #pool: DriverPool;
  readonly #idle: Client[] = [];
  readonly #waiting: { readonly taker: ClientCallback; readonly sinceMs: number }[] = [];
  readonly #admission = new Admission(() => this.#countFree());
  #leased = 0;
  #waits = 0;
  #waitedMs = 0;
  #isEnding = false;
  #onQuiet = nothing;

  constructor(pool: DriverPool) {
    this.#pool = pool;
  }

  take(taker: ClientCallback): void {
    if (this.#isEnding) return taker(closed(), undefined, nothing);
    for (let client = this.#idle.pop(); client; client = this.#idle.pop()) {
      if (!client.isRetired) return this.#lease(client, taker);
      client.release(true);
    }
    this.#waiting.push({ taker, sinceMs: performance.now() });
    this.#open();
  }

  readFigures() {
    return {
      most: this.#pool.options.max,
      busy: this.#leased,
      idle: this.#idle.length,
      opening: this.#countOpening(),
      waiting: this.#waiting.length,
      waits: this.#waits,
      waitedMs: this.#waitedMs,
    };
  }

  askToBegin(answer: AdmissionCallback): void {
    this.#admission.ask(answer);
  }

  async close(timeoutMs?: number): Promise<void> {
    this.#isEnding = true;
    const quiet = new Promise<void>((resolve) => (this.#onQuiet = resolve));
    this.#serveWaiting();
    await (timeoutMs === undefined ? quiet : Promise.race([quiet, delay(timeoutMs, undefined, { ref: false })]));
    for (const { taker } of this.#waiting.splice(0)) taker(closed(), undefined, nothing);
    for (const client of this.#idle.splice(0)) client.release();
    await this.#pool.close(0);
  }

  #open(): void {
    const isFull = this.#pool.totalCount >= this.#pool.options.max;
    if (isFull || this.#countOpening() >= this.#waiting.length) return;
    const beganMs = performance.now();
    this.#pool.connect((error, client) => {
      if (client) return this.#giveBack(client as Client);
      // Only a caller who was waiting before the attempt began gets the attempt's error. For later callers another
      // attempt is made, since the database may have recovered.
      const [first] = this.#waiting;
      if (first && first.sinceMs <= beganMs) {
        this.#waiting.shift();
        first.taker(toFailure(error), undefined, nothing);
      }
      this.#open();
      this.#serveWaiting();
    });
  }

  #giveBack(client: Client): void {
    if (client.isRetired) {
      client.release(true);
      this.#open();
    } else {
      const first = this.#waiting.shift();
      if (first) {
        this.#waits++;
        this.#waitedMs += performance.now() - first.sinceMs;
        this.#lease(client, first.taker);
      } else this.#idle.push(client);
    }
    this.#serveWaiting();
  }

  #lease(client: Client, taker: ClientCallback): void {
    this.#leased++;
    let isBack = false;
    taker(undefined, client, () => {
      if (isBack) return;
      isBack = true;
      this.#leased--;
      this.#giveBack(client);
    });
  }

  #countOpening(): number {
    return this.#pool.totalCount - this.#idle.length - this.#leased;
  }

  #countFree(): number {
    const { options, totalCount } = this.#pool;
    return this.#idle.length + options.max - totalCount - Math.max(0, this.#waiting.length - this.#countOpening());
  }

  #serveWaiting(): void {
    this.#admission.admitWaiting();
    if (this.#waiting.length + this.#leased === 0) this.#onQuiet();
  }
}
