import { type Answer, type Claimed, noRoom, type Outcome, type Room, type Run, type Settlement } from "./model.ts";
import { toExchange } from "./exchange.ts";
import { openPace, runMs } from "./pace.ts";
import { isGone, isSuccess, planOutcome } from "./schedule.ts";
import type { Sender } from "./sender.ts";

/** One project's way out of this process: what is claimed of it waits here, and a bounded number is under way. */
export interface Outlet {
  /** The sender in use; another is set when the project's settings have changed. */
  sender: Sender;
  /** What more may be claimed. */
  readRoom(): Room;
  add(run: Run, leaseEndsMs: number): void;
  /** Hands back what is not under way. */
  handBack(): void;
  countUnderWay(): number;
  /** For how long it has had nothing to do; 0 while it has. */
  readIdleMs(): number;
  /** From now on a push that is cut off is handed back. */
  stop(): void;
}

export interface OutletOptions {
  readonly sender: Sender;
  readonly concurrency: number;
  readonly stepsSeconds: readonly number[];
  /** A push is begun only when its lease lasts as long as it may take, and some more. */
  readonly leastLeaseMs: number;
  readonly nowMs: () => number;
  /** The bytes to send, where the claim did not bring them; undefined when the event is gone. */
  readonly loadBody: (claimed: Claimed) => Promise<Buffer | undefined>;
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

export function openOutlet(options: OutletOptions): Outlet {
  const { concurrency, stepsSeconds, leastLeaseMs, nowMs, loadBody, onSettlements, onLow, onGone } = options;
  const pace = openPace(concurrency);
  let waiting: Waiting[] = [];
  /** Of deliveries, not runs. */
  let waitingCount = 0;
  let underWay = 0;
  let handBacks = 0;
  let usedMs = nowMs();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const handedBack = (claimed: Claimed): Settlement => ({
    claimed,
    outcome: { kind: "back", delayMs: 0 },
    startedMs: nowMs(),
    durationMs: 0,
    statusCode: null,
    error: null,
    exchange: null,
  });

  const giveBack = ({ run }: Waiting): void => onSettlements([handedBack(run[0])]);
  const mayBegin = ({ leaseEndsMs }: Waiting): boolean => leaseEndsMs - nowMs() >= leastLeaseMs;

  const isFree = () => underWay < concurrency && timer === undefined;
  const pump = (): void => {
    while (isFree()) {
      const next = waiting[0];
      if (!next) return;
      const waitMs = pace.begin();
      if (waitMs > 0) return rest(waitMs);
      waiting.shift();
      const wasLow = pace.isLow(waitingCount);
      waitingCount -= next.run.length;
      if (mayBegin(next)) void pushRun(next);
      else giveBack(next);
      if (!wasLow && pace.isLow(waitingCount)) onLow();
    }
  };
  const rest = (waitMs: number): void => {
    timer = setTimeout(() => {
      timer = undefined;
      pump();
    }, waitMs);
  };

  const pushRun = async (next: Waiting): Promise<void> => {
    underWay++;
    const [beganMs, handBacksBefore] = [nowMs(), handBacks];
    const mayGoOn = () => !stopped && handBacks === handBacksBefore && nowMs() - beganMs < runMs && mayBegin(next);
    const settlements: Settlement[] = [];
    for (const claimed of next.run) {
      const { sender } = outlet;
      const startedMs = nowMs();
      const settlement = judge(claimed, sender, startedMs, await attempt(claimed, sender, startedMs));
      settlements.push(settlement);
      if (settlement.outcome.kind !== "delivered" || !mayGoOn()) break;
    }
    underWay--;
    usedMs = nowMs();
    onSettlements(settlements);
    pump();
  };

  /** Undefined when there is nothing to send: the event is gone, or the database cannot say. */
  const attempt = (claimed: Claimed, sender: Sender, startedMs: number): Promise<Answer | undefined> =>
    claimed.body === null
      ? loadBody(claimed).then(
          (body) => body && sender.send(claimed.publicId, body, startedMs),
          () => undefined,
        )
      : sender.send(claimed.publicId, Buffer.from(claimed.body), startedMs);

  const judge = (claimed: Claimed, sender: Sender, startedMs: number, answer: Answer | undefined): Settlement => {
    if (!answer || (stopped && answer.statusCode === null)) return handedBack(claimed);
    const { statusCode, error } = answer;
    const endedMs = nowMs();
    const outcome: Outcome = planOutcome({
      failures: claimed.failures,
      answer,
      stepsSeconds,
      nowMs: endedMs,
      random: Math.random(),
    });
    pace.finish(isSuccess(statusCode), endedMs - startedMs);
    if (isGone(answer)) onGone(sender);
    const exchange = toExchange(sender.target.url, answer.response);
    return { claimed, outcome, startedMs, durationMs: Math.round(endedMs - startedMs), statusCode, error, exchange };
  };

  const outlet: Outlet = {
    sender: options.sender,
    readRoom: () => (stopped ? noRoom : pace.readRoom(waitingCount)),
    add(run, leaseEndsMs) {
      waiting.push({ run, leaseEndsMs });
      waitingCount += run.length;
      pace.claimed(run.length);
      pump();
    },
    handBack() {
      const back = waiting;
      [waiting, waitingCount] = [[], 0];
      handBacks++;
      back.forEach(giveBack);
    },
    countUnderWay: () => underWay,
    readIdleMs: () => (underWay > 0 || waiting.length > 0 ? 0 : nowMs() - usedMs),
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
  return outlet;
}
