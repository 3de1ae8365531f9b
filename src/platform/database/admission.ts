// Work that has begun must not hear that there is no connection: it would leave a file stored without its row, or money
// asked for without a note of it. So whoever has not begun waits apart, and is refused while a refusal costs nothing.

/** Tells who asked to begin whether they may; false: nothing is free for them soon. */
export type AdmissionCallback = (mayBegin: boolean) => void;

/**
 * Once the first of those who wait has waited for so long, nobody joins them. A burst that is worked off meanwhile is no
 * overload: whoever was refused would only come again.
 */
const overloadAfterMs = 500;
/** How long those wait who joined before it was known that nothing moves: longer than a disk is busy with a checkpoint. */
const maxWaitMs = 3000;

interface Waiting {
  readonly since: number;
  readonly answer: AdmissionCallback;
}

/**
 * Some thirty milliseconds of computing. As many as connections are free were too few: where turns are long for another
 * reason, such as calls that are refused, ten of them took a tenth of a second, and no more was served.
 */
const maxPerTurn = 64;
const tickMs = 100;
/** Of one tick, however late it is: no single one makes anybody late, two or three do. */
const mostTickMs = 250;
/** The best of so many ticks is the pace: an export or a checkpoint makes some slow, and says little of the next. */
const paceTicks = 5;

/**
 * Lets work begin when a connection is free that nobody at work waits for, and so much of it in a turn of the event loop
 * that work waits here as well when a process has more to compute than it can, though its connections rest.
 */
export class Admission {
  readonly #countFree: () => number;
  readonly #waiting: Waiting[] = [];
  /** In this turn of the loop. */
  #admittedInTurn = 0;
  /** Since the last tick. */
  #admittedInTick = 0;
  /** Since when, by the clock below, there has always been somebody who waited. */
  #busySince = 0;
  /** How many began in a millisecond, of each of the last ticks since then. */
  #paces: number[] = [];
  /**
   * Goes on while somebody waits, as the event loop finds time. By the clock on the wall everybody would be late once the
   * loop had stood still, and be refused before those in front could begin.
   */
  #clockMs = 0;
  #lastTickMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param countFree how many connections nobody at work has or waits for; may be negative */
  constructor(countFree: () => number) {
    this.#countFree = countFree;
  }

  /** Answers at once where a connection is free, or none will be soon. */
  ask(answer: AdmissionCallback): void {
    const [first] = this.#waiting;
    if (!first && this.#isFree()) return this.#admit(answer);
    if (first && (this.#clockMs - first.since > overloadAfterMs || this.#isOverloaded())) return answer(false);
    this.#waiting.push({ since: this.#clockMs, answer });
    if (this.#timer) return;
    this.#admittedInTick = 0;
    this.#busySince = this.#clockMs;
    this.#paces = [];
    this.#lastTickMs = performance.now();
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  /** Admits those for whom a connection is free by now; to be called whenever one may be. */
  admitWaiting(): void {
    while (this.#isFree()) {
      const first = this.#waiting.shift();
      if (!first) return;
      this.#admit(first.answer);
    }
  }

  /**
   * Whether whoever came last would wait for longer than the first may. What the first has waited says so too late: at three
   * times what is worked off, three times as many had joined by then, and waited for so much longer. A hiccup of a disk is
   * over before this is asked: in half a second of them, 128 of 160 were refused at half of what can be done.
   */
  #isOverloaded(): boolean {
    return (
      this.#clockMs - this.#busySince > overloadAfterMs &&
      this.#waiting.length > Math.max(...this.#paces) * overloadAfterMs
    );
  }

  #isFree(): boolean {
    return this.#admittedInTurn < maxPerTurn && this.#countFree() > 0;
  }

  #admit(answer: AdmissionCallback): void {
    this.#admittedInTick++;
    if (this.#admittedInTurn++ === 0) {
      setImmediate(() => {
        this.#admittedInTurn = 0;
        this.admitWaiting();
      });
    }
    answer(true);
  }

  #tick(): void {
    const now = performance.now();
    const passedMs = Math.max(tickMs, Math.min(now - this.#lastTickMs, mostTickMs));
    this.#clockMs += passedMs;
    this.#lastTickMs = now;
    this.#paces = [...this.#paces, this.#admittedInTick / passedMs].slice(-paceTicks);
    this.#admittedInTick = 0;
    const isLate = ({ since }: Waiting): boolean => this.#clockMs - since > maxWaitMs;
    while (this.#waiting[0] && isLate(this.#waiting[0])) this.#waiting.shift()?.answer(false);
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
