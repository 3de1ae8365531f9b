import assert from "node:assert/strict";

export interface Arrival {
  readonly id: string;
  readonly subject: string;
  readonly n: number;
  readonly taken: boolean;
}

export interface Expectation {
  readonly subjects: readonly string[];
  readonly expects: (subject: string) => readonly number[];
  /** Ids of events whose outcome the relay cannot know; only these may be repeated. */
  readonly uncertain: ReadonlySet<string>;
}

export interface Judgement {
  readonly arrivals: number;
  readonly taken: number;
  readonly repeats: number;
}

/**
 * Asserts that the events about each subject arrive in sequence and without gaps. An acknowledged event may be repeated
 * only if its outcome could be lost. A repeat may also arrive late, since bytes of an abandoned attempt can stay in a
 * socket until later attempts have been answered; receivers drop a repeat by its id.
 */
export function judge(name: string, arrivals: readonly Arrival[], expectation: Expectation): Judgement {
  const { subjects, expects, uncertain } = expectation;
  const repeats = new Set(listRepeats(arrivals));
  const unexplained = [...repeats].filter(({ id }) => !uncertain.has(id));
  assert.deepEqual(unexplained, [], `${name}: repeats without a cause`);
  const firsts = arrivals.filter((arrival) => !repeats.has(arrival));
  const bySubject = Map.groupBy(firsts, ({ subject }) => subject);
  for (const subject of subjects) judgeSubject(`${name}, ${subject}`, bySubject.get(subject) ?? [], expects(subject));
  const taken = arrivals.filter((arrival) => arrival.taken).length;
  return { arrivals: arrivals.length, taken, repeats: repeats.size };
}

function judgeSubject(name: string, arrivals: readonly Arrival[], expected: readonly number[]): void {
  let lastTaken = 0;
  for (const { n, taken } of arrivals) {
    const next = expected[lastTaken];
    assert.equal(n, next, `${name}: ${n} came instead of ${next}`);
    if (taken) lastTaken++;
  }
  assert.equal(lastTaken, expected.length, `${name}: the last is missing`);
}

function listRepeats(arrivals: readonly Arrival[]): Arrival[] {
  const acknowledged = new Set<string>();
  return arrivals.filter(({ id, taken }) => {
    const isRepeat = acknowledged.has(id);
    if (taken) acknowledged.add(id);
    return isRepeat;
  });
}
