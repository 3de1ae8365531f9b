import assert from "node:assert/strict";
import type { Observation } from "./load.ts";
import type { Outcome } from "./stage.ts";

/** What happens to a server, and what its clients may see of it. */
export interface Fault {
  readonly name: string;
  /** Why it cannot be played here. */
  findObstacle?(): string | undefined;
  /** As `npm run torture` plays it, or so much of it. @returns what is to be told of it */
  run(scale?: Scale): Promise<string>;
}

export interface Scale {
  readonly rounds: number;
  readonly clients: number;
  readonly forMs: number;
}

export const whole: Scale = { rounds: 5, clients: 1000, forMs: 10_000 };

export const unavailable = ["503 10000", "not taken"];

/** The failures that clients saw must be of these. */
export function assertOnly({ failures }: Observation, allowed: readonly string[], said = ""): void {
  const others = Object.keys(failures).filter((failure) => !allowed.includes(failure));
  assert.deepEqual(others, [], `${said}${JSON.stringify(failures)}`);
}

export const describe = ({ seen, reports, events }: Outcome, more = ""): string =>
  `${reports} reports and ${events} events kept; longest without a success ${(seen.longestGapMs / 1000).toFixed(1)} s; ${JSON.stringify(seen.failures)}${more}`;
