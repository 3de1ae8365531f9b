import { setTimeout as delay } from "node:timers/promises";
import { type Answer, isSuccess } from "#platform/outbound/send.ts";
import { openPace, type Pace, runMs } from "./pace.ts";
import { type Claimed, noRoom, type Room, type Run, type Settlement } from "./queue-store.ts";
import { attempted, handedBack, isGone } from "./schedule.ts";
import type { Sender } from "./sender.ts";

/** One project's way out of this process: what is claimed of it waits here, and a bounded number is under way. */
export interface Outlet {
  /** The sender in use. */
  readonly sender: Sender;
  /** The project's settings have changed; what the former sender has begun, it finishes. */
  replaceSender(sender: Sender): void;
  /** What more may be claimed. */
  readRoom(): Room;
  add(run: Run, leaseEndsMs: number): void;
  /** Hands back what is not under way. */
  handBack(): void;
  countUnderWay(): number;
  /** The same; from now on a push that is cut off is handed back too. */
  stop(): void;
}

export interface OutletOptions {
  readonly concurrency: number;
  readonly stepsSeconds: readonly number[];
  /** A push is begun only when its lease lasts as long as it may take, and some more. */
  readonly leastLeaseMs: number;
  readonly nowMs: () => number;
  /** What is stored of the body, where the claim did not bring it; undefined when the event is gone. */
  readonly loadBody: (claimed: Claimed) => Promise<string | undefined>;
  /** The bytes to send. @throws {Error} when what is stored was changed */
  readonly openBody: (publicId: string, stored: string) => Buffer;
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

interface State extends OutletOptions {
  sender: Sender;
  readonly pace: Pace;
  waiting: Waiting[];
  /** Of deliveries, not runs. */
  waitingCount: number;
  underWay: number;
  handBacks: number;
  stopped: boolean;
  /** Set while the pace makes it rest. */
  timer: NodeJS.Timeout | undefined;
}

export function openOutlet(options: OutletOptions, sender: Sender): Outlet {
  const state: State = {
    ...options,
    sender,
    pace: openPace(options.concurrency),
    waiting: [],
    waitingCount: 0,
    underWay: 0,
    handBacks: 0,
    stopped: false,
    timer: undefined,
  };
  return {
    get sender() {
      return state.sender;
    },
    replaceSender(next) {
      state.sender.close();
      state.sender = next;
    },
    readRoom: () => (state.stopped ? noRoom : state.pace.readRoom(state.waitingCount)),
    add: (run, leaseEndsMs) => add(state, { run, leaseEndsMs }),
    handBack: () => handBack(state),
    countUnderWay: () => state.underWay,
    stop() {
      handBack(state);
      state.stopped = true;
      clearTimeout(state.timer);
    },
  };
}

function add(state: State, added: Waiting): void {
  state.waiting.push(added);
  state.waitingCount += added.run.length;
  state.pace.claimed(added.run.length);
  beginWaiting(state);
}

function handBack(state: State): void {
  const back = state.waiting;
  [state.waiting, state.waitingCount] = [[], 0];
  state.handBacks++;
  for (const one of back) giveBack(state, one);
}

const giveBack = ({ nowMs, onSettlements }: State, { run }: Waiting): void =>
  onSettlements([handedBack(run[0], nowMs())]);

/** Begins runs until as many as may be are under way, or the pace makes it rest. */
function beginWaiting(state: State): void {
  while (state.underWay < state.concurrency && state.timer === undefined) {
    const next = state.waiting[0];
    if (!next) return;
    const waitMs = state.pace.begin();
    if (waitMs > 0) return rest(state, waitMs);
    state.waiting.shift();
    begin(state, next);
  }
}

function rest(state: State, waitMs: number): void {
  state.timer = setTimeout(() => {
    state.timer = undefined;
    beginWaiting(state);
  }, waitMs);
}

function begin(state: State, next: Waiting): void {
  const { pace } = state;
  const wasLow = pace.isLow(state.waitingCount);
  state.waitingCount -= next.run.length;
  if (mayBegin(state, next)) void pushRun(state, next);
  else giveBack(state, next);
  if (!wasLow && pace.isLow(state.waitingCount)) state.onLow();
}

const mayBegin = ({ nowMs, leastLeaseMs }: State, { leaseEndsMs }: Waiting): boolean =>
  leaseEndsMs - nowMs() >= leastLeaseMs;

async function pushRun(state: State, next: Waiting): Promise<void> {
  state.underWay++;
  const [beganMs, handBacksBefore] = [state.nowMs(), state.handBacks];
  const mayGoOn = () =>
    !state.stopped && state.handBacks === handBacksBefore && state.nowMs() - beganMs < runMs && mayBegin(state, next);
  const settlements: Settlement[] = [];
  for (const claimed of next.run) {
    const sent = { claimed, sender: state.sender, startedMs: state.nowMs() };
    const settlement = conclude(state, sent, await send(state, sent));
    settlements.push(settlement);
    if (settlement.outcome.kind !== "delivered" || !mayGoOn()) break;
  }
  state.underWay--;
  state.onSettlements(settlements);
  beginWaiting(state);
}

interface Sent {
  readonly claimed: Claimed;
  readonly sender: Sender;
  readonly startedMs: number;
}

/**
 * Undefined when there is nothing to send: the event is gone, or the database cannot say. What cannot be opened is a try
 * that failed: it is given up in its time, and its person's other events go on (P6d).
 */
async function send(state: State, { claimed, sender, startedMs }: Sent): Promise<Answer | undefined> {
  const stored = claimed.body ?? (await state.loadBody(claimed).catch(() => undefined));
  if (stored === undefined) return undefined;
  let body: Buffer;
  try {
    body = state.openBody(claimed.publicId, stored);
  } catch (error) {
    return { statusCode: null, retryAfter: null, error: (error as Error).message, response: null };
  }
  return sender.send(claimed.publicId, body, startedMs);
}

function conclude(state: State, { claimed, sender, startedMs }: Sent, answer: Answer | undefined): Settlement {
  const endedMs = state.nowMs();
  if (!answer || (state.stopped && answer.statusCode === null)) return handedBack(claimed, endedMs);
  state.pace.finish(isSuccess(answer.statusCode), endedMs - startedMs);
  if (isGone(answer)) state.onGone(sender);
  return attempted({ claimed, url: sender.target.url, startedMs, endedMs, answer }, state.stepsSeconds);
}

/** The ways out to the projects that have had something, each by its project's id. */
export type Outlets = Map<number, Outlet>;

/** Ends all: what is under way has some time, and is cut off then; the rest is handed back. */
export async function finishOutlets(outlets: Outlets, withinMs: number): Promise<void> {
  const all = [...outlets.values()];
  for (const outlet of all) outlet.stop();
  const isBusy = () => all.some((outlet) => outlet.countUnderWay() > 0);
  const endMs = performance.now() + withinMs;
  while (isBusy() && performance.now() < endMs) await delay(10);
  for (const { sender } of all) sender.destroy();
  while (isBusy()) await delay(5);
}
