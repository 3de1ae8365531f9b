import type { Exchange } from "./exchange.ts";

// The words of a push on its way: claimed from the queue, sent, settled.

/** A delivery that this process may make until the lease ends. */
export interface Claimed {
  readonly deliveryId: number;
  readonly projectId: number;
  /** Of the project's settings at the time of the claim. */
  readonly revision: number;
  readonly eventId: number;
  readonly publicId: string;
  /** How many of the schedule's tries have failed. */
  readonly failures: number;
  readonly claim: number;
  /** What is forwarded, as it is stored; null when it is too large to be fetched before it is sent. */
  readonly body: string | null;
}

/**
 * Deliveries of one lane, in their order. Only the first is claimed; the others are safe behind it, and it behind them:
 * what became of them is settled together.
 */
export type Run = readonly [Claimed, ...(readonly Claimed[])];

/** How many lanes may be claimed, and how many deliveries of each be brought. */
export interface Room {
  readonly lanes: number;
  readonly run: number;
}

export const noRoom: Room = { lanes: 0, run: 1 };

/** What a sender has to know of a project. */
export interface Target {
  readonly projectId: number;
  readonly revision: number;
  readonly url: string;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

/**
 * What becomes of a claimed delivery: `back` hands it back as if it had not been claimed, the others are attempts.
 * `delayMs` counts for retry and back.
 */
export interface Outcome {
  readonly kind: "delivered" | "retry" | "dead" | "back";
  readonly delayMs: number;
}

/** An outcome to be written down. */
export interface Settlement {
  readonly claimed: Claimed;
  readonly outcome: Outcome;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Null for what was not sent. */
  readonly exchange: Exchange | null;
}
