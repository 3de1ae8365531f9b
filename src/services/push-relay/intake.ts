import { setImmediate as nextRound } from "node:timers/promises";
import type { Acceptance, TrustedEvent } from "./event-store.ts";

// Pushes that come while others are being stored wait together and then share a statement, and so a commit; a push that
// comes alone waits for nobody. Those about one subject are stored in the order in which they came.

/** Stores events together; each caller is told of its own, after the commit. */
export interface Intake {
  add(trusted: TrustedEvent): Promise<Acceptance>;
}

interface Waiting {
  readonly trusted: TrustedEvent;
  readonly subject: string;
  readonly resolve: (acceptance: Acceptance) => void;
  readonly reject: (error: unknown) => void;
}

// One statement at a time gathers the most: of sixteen pushes stored together each costs the database an eighth of one
// stored alone. A statement that takes long waits for a lock, and must not hold up the others.
const mostStatements = 4;
const longMs = 50;
const mostTogether = 64;
const mostCharacters = 1024 * 1024;

const subjectOf = ({ event }: TrustedEvent): string => JSON.stringify([event.schoolCode, event.kind, event.identity]);

/** @param accept stores events about different subjects, all or none of them */
export function openIntake(accept: (events: readonly TrustedEvent[]) => Promise<Acceptance[]>): Intake {
  let waiting: Waiting[] = [];
  let statements = 0;
  const underWay = new Set<string>();

  /** The next ones in order of arrival; one about a subject that has one under way stays. */
  const take = (): Waiting[] => {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    let characters = 0;
    for (const one of waiting) {
      const isRoom = taken.length === 0 || (taken.length < mostTogether && characters < mostCharacters);
      const isFree = isRoom && !underWay.has(one.subject);
      (isFree ? taken : left).push(one);
      if (isFree) characters += one.trusted.event.data.length;
      if (isFree) underWay.add(one.subject);
    }
    waiting = left;
    return taken;
  };

  const store = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const acceptances = await accept(batch.map(({ trusted }) => trusted));
      for (const [index, { resolve }] of batch.entries()) resolve(acceptances[index] ?? "stale");
    } catch (error) {
      const [first, ...others] = batch;
      if (others.length === 0) return first?.reject(error);
      // One of them is to blame, or nobody is: each by itself shows which.
      for (const one of batch) await store([one]);
    }
  };

  const begin = async (): Promise<void> => {
    statements++;
    // Whatever arrives in the same round of the event loop goes along.
    await nextRound();
    for (let batch = take(); batch.length > 0; batch = take()) {
      const late = setTimeout(() => void (statements < mostStatements && begin()), longMs);
      await store(batch);
      clearTimeout(late);
      for (const { subject } of batch) underWay.delete(subject);
    }
    statements--;
  };

  return {
    add(trusted) {
      const { promise, resolve, reject } = Promise.withResolvers<Acceptance>();
      waiting.push({ trusted, subject: subjectOf(trusted), resolve, reject });
      if (statements === 0) void begin();
      return promise;
    },
  };
}
