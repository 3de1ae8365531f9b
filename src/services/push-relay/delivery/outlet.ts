import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "#platform/outbound/send.ts";
import type { OpenBody } from "#services/push-relay/sealed.ts";
import { openPace, type Pace, runMs } from "./pace.ts";
import { type Claimed, noRoom, type Room, type Run, type Settlement } from "./queue-store.ts";
import { openRate, type Rate } from "./rate.ts";
import { attempted, handedBack, isGone } from "./schedule.ts";
import type { Sender } from "./sender.ts";

export interface OutletOptions {
  readonly concurrency: number;
  readonly stepsSeconds: readonly number[];
  /** A push is begun only when its lease lasts as long as it may take, and some more. */
  readonly leastLeaseMs: number;
  readonly nowMs: () => number;
  /** What is stored of the body, where the claim did not bring it; undefined when the event is gone. */
  readonly loadBody: (claimed: Claimed) => Promise<string | undefined>;
  /** The bytes to send. @throws {Error} when what is stored was changed */
  readonly openBody: OpenBody;
  /** See `RateOptions`. */
  readonly reserve: (projectId: number, stretchMs: number) => Promise<number>;
  /** What a run has come to, as far as it went. */
  readonly onSettlements: (settlements: readonly Settlement[]) => void;
  /** More should be claimed. */
  readonly onLow: () => void;
  /** The receiver has said that it is gone for good. */
  readonly onGone: (sender: Sender) => void;
}

interface Waiting {
  readonly run: Run;
  readonly leaseEndsMs: number;
}

/** One project's way out of this process: what is claimed of it waits here, and a bounded number is under way. */
export class Outlet {
  /** The sender in use. */
  sender: Sender;
  /** How many runs are. */
  underWay = 0;
  readonly #options: OutletOptions;
  readonly #pace: Pace;
  #rate: Rate;
  #waiting: Waiting[] = [];
  /** Of deliveries, not runs. */
  #waitingCount = 0;
  #handBacks = 0;
  #stopped = false;
  /** Set while the pace makes it rest. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutletOptions, sender: Sender) {
    this.sender = sender;
    this.#options = options;
    this.#pace = openPace(options.concurrency);
    this.#rate = this.#openRate();
  }

  #openRate(): Rate {
    const { projectId, perSecond } = this.sender.target;
    const reserve = (stretchMs: number) => this.#options.reserve(projectId, stretchMs);
    return openRate({ perSecond, reserve, onReady: () => this.#beginWaiting() });
  }

  /** The project's settings have changed; what the former sender has begun, it finishes. */
  replaceSender(next: Sender): void {
    this.sender.close();
    const isSamePace = next.target.perSecond === this.sender.target.perSecond;
    this.sender = next;
    if (!isSamePace) this.#rate = this.#openRate();
  }

  /** What more may be claimed. */
  readRoom(): Room {
    if (this.#stopped) return noRoom;
    const { lanes, run } = this.#pace.readRoom(this.#waitingCount);
    const { ahead } = this.#rate;
    return ahead === Infinity
      ? { lanes, run }
      : { lanes: Math.max(0, Math.min(lanes, ahead - this.#waitingCount)), run: 1 };
  }

  add(run: Run, leaseEndsMs: number): void {
    this.#waiting.push({ run, leaseEndsMs });
    this.#waitingCount += run.length;
    this.#pace.claimed(run.length);
    this.#beginWaiting();
  }

  /** Hands back what is not under way. */
  handBack(): void {
    const back = this.#waiting;
    [this.#waiting, this.#waitingCount] = [[], 0];
    this.#handBacks++;
    for (const one of back) this.#giveBack(one);
  }

  /** The same; from now on a push that is cut off is handed back too. */
  stop(): void {
    this.handBack();
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #giveBack({ run }: Waiting): void {
    this.#options.onSettlements([handedBack(run[0], this.#options.nowMs())]);
  }

  /** Begins runs until as many as may be are under way, or the pace makes it rest. */
  #beginWaiting(): void {
    while (this.underWay < this.#options.concurrency && this.#timer === undefined) {
      const next = this.#waiting[0];
      if (!next) return;
      const waitMs = this.#pace.begin() || this.#rate.begin(this.#waitingCount);
      if (waitMs === Infinity) return;
      if (waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.#beginWaiting();
        }, waitMs);
        return;
      }
      this.#waiting.shift();
      this.#begin(next);
    }
  }

  #begin(next: Waiting): void {
    const wasLow = this.#pace.isLow(this.#waitingCount);
    this.#waitingCount -= next.run.length;
    if (this.#mayBegin(next)) void this.#pushRun(next);
    else this.#giveBack(next);
    if (!wasLow && this.#pace.isLow(this.#waitingCount)) this.#options.onLow();
  }

  #mayBegin({ leaseEndsMs }: Waiting): boolean {
    return leaseEndsMs - this.#options.nowMs() >= this.#options.leastLeaseMs;
  }

  async #pushRun(next: Waiting): Promise<void> {
    const { nowMs, onSettlements } = this.#options;
    this.underWay++;
    const [beganMs, handBacksBefore] = [nowMs(), this.#handBacks];
    const mayGoOn = () =>
      !this.#stopped && this.#handBacks === handBacksBefore && nowMs() - beganMs < runMs && this.#mayBegin(next);
    const settlements: Settlement[] = [];
    for (const claimed of next.run) {
      const settlement = await this.#push(claimed);
      settlements.push(settlement);
      if (settlement.outcome.kind !== "delivered" || !mayGoOn()) break;
    }
    this.underWay--;
    onSettlements(settlements);
    this.#beginWaiting();
  }

  async #push(claimed: Claimed): Promise<Settlement> {
    const { nowMs, onGone, stepsSeconds } = this.#options;
    const [sender, startedMs] = [this.sender, nowMs()];
    const answer = await this.#send(claimed, sender, startedMs);
    const endedMs = nowMs();
    if (!answer || (this.#stopped && answer.statusCode === null)) return handedBack(claimed, endedMs);
    this.#pace.finish(answer.error === null, endedMs - startedMs);
    if (isGone(answer)) onGone(sender);
    return attempted({ claimed, url: sender.target.url, startedMs, endedMs, answer }, stepsSeconds);
  }

  /**
   * Undefined when there is nothing to send: the event is gone, or the database cannot say. What cannot be opened is a try
   * that failed: it is given up in its time, and its person's other events go on (P6d).
   */
  async #send(claimed: Claimed, sender: Sender, startedMs: number): Promise<Answer | undefined> {
    const { loadBody, openBody } = this.#options;
    const stored = claimed.body ?? (await loadBody(claimed).catch(() => undefined));
    if (stored === undefined) return undefined;
    let forwarded: ReturnType<OpenBody>;
    try {
      forwarded = openBody(claimed, stored);
    } catch (error) {
      return { statusCode: null, retryAfter: null, error: (error as Error).message, response: null };
    }
    return sender.send(claimed.publicId, forwarded, startedMs);
  }
}

/** The ways out to the projects that have had something, each by its project's id. */
export type Outlets = Map<number, Outlet>;

/** Ends all: what is under way has some time, and is cut off then; the rest is handed back. */
export async function finishOutlets(outlets: Outlets, withinMs: number): Promise<void> {
  const all = [...outlets.values()];
  for (const outlet of all) outlet.stop();
  const isBusy = () => all.some((outlet) => outlet.underWay > 0);
  const endMs = performance.now() + withinMs;
  while (isBusy() && performance.now() < endMs) await delay(10);
  for (const { sender } of all) sender.destroy();
  while (isBusy()) await delay(5);
}
