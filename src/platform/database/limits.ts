/** In milliseconds, by PostgreSQL's names. A COPY is one statement. */
export interface Limits {
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
}

/**
 * What a request may take of the database. The slowest statement of a list of a million rows takes a second; whoever waits
 * longer than these for a lock, or holds one in idleness, would hold up all others.
 */
export const usualLimits: Limits = {
  statement_timeout: 60_000,
  lock_timeout: 15_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** For imports, analyses and tallies: as long as the longest request may last, and as its client may say nothing. */
export const longLimits: Limits = {
  statement_timeout: 1_800_000,
  lock_timeout: 1_800_000,
  idle_in_transaction_session_timeout: 300_000,
};

/** For whoever has a session no longer than a transaction. */
export const writeLimits = (limits: Limits): string =>
  Object.entries(limits)
    .map(([name, value]) => `; set local ${name} = ${value}`)
    .join("");
