import type { Outcome } from "./stage.ts";

/** What happens to a server, and what its clients may see of it. */
export interface Fault {
  readonly name: string;
  /** Why it cannot be played here. */
  findObstacle?(): string | undefined;
  /** As `npm run torture` plays it. */
  readonly whole: Scale;
  run(scale: Scale): Promise<string>;
}

/** How much of it: the few seconds of `npm test`, or all of it. */
export interface Scale {
  readonly rounds: number;
  readonly clients: number;
  readonly forMs: number;
}

export const whole: Scale = { rounds: 5, clients: 1000, forMs: 10_000 };

export const unavailable = ["503 10000", "not taken"];
export const describe = ({ seen, reports, events }: Outcome, more = ""): string =>
  `${reports} reports and ${events} events kept; longest without a success ${(seen.longestGapMs / 1000).toFixed(1)} s; ${JSON.stringify(seen.failures)}${more}`;

/** Before and between. */
export const calmMs = 500;
