// Work in progress must not fail for want of a connection, which would leave a file without its row or a payment
// without a record. So new work waits separately and is refused while a refusal costs nothing.

/** Reports whether the work may begin; false if no connection will be free soon. */
export type AdmissionCallback = (mayBegin: boolean) => void;

/**
 * When the first in the queue has waited this long, nobody else may join it. A shorter burst is no overload, and
 * refused callers would only retry.
 */
const overloadAfterMs = 500;
/** How long queued work waits: longer than a checkpoint keeps the disk busy. */
const maxWaitMs = 3000;

interface Waiting {
  readonly since: number;
  readonly answer: AdmissionCallback;
}

/**
 * About thirty milliseconds of computing. Limiting a turn to the free connections was too few when turns are long for
 * other reasons, such as rejected calls.
 */
const maxPerTurn = 64;
const tickMs = 100;
/** Caps one late tick, so that a single pause delays nobody. */
const mostTickMs = 250;
/** The pace is the best of these ticks, because exports and checkpoints slow some down. */
const paceTicks = 5;

/**
 * Admission control: starts work when a connection is free and nobody in progress waits for one, and limits how much
 * starts per turn of the event loop, so that new work also queues when the process is CPU-bound.
 */
export class Admission {
  readonly #countFree: () => number;
  readonly #waiting: Waiting[] = [];
  #admittedInTurn = 0;
  #admittedInTick = 0;
  /** When the queue was last empty, by `#clockMs`. */
  #busySince = 0;
  /** Admissions per millisecond in recent ticks. */
  #paces: number[] = [];
  /**
   * Advances with the event loop while the queue is not empty. By wall-clock time, a blocked loop would make all
   * waiting work late at once.
   */
  #clockMs = 0;
  #lastTickMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param countFree connections that nobody in progress holds or waits for; may be negative */
  constructor(countFree: () => number) {
    this.#countFree = countFree;
  }

  /** Answers immediately if a connection is free, or if none will be soon. */
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

  /** Admits waiting work while connections are free; call it whenever one may be. */
  admitWaiting(): void {
    while (this.#isFree()) {
      const first = this.#waiting.shift();
      if (!first) return;
      this.#admit(first.answer);
    }
  }

  /**
   * Whether a newcomer would wait longer than the first may. The first one's wait shows overload too late: at three
   * times the capacity, three times as many have joined by then. Short pauses are excluded: during half a second of
   * them, 128 of 160 were refused at half the capacity.
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
