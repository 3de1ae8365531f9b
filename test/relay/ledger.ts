import assert from "node:assert/strict";

export interface Arrival {
  readonly id: string;
  readonly subject: string;
  readonly n: number;
  readonly atMs: number;
  readonly taken: boolean;
}

/** A time in which a claim may have been interrupted: a process was killed, or the database was down. */
export interface Disturbance {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Expectation {
  readonly subjects: readonly string[];
  readonly expects: (subject: string) => readonly number[];
  readonly disturbances: readonly Disturbance[];
  /** Events with an attempt that timed out, which may be repeated. */
  readonly unanswered: ReadonlySet<string>;
}

/** On a busy machine the outcome is stored this long after the response. */
const settleMs = 2500;

export interface Judgement {
  readonly arrivals: number;
  readonly taken: number;
  readonly repeats: number;
}

/**
 * Every event must arrive, in order by subject and without gaps. An acknowledged one may be repeated only after a
 * process or the database went down, or after a timeout. A repeat may also be late, since bytes of an abandoned attempt
 * can stay in a socket until later ones have been answered; receivers drop it by its id.
 */
export function judge(name: string, arrivals: readonly Arrival[], expectation: Expectation): Judgement {
  const bySubject = Map.groupBy(arrivals, ({ subject }) => subject);
  const { disturbances, unanswered } = expectation;
  const isCaused = (repeat: Repeat) => unanswered.has(repeat.id) || isExplained(repeat, disturbances);
  for (const subject of expectation.subjects)
    judgeSubject(`${name}, ${subject}`, bySubject.get(subject) ?? [], {
      expected: expectation.expects(subject),
      isCaused,
    });
  const repeats = [...bySubject.values()].flatMap(listRepeats);
  const unexplained = repeats.filter((repeat) => !isCaused(repeat));
  assert.deepEqual(unexplained, [], `${name}: repeats without a cause`);
  return { arrivals: arrivals.length, taken: arrivals.filter(({ taken }) => taken).length, repeats: repeats.length };
}

interface Judging {
  readonly expected: readonly number[];
  readonly isCaused: (repeat: Repeat) => boolean;
}

function judgeSubject(name: string, arrivals: readonly Arrival[], { expected, isCaused }: Judging): void {
  const late = new Set(
    listRepeats(arrivals)
      .filter(isCaused)
      .map(({ arrival }) => arrival),
  );
  let last = 0;
  let lastTaken = 0;
  for (const arrival of arrivals) {
    const { taken } = arrival;
    const n = expected.indexOf(arrival.n) + 1;
    assert.ok(n > 0, `${name}: ${arrival.n} is not to be given`);
    if (n < last && late.has(arrival)) continue;
    assert.ok(n === last || n === last + 1, `${name}: ${n} came after ${last}`);
    assert.ok(n <= lastTaken + 1, `${name}: ${n} came before ${lastTaken + 1} was taken`);
    last = n;
    if (taken) lastTaken = n;
  }
  assert.equal(lastTaken, expected.length, `${name}: the last is missing`);
}

interface Repeat {
  readonly id: string;
  readonly takenMs: number;
  readonly againMs: number;
  readonly arrival: Arrival;
}

function listRepeats(arrivals: readonly Arrival[]): Repeat[] {
  const takenMs = new Map<string, number>();
  const repeats: Repeat[] = [];
  for (const arrival of arrivals) {
    const { id, atMs, taken } = arrival;
    const before = takenMs.get(id);
    if (before !== undefined) repeats.push({ id, takenMs: before, againMs: atMs, arrival });
    if (taken) takenMs.set(id, atMs);
  }
  return repeats;
}

const isExplained = ({ takenMs, againMs }: Repeat, disturbances: readonly Disturbance[]): boolean =>
  disturbances.some(({ fromMs, toMs }) => takenMs > fromMs - settleMs && takenMs < toMs + settleMs && againMs > fromMs);
