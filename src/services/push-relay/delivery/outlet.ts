import type { Answer, Claimed, Outcome, Settlement } from "./model.ts";
import { openPace } from "./pace.ts";
import { isGone, isSuccess, planOutcome } from "./schedule.ts";
import type { Sender } from "./sender.ts";

/** One project's way out of this process: what is claimed of it waits here, and a bounded number is under way. */
export interface Outlet {
  /** The sender in use; another is set when the project's settings have changed. */
  sender: Sender;
  /** How many more may be claimed. */
  countRoom(): number;
  add(claimed: Claimed, leaseEndsMs: number): void;
  /** Hands back what is not under way. */
  handBack(): void;
  countWaiting(): number;
  countUnderWay(): number;
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
  /** The bytes to send; undefined when the event is gone. @throws when the database cannot say. */
  readonly loadBody: (claimed: Claimed) => Buffer | Promise<Buffer | undefined>;
  readonly onSettlement: (settlement: Settlement) => void;
  /** The receiver has said that it is gone for good. */
  readonly onGone: (sender: Sender) => void;
}

interface Waiting {
  readonly claimed: Claimed;
  readonly leaseEndsMs: number;
}

export function openOutlet(options: OutletOptions): Outlet {
  const { concurrency, stepsSeconds, leastLeaseMs, nowMs, loadBody, onSettlement, onGone } = options;
  const pace = openPace(concurrency);
  let waiting: Waiting[] = [];
  let underWay = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const giveBack = (claimed: Claimed): void =>
    onSettlement({
      claimed,
      outcome: { kind: "back", delayMs: 0 },
      startedMs: nowMs(),
      durationMs: 0,
      statusCode: null,
      error: null,
    });

  const isFree = () => underWay < concurrency && timer === undefined;
  const pump = (): void => {
    while (isFree()) {
      const next = waiting[0];
      if (!next) return;
      const waitMs = pace.begin();
      if (waitMs > 0) return rest(waitMs);
      waiting.shift();
      if (next.leaseEndsMs - nowMs() < leastLeaseMs) giveBack(next.claimed);
      else void push(next.claimed);
    }
  };
  const rest = (waitMs: number): void => {
    timer = setTimeout(() => {
      timer = undefined;
      pump();
    }, waitMs);
  };

  const push = async (claimed: Claimed): Promise<void> => {
    underWay++;
    const { sender } = outlet;
    const startedMs = nowMs();
    try {
      const loading = loadBody(claimed);
      const body = loading instanceof Buffer ? loading : await loading;
      if (body) judge(claimed, sender, startedMs, await sender.send(claimed.publicId, body));
      else giveBack(claimed);
    } catch {
      giveBack(claimed);
    } finally {
      underWay--;
      pump();
    }
  };

  const judge = (claimed: Claimed, sender: Sender, startedMs: number, answer: Answer): void => {
    if (stopped && answer.statusCode === null) return giveBack(claimed);
    const { statusCode, error } = answer;
    const endedMs = nowMs();
    const outcome: Outcome = planOutcome({
      failures: claimed.failures,
      answer,
      stepsSeconds,
      nowMs: endedMs,
      random: Math.random(),
    });
    pace.finish(isSuccess(statusCode));
    onSettlement({ claimed, outcome, startedMs, durationMs: Math.round(endedMs - startedMs), statusCode, error });
    if (isGone(answer)) onGone(sender);
  };

  const outlet: Outlet = {
    sender: options.sender,
    countRoom: () => (stopped ? 0 : pace.countRoom(waiting.length)),
    add(claimed, leaseEndsMs) {
      waiting.push({ claimed, leaseEndsMs });
      pump();
    },
    handBack() {
      const back = waiting;
      waiting = [];
      for (const { claimed } of back) giveBack(claimed);
    },
    countWaiting: () => waiting.length,
    countUnderWay: () => underWay,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
  return outlet;
}
