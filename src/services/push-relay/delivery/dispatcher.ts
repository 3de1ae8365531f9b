import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "#platform/outbound/send.ts";
import type { OpenBody } from "#services/push-relay/sealed.ts";
import { openPace, type Pace, runMs } from "./pace.ts";
import { type Claimed, noRoom, type Room, type Run, type Settlement } from "./queue-store.ts";
import { openRate, type Rate } from "./rate.ts";
import { attempted, handedBack, isGone } from "./schedule.ts";
import type { Sender } from "./sender.ts";

export interface DispatcherOptions {
  readonly concurrency: number;
  readonly stepsSeconds: readonly number[];
  /**
   * A push starts only if its delivery's lease lasts at least this much longer: the time limit of a push plus a margin.
   */
  readonly leastLeaseMs: number;
  readonly nowMs: () => number;
  readonly loadBody: (claimed: Claimed) => Promise<string | undefined>;
  /** @throws {Error} if the stored body was tampered with or its key is missing */
  readonly openBody: OpenBody;
  readonly reserve: (projectId: number, stretchMs: number) => Promise<number>;
  readonly onSettlements: (settlements: readonly Settlement[]) => void;
  readonly onLow: () => void;
  /** Disables the sender's project. The promise resolves even if that fails; the failure is then logged. */
  readonly onGone: (sender: Sender) => Promise<void>;
}

interface Waiting {
  readonly run: Run;
  readonly leaseEndsMs: number;
}

export class Dispatcher {
  sender: Sender;
  underWay = 0;
  readonly #options: DispatcherOptions;
  readonly #pace: Pace;
  #rate: Rate;
  #waiting: Waiting[] = [];
  /** Counts deliveries, whereas an entry of #waiting is a run of one or more deliveries. */
  #waitingCount = 0;
  #handBacks = 0;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DispatcherOptions, sender: Sender) {
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

  /** The old sender finishes its pushes before it closes. */
  replaceSender(next: Sender): void {
    this.sender.close();
    const isSamePace = next.target.perSecond === this.sender.target.perSecond;
    this.sender = next;
    if (!isSamePace) this.#rate = this.#openRate();
  }

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

  handBack(): void {
    const back = this.#waiting;
    [this.#waiting, this.#waitingCount] = [[], 0];
    this.#handBacks++;
    for (const one of back) this.#giveBack(one);
  }

  stop(): void {
    this.handBack();
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #giveBack({ run }: Waiting): void {
    this.#options.onSettlements([handedBack(run[0], this.#options.nowMs())]);
  }

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
    if (!answer) return handedBack(claimed, endedMs);
    this.#pace.finish(answer.error === null, endedMs - startedMs);
    // Storing the outcome makes the delivery due again, so the project is disabled first.
    if (isGone(answer)) await onGone(sender);
    return attempted({ claimed, url: sender.target.url, startedMs, endedMs, answer }, stepsSeconds);
  }

  /**
   * Returns undefined if the event is gone or the database failed. A body that cannot be decrypted counts as a failed
   * attempt, so that the delivery is given up after the last attempt and does not block other events of its subject
   * (P6d).
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

export type Dispatchers = Map<number, Dispatcher>;

export async function finishDispatchers(dispatchers: Dispatchers, withinMs: number): Promise<void> {
  const all = [...dispatchers.values()];
  for (const dispatcher of all) dispatcher.stop();
  const isBusy = () => all.some((dispatcher) => dispatcher.underWay > 0);
  const endMs = performance.now() + withinMs;
  while (isBusy() && performance.now() < endMs) await delay(10);
  for (const { sender } of all) sender.destroy();
  while (isBusy()) await delay(5);
}
