/** Limits are in milliseconds, by PostgreSQL's setting names. A COPY is one statement. */
export interface Limits {
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
}

/** The slowest list of a million rows takes a second; longer lock waits or idle transactions would block others. */
export const usualLimits: Limits = {
  statement_timeout: 60_000,
  lock_timeout: 15_000,
  idle_in_transaction_session_timeout: 60_000,
};

export const longLimits: Limits = {
  statement_timeout: 1_800_000,
  lock_timeout: 1_800_000,
  idle_in_transaction_session_timeout: 300_000,
};

export const writeLimits = (limits: Limits): string =>
  Object.entries(limits)
    .map(([name, value]) => `; set local ${name} = ${value}`)
    .join("");
