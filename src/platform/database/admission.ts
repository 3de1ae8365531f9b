// Work that has started must not fail for lack of a connection, which would leave a file without its row or a payment
// without a record. So new work waits in a queue, where it can still be refused without harm.

export type AdmissionCallback = (mayBegin: boolean) => void;

/**
 * New callers are refused once the first caller in the queue has waited this long. A shorter wait is not an overload,
 * and refused callers would only retry.
 */
const overloadAfterMs = 500;
/** Work may stay in the queue for this long, which is longer than a checkpoint keeps the disk busy. */
const maxWaitMs = 3000;

interface Waiting {
  readonly since: number;
  readonly answer: AdmissionCallback;
}

/**
 * At most this many pieces of work start per turn of the event loop; starting so many takes about 30 ms of computing.
 * The number of free connections would be too low a limit, because a turn can be long for other reasons, such as
 * rejected calls.
 */
const maxPerTurn = 64;
const tickMs = 100;
const mostTickMs = 250;
/**
 * The pace is the rate of starts in the best of this many ticks, because exports and checkpoints slow down some of
 * them.
 */
const paceTicks = 5;

/**
 * Starts new work when a connection is free and no started work waits for one. The number of starts per turn of the
 * event loop is limited too, so that new work queues when the process is CPU-bound.
 */
export class Admission {
  readonly #countFree: () => number;
  readonly #waiting: Waiting[] = [];
  #admittedInTurn = 0;
  #admittedInTick = 0;
  #busySince = 0;
  #paces: number[] = [];
  /**
   * This clock advances only with the event loop, while the queue is not empty. By wall-clock time, a blocked event
   * loop would make all queued work late at once.
   */
  #clockMs = 0;
  #lastTickMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(countFree: () => number) {
    this.#countFree = countFree;
  }

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

  admitWaiting(): void {
    while (this.#isFree()) {
      const first = this.#waiting.shift();
      if (!first) return;
      this.#admit(first.answer);
    }
  }

  /**
   * Whether a new caller would wait longer than `overloadAfterMs`, judged by the length of the queue. The waiting time
   * of the first caller would show an overload too late: if the load is three times the capacity, the queue is three
   * times too long by then. A queue that is younger than `overloadAfterMs` does not count as overload; when it did, a
   * pause of half a second refused 128 of 160 callers although the load was half the capacity.
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
