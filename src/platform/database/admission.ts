// Work that has begun never hears that there is no room: it would leave a file stored without its row, or money asked for
// without a note of it. So whoever is not yet at work waits apart, and is refused while a refusal costs nothing.

/** Answers who asked to be let in: false, there is no room soon. */
export type Admitted = (isIn: boolean) => void;

export interface AdmissionOptions {
  /** Once the first in line has waited for so long, in ms, nobody joins: what came faster than it is done has to go. */
  readonly standingMs?: number;
  /** How long one waits at most, in ms. */
  readonly patienceMs?: number;
  /** The time in ms, for tests. */
  readonly now?: () => number;
}

interface Waiting {
  readonly since: number;
  readonly answer: Admitted;
  readonly impatience: NodeJS.Timeout;
}

/** A burst that is worked off in less is no overload: whoever was refused would only come again. */
const usualStandingMs = 500;
/** For those who joined before it was known that nothing moves: longer than a disk is busy with a checkpoint. */
const usualPatienceMs = 3000;

/**
 * The line in front of a pool: one is let in when a connection is free that nobody at work waits for. Each turn of the
 * event loop lets in as many as there are such connections, so that a process that has more to compute than it can gets
 * a line as well, though its connections rest.
 */
export class Admission {
  readonly #countFree: () => number;
  readonly #standingMs: number;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  /** In this turn of the loop: they have not asked for their connections yet. */
  #letIn = 0;

  /** @param countFree how many connections nobody at work has or waits for; may be negative */
  constructor(countFree: () => number, options: AdmissionOptions = {}) {
    this.#countFree = countFree;
    this.#standingMs = options.standingMs ?? usualStandingMs;
    this.#patienceMs = options.patienceMs ?? usualPatienceMs;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Answers at once where there is room, or none soon. */
  ask(answer: Admitted): void {
    const now = this.#now();
    const [first] = this.#waiting;
    if (!first && this.#hasRoom()) this.#admit(answer);
    else if (first && now - first.since > this.#standingMs) answer(false);
    else
      this.#waiting.push({ since: now, answer, impatience: setTimeout(() => this.#refuseFirst(), this.#patienceMs) });
  }

  /** Lets in whom there is room for; to be called whenever there may be more. */
  goOn(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      const first = this.#waiting.shift();
      clearTimeout(first?.impatience);
      if (first) this.#admit(first.answer);
    }
  }

  #hasRoom(): boolean {
    return this.#countFree() > this.#letIn;
  }

  #admit(answer: Admitted): void {
    if (this.#letIn++ === 0) {
      setImmediate(() => {
        this.#letIn = 0;
        this.goOn();
      });
    }
    answer(true);
  }

  /** All are as patient, so whose patience ends is the first. */
  #refuseFirst(): void {
    this.#waiting.shift()?.answer(false);
  }
}
