import { setTimeout as delay } from "node:timers/promises";
import { type Answer, isSuccess } from "#platform/outbound/send.ts";
import { type Claimed, noRoom, type Room, type Run, type Settlement, type Target } from "./model.ts";
import { openPace, type Pace, runMs } from "./pace.ts";
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
  usedMs: number;
  stopped: boolean;
  /** Set while the pace makes it rest. */
  timer: NodeJS.Timeout | undefined;
}

export function openOutlet(options: OutletOptions): Outlet {
  const state: State = {
    ...options,
    pace: openPace(options.concurrency),
    waiting: [],
    waitingCount: 0,
    underWay: 0,
    handBacks: 0,
    usedMs: options.nowMs(),
    stopped: false,
    timer: undefined,
  };
  return {
    get sender() {
      return state.sender;
    },
    replaceSender(sender) {
      state.sender.close();
      state.sender = sender;
    },
    readRoom: () => (state.stopped ? noRoom : state.pace.readRoom(state.waitingCount)),
    add: (run, leaseEndsMs) => add(state, { run, leaseEndsMs }),
    handBack: () => handBack(state),
    countUnderWay: () => state.underWay,
    readIdleMs: () => (state.underWay > 0 || state.waiting.length > 0 ? 0 : state.nowMs() - state.usedMs),
    stop() {
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
  state.usedMs = state.nowMs();
  state.onSettlements(settlements);
  beginWaiting(state);
}

interface Sent {
  readonly claimed: Claimed;
  readonly sender: Sender;
  readonly startedMs: number;
}

/** Undefined when there is nothing to send: the event is gone, or the database cannot say. */
const send = (state: State, sent: Sent): Promise<Answer | undefined> =>
  sent.claimed.body === null
    ? state.loadBody(sent.claimed).then(
        (stored) => (stored === undefined ? undefined : sendStored(state, sent, stored)),
        () => undefined,
      )
    : sendStored(state, sent, sent.claimed.body);

/** What cannot be opened is a try that failed: it is given up in its time, and its person's other events go on (P6d). */
function sendStored({ openBody }: State, { claimed, sender, startedMs }: Sent, stored: string): Promise<Answer> {
  let body: Buffer;
  try {
    body = openBody(claimed.publicId, stored);
  } catch (error) {
    return Promise.resolve({ statusCode: null, retryAfter: null, error: (error as Error).message, response: null });
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

/** The ways out to the projects that have had something lately, each by its project's id. */
export type Outlets = Map<number, Outlet>;

export interface OutletMaking {
  readonly listTargets: (projectIds: readonly number[]) => Promise<readonly Target[]>;
  readonly openSender: (target: Target) => Sender;
  readonly openOutlet: (sender: Sender) => Outlet;
}

/** A project that has had nothing for so long, be it deleted or silent, is known anew when something comes. */
const forgetMs = 600_000;

/** Has outlets for the projects of runs, each with the settings that it was claimed by. */
export async function readyOutlets(outlets: Outlets, runs: readonly Run[], making: OutletMaking): Promise<void> {
  const stale = new Set<number>();
  for (const [{ projectId, revision }] of runs)
    if (outlets.get(projectId)?.sender.target.revision !== revision) stale.add(projectId);
  if (stale.size === 0) return;
  for (const target of await making.listTargets([...stale])) {
    const sender = making.openSender(target);
    const outlet = outlets.get(target.projectId);
    if (outlet) outlet.replaceSender(sender);
    else outlets.set(target.projectId, making.openOutlet(sender));
  }
}

export const readRooms = (outlets: Outlets): Map<number, Room> =>
  new Map([...outlets].map(([projectId, outlet]) => [projectId, outlet.readRoom()]));

export function forgetIdle(outlets: Outlets): void {
  for (const [projectId, outlet] of outlets) {
    if (outlet.readIdleMs() < forgetMs) continue;
    outlet.sender.close();
    outlets.delete(projectId);
  }
}

/** Ends all: what is under way has some time, and is cut off then; the rest is handed back. */
export async function finishOutlets(outlets: Outlets, withinMs: number): Promise<void> {
  const all = [...outlets.values()];
  for (const outlet of all) {
    outlet.handBack();
    outlet.stop();
  }
  const isBusy = () => all.some((outlet) => outlet.countUnderWay() > 0);
  const endMs = performance.now() + withinMs;
  while (isBusy() && performance.now() < endMs) await delay(10);
  for (const { sender } of all) sender.destroy();
  while (isBusy()) await delay(5);
}
