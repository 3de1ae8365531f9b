/** PostgreSQL settings in milliseconds. A COPY counts as one statement. */
export interface Limits {
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
}

/**
 * Statements get far more time than the slowest list of a million rows, which takes one second. Longer lock waits or
 * idle transactions would block other work.
 */
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
