import { setTimeout as delay } from "node:timers/promises";
import { Admission, type Admitted } from "./admission.ts";
import { type ClientOptions, connect, type DatabaseClient } from "./client.ts";
import { ConnectionLoss, toFailure } from "./failures.ts";
import type { Hosts } from "./hosts.ts";
import { askPooler, askServer, usualPatienceMs, watchForSilence } from "./silence.ts";

// The driver's own pool has one host, keeps who waits waiting when no connection can be made, never ends while somebody
// keeps one, and costs 2.5 of 20 µs a statement: a subclass that mends it was as long as this.

/** Gives the connection back. */
export type Done = () => void;
/** Gets a connection, or why there is none. */
export type Taker = (error: Error | undefined, client: DatabaseClient | undefined, done: Done) => void;

export interface ClientPoolOptions extends ClientOptions {
  readonly connections: number;
  /** How long a server may say nothing before it is asked whether it is there; for tests. */
  readonly patienceMs?: number | undefined;
  /** Where a pooler is in between: past it. */
  readonly direct?: Hosts | undefined;
}

/** What a session gathers over the days, such as plans and caches, goes with it; not all at once. */
const longestLifeMs = 3_600_000;
const pickLifeMs = (): number => longestLifeMs * (0.75 + Math.random() / 4);
/** Before the next try when none could be had: who asks meanwhile shares its outcome. */
const pauseMs = 100;

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

interface Waiting {
  readonly taker: Taker;
  readonly sinceMs: number;
}

const ended = (): ConnectionLoss => new ConnectionLoss("CONNECTION_CLOSED", "the pool of connections has ended");

/** Up to so many connections, each made when somebody needs it. */
export class ClientPool {
  readonly most: number;
  readonly #open: () => Promise<DatabaseClient>;
  readonly #stopWatching: () => void;
  readonly #clients = new Set<DatabaseClient>();
  readonly #waiting: Waiting[] = [];
  readonly #admission = new Admission(() => this.#countFree());
  #waits = 0;
  #waitedMs = 0;
  #idle: DatabaseClient[] = [];
  #opening = 0;
  #isPausing = false;
  #state: "open" | "closing" | "closed" = "open";
  #onQuiet = (): void => {};

  constructor(hosts: Hosts, options: ClientPoolOptions) {
    this.most = options.connections;
    const { name, patienceMs = usualPatienceMs, direct } = options;
    const isShared = direct !== undefined;
    this.#open = () => connect(hosts, { ...options, isShared });
    const probe = (to: Hosts): Promise<DatabaseClient> =>
      connect(to, { name, answerMs: patienceMs, connectMs: patienceMs, isShared: isShared && to === hosts });
    const ask = direct
      ? askPooler(
          () => probe(hosts),
          () => probe(direct),
          name,
        )
      : askServer(() => probe(hosts));
    this.#stopWatching = watchForSilence(this.#clients, ask, patienceMs);
  }

  take(taker: Taker): void {
    if (this.#state !== "open") {
      taker(ended(), undefined, () => {});
      return;
    }
    const client = this.#idle.pop();
    if (client && !client.isOver) {
      this.#lend(client, taker);
      return;
    }
    this.#waiting.push({ taker, sinceMs: performance.now() });
    if (client) this.#takeBack(client);
    else this.#grow();
  }

  readFigures(): PoolFigures {
    const idle = this.#idle.length;
    return {
      most: this.most,
      busy: this.#clients.size - idle,
      idle,
      opening: this.#opening,
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
    this.#state = "closing";
    const quiet = new Promise<void>((resolve) => (this.#onQuiet = resolve));
    this.#tellQuiet();
    await (timeoutMs === undefined ? quiet : Promise.race([quiet, delay(timeoutMs, undefined, { ref: false })]));
    this.#state = "closed";
    this.#stopWatching();
    this.#failWaiting(ended());
    for (const client of this.#clients) if (!this.#idle.includes(client)) client.cut(ended());
    await Promise.all([...this.#clients].map((client) => client.close()));
  }

  /** Connections that rest or may be made, less those who wait without one being made for them. */
  #countFree(): number {
    const mayGrow = !this.#isPausing || this.#clients.size === 0;
    const toCome = mayGrow ? this.most - this.#clients.size - this.#opening : 0;
    return this.#idle.length + toCome - Math.max(0, this.#waiting.length - this.#opening);
  }

  /** Makes a connection when more wait for one than are being made. */
  #grow(): void {
    const isFull = this.#clients.size + this.#opening >= this.most;
    if (isFull || this.#isPausing || this.#waiting.length <= this.#opening) return;
    this.#opening++;
    this.#open().then(
      (client) => this.#admit(client),
      (error: unknown) => this.#goWithout(toFailure(error)),
    );
  }

  #admit(client: DatabaseClient): void {
    this.#opening--;
    this.#clients.add(client);
    const old = setTimeout(() => this.#retire(client), pickLifeMs()).unref();
    client.once("end", () => {
      clearTimeout(old);
      this.#forget(client);
    });
    this.#takeBack(client);
    // After a pause one is made for all who wait: where it could be, the others need not wait until it is given back, which
    // who listens never does.
    this.#grow();
  }

  /** Those who wait get a connection that is there; if there is none, there is nothing to wait for. */
  #goWithout(error: Error): void {
    this.#opening--;
    if (this.#clients.size === 0) this.#failWaiting(error);
    if (!this.#isPausing) setTimeout(() => this.#goOn(), pauseMs);
    this.#isPausing = true;
    this.#tellQuiet();
  }

  #goOn(): void {
    this.#isPausing = false;
    this.#grow();
    this.#admission.goOn();
  }

  #lend(client: DatabaseClient, taker: Taker): void {
    let isBack = false;
    taker(undefined, client, () => {
      if (!isBack) this.#takeBack(client);
      isBack = true;
    });
  }

  #takeBack(client: DatabaseClient): void {
    if (client.isOver || this.#state === "closed") {
      void client.close();
      this.#forget(client);
      return;
    }
    const next = this.#waiting.shift();
    if (next) {
      this.#waits++;
      this.#waitedMs += performance.now() - next.sinceMs;
      this.#lend(client, next.taker);
    } else this.#idle.push(client);
    this.#tellQuiet();
  }

  #retire(client: DatabaseClient): void {
    client.isSpent = true;
    if (this.#idle.includes(client)) this.#takeBack(client);
  }

  #forget(client: DatabaseClient): void {
    if (!this.#clients.delete(client)) return;
    this.#idle = this.#idle.filter((other) => other !== client);
    this.#grow();
    this.#tellQuiet();
  }

  #failWaiting(error: Error): void {
    for (const { taker } of this.#waiting.splice(0)) taker(error, undefined, () => {});
  }

  #tellQuiet(): void {
    this.#admission.goOn();
    const isQuiet = this.#waiting.length + this.#opening === 0 && this.#idle.length === this.#clients.size;
    if (isQuiet) this.#onQuiet();
  }
}
