import type { Db, Pool } from "#platform/database.ts";

// Failed logins are kept in the database, so that all processes count together.

const mostFromOneAddress = 5;
const mostFromAll = 50;
const windowMinutes = 10;

/** Which failures count together: one account, wherever somebody tries to log in to it. */
export const toAccountKey = (service: string, userName: string): string => `${service}/${userName}`;

/**
 * Seconds for which the account stays locked for that address, 0 when it is open. Locked means: the fifth failure in
 * ten minutes from the address, or the fiftieth from anywhere, is less than ten minutes old.
 */
export async function findLockSeconds(db: Db, accountKey: string, address: string): Promise<number> {
  const [row] = await db<{ seconds: number }[]>`
    select coalesce(greatest(own.seconds, every.seconds, 0), 0)::float8 as seconds
    from (${lockEnd(db, accountKey, mostFromOneAddress, address)}) as own,
         (${lockEnd(db, accountKey, mostFromAll)}) as every`;
  return Math.ceil(row?.seconds ?? 0);
}

function lockEnd(db: Db, accountKey: string, most: number, address?: string) {
  const fromAddress = address === undefined ? db`` : db`and address = ${address}`;
  return db`
    select case
      when count(*) = ${most} and max(failed_at) - min(failed_at) < make_interval(mins => ${windowMinutes})
      then extract(epoch from max(failed_at) + make_interval(mins => ${windowMinutes}) - now())
    end as seconds
    from (
      select failed_at from platform.login_failure
      where account_key = ${accountKey} ${fromAddress}
        and failed_at > now() - make_interval(mins => ${2 * windowMinutes})
      order by failed_at desc limit ${most}
    ) as latest`;
}

/**
 * Settles a login that was tried while the account was open: notes a failure, or forgets the address's failures. The
 * tries of one account are settled one after the other, so a burst of guesses at once gets no more than five answers.
 * Returns the seconds of a lock that others caused meanwhile; such a try counts for nothing, be it right or wrong.
 */
export async function settleAttempt(tx: Db, accountKey: string, address: string, succeeded: boolean): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${accountKey}, 0))`;
  const lockSeconds = await findLockSeconds(tx, accountKey, address);
  if (lockSeconds > 0) return lockSeconds;
  if (succeeded) {
    await tx`delete from platform.login_failure where account_key = ${accountKey} and address = ${address}`;
  } else {
    await tx`insert into platform.login_failure (account_key, address, failed_at) values (${accountKey}, ${address}, clock_timestamp())`;
  }
  return 0;
}

/** Forgets failures that no lock can depend on any more. */
export async function deleteOldFailures(pool: Pool): Promise<void> {
  await pool`delete from platform.login_failure where failed_at < now() - make_interval(mins => ${3 * windowMinutes})`;
}
