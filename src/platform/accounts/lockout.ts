import type { Account } from "#platform/accounts/account-store.ts";
import { toNameKey } from "#platform/accounts/name-key.ts";
import { Problem } from "#platform/contract/problem.ts";
import { type Db, type Fragment, type Pool, sql } from "#platform/database/index.ts";

// Failed logins are kept in the database, so that all processes count together.

const mostFromOneAddress = 5;
const mostFromAll = 50;
const windowMinutes = 10;
const keepAddressDays = 90;

/** Somebody who shows a password for a name. */
export interface Attempt {
  /**
   * Failures of one name count together, whichever login was asked and whether there is an account or not: were it
   * otherwise for operators, who can log in everywhere, their names could be told from others by trying two logins.
   */
  readonly nameKey: string;
  readonly address: string;
  /** Whom the name means, when it is an operator. */
  readonly operatorId: number | null;
}

export const toAttempt = (userName: string, address: string, account: Account | undefined): Attempt => ({
  nameKey: toNameKey(userName),
  address,
  operatorId: account?.service === "platform" ? account.id : null,
});

/**
 * Seconds for which the name stays locked for that address, 0 when it is open. Locked means: the fifth failure in ten
 * minutes from the address, or the fiftieth from anywhere, is less than ten minutes old. The failures of others do not
 * lock an operator out of an address from which they have logged in before: somebody has to be able to help.
 */
export async function findLockSeconds(db: Db, attempt: Attempt): Promise<number> {
  const { nameKey, address, operatorId } = attempt;
  const [row] = await db<{ seconds: number }[]>`
    select coalesce(greatest(own.seconds, case when not known.here then every.seconds end, 0), 0)::float8 as seconds
    from (${lockEnd(nameKey, mostFromOneAddress, address)}) as own,
         (${lockEnd(nameKey, mostFromAll)}) as every,
         (select exists (
            select from platform.operator_address where account_id = ${operatorId} and address = ${address}
          ) as here) as known`;
  return Math.ceil(row?.seconds ?? 0);
}

function lockEnd(nameKey: string, most: number, address?: string): Fragment {
  const fromAddress = address === undefined ? sql`` : sql`and address = ${address}`;
  return sql`
    select case
      when count(*) = ${most} and max(failed_at) - min(failed_at) < make_interval(mins => ${windowMinutes})
      then extract(epoch from max(failed_at) + make_interval(mins => ${windowMinutes}) - now())
    end as seconds
    from (
      select failed_at from platform.login_failure
      where account_key = ${nameKey} ${fromAddress}
        and failed_at > now() - make_interval(mins => ${2 * windowMinutes})
      order by failed_at desc limit ${most}
    ) as latest`;
}

export const lockedProblem = (seconds: number): Problem =>
  new Problem("accountLocked", { headers: { "retry-after": String(seconds) } });

/**
 * Settles an attempt that was made while the name was open: notes a failure, or forgets the address's failures. The
 * attempts of one name are settled one after the other, so a burst of guesses at once gets no more than five answers.
 * Returns the seconds of a lock that others caused meanwhile; such an attempt counts for nothing, be it right or wrong.
 */
export async function settleAttempt(tx: Db, attempt: Attempt, succeeded: boolean): Promise<number> {
  const { nameKey, address, operatorId } = attempt;
  await tx`select pg_advisory_xact_lock(hashtextextended(${`login ${nameKey}`}, 0))`;
  const lockSeconds = await findLockSeconds(tx, attempt);
  if (lockSeconds > 0) return lockSeconds;
  if (!succeeded) {
    await tx`insert into platform.login_failure (account_key, address, failed_at) values (${nameKey}, ${address}, clock_timestamp())`;
    return 0;
  }
  await tx`delete from platform.login_failure where account_key = ${nameKey} and address = ${address}`;
  if (operatorId !== null) await rememberAddress(tx, operatorId, address);
  return 0;
}

/** From now on the failures of others do not lock the operator out there. */
export async function rememberAddress(tx: Db, operatorId: number, address: string): Promise<void> {
  await tx`
    insert into platform.operator_address (account_id, address) values (${operatorId}, ${address})
    on conflict (account_id, address) do update set last_login_at = now()`;
}

/** Ends every lock of the name. */
export async function forgetFailures(tx: Db, userName: string): Promise<void> {
  await tx`delete from platform.login_failure where account_key = ${toNameKey(userName)}`;
}

/** Forgets failures that no lock can depend on any more, and addresses that have not been used for long. */
export async function deleteOldFailures(pool: Pool): Promise<void> {
  await pool`delete from platform.login_failure where failed_at < now() - make_interval(mins => ${3 * windowMinutes})`;
  await pool`delete from platform.operator_address where last_login_at < now() - make_interval(days => ${keepAddressDays})`;
}
