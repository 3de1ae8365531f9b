import { explain, Problem, type ProblemName } from "#platform/contract/problem.ts";
import type { SignInSettings } from "#platform/contract/sign-in-settings.ts";
import { type Db, type Fragment, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { ExpiredRows } from "#platform/process/removal.ts";
import {
  type Account,
  type AccountWithHash,
  countFactors,
  findForLogin,
  findNamed,
  lockAccount,
  renewPassword,
  toNameKey,
} from "./account-store.ts";
import { auditRefusal, writeAudit } from "./audit.ts";
import { mustHaveFactor } from "./login-requirements.ts";
import { isOldPassword } from "./old-password.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { startSession } from "./session.ts";

interface LoginCall {
  readonly body: {
    readonly userName: string;
    readonly password: string;
    /**
     * With `later`, the login succeeds even if the password must be changed or a second factor is required; the client
     * completes that step after the login.
     */
    readonly secondFactor?: "later" | undefined;
  };
  readonly address: string;
  readonly userAgent: string;
  readonly reply: { header(name: string, value: string): unknown };
}

type PasswordSettings = Pick<Settings, "PASSWORD_LOGIN_ONLY">;

interface LoginPlatform extends Pick<Platform, "pool" | "log"> {
  readonly settings: Pick<Settings, "TOKEN_HOURS" | "SESSIONS_PER_ACCOUNT"> & PasswordSettings & SignInSettings;
}

/**
 * Signs in an administrator of the service or an operator, and also sends the token in a response header.
 * @throws {Problem} loginFailed alike for an unknown account, a wrong password and a disabled account, so that the
 * answer does not reveal which; accountLocked; tooManyRequests if too many logins wait; forbidden for an operator
 * without this service, and for people who must use the campus sign-on; passwordGiven or factorNeeded if the account
 * requires a step that the client does not support
 */
export async function signIn(platform: LoginPlatform, service: string, call: LoginCall) {
  return openOneOf(platform, call, async () => {
    const account = await findForLogin(platform.pool, service, call.body.userName);
    return { named: [account], tried: [account], service };
  });
}

/**
 * Signs in the administrator or operator with this name and password. A name takes the same number of password
 * verifications whether it belongs to no account or to an administrator of every service.
 * @param services the services with administrators of their own
 * @throws {Problem} like `signIn`; accountUnclear, with the services to choose from, if the password opens several
 * accounts
 */
export async function signInAnywhere(
  platform: LoginPlatform,
  services: readonly string[],
  call: LoginCall & { readonly body: { readonly account?: string | undefined } },
) {
  const { userName, account: wanted } = call.body;
  return openOneOf(platform, call, async () => {
    const named = await findNamed(platform.pool, ["platform", ...services], userName);
    // An operator shares no name with a service's administrator, so at most `services.length` accounts have the name.
    const slots = Array.from({ length: Math.max(services.length, named.length, 1) }, (_, at) => named[at]);
    const tried = slots.map((account) => (wanted === undefined || account?.service === wanted ? account : undefined));
    return { named, tried };
  });
}

interface Candidates {
  /** All accounts with the given name. */
  readonly named: readonly (AccountWithHash | undefined)[];
  /**
   * The accounts whose passwords are verified. An undefined entry costs a verification too, so that the duration does
   * not reveal the number of accounts.
   */
  readonly tried: readonly (AccountWithHash | undefined)[];
  /** The service at whose login the caller signs in; if omitted, the service of the account that the password opens. */
  readonly service?: string;
}

async function openOneOf(platform: LoginPlatform, call: LoginCall, find: () => Promise<Candidates>) {
  const { pool } = platform;
  const { named, tried, service: at } = await find();
  const { userName, password } = call.body;
  const attempt = toAttempt(userName, call.address, named.find(isOperators));
  const locked = await findLockSeconds(pool, attempt);
  const matching: AccountWithHash[] = [];
  for (const account of locked > 0 ? [] : tried) {
    const matches = await verifyPassword(password, account?.passwordHash, "login");
    if (matches && account?.enabled) matching.push(account);
  }
  const [account, another] = matching;
  const service = at ?? (another ? undefined : account?.service) ?? "platform";
  const entry = { service, userName: userName.slice(0, 255), action: "login", address: call.address };
  const settle = async (tx: Db) => {
    const seconds = await recordAttempt(tx, attempt, matching.length);
    if (seconds > 0) return lockedProblem(seconds);
    if (another) return new Problem("accountUnclear", { data: { accounts: matching.map((one) => one.service) } });
    if (!account || !(await lockAccount(tx, account))) return new Problem("loginFailed");
    const session = await openSession(tx, platform.settings, { account, service, call });
    if (session instanceof Problem) return session;
    await writeAudit(tx, { ...entry, accountId: account.id, outcome: "done" });
    return { account, ...session };
  };
  const result = locked > 0 ? lockedProblem(locked) : await inTransaction(pool, settle);
  if (!(result instanceof Problem)) {
    if (isOldPassword(result.account.passwordHash))
      await renewPassword(pool, result.account, await hashPassword(password));
    call.reply.header("admin_token", result.token);
    return result;
  }
  // A concurrent login may have renewed the old system's hash since this one read it.
  if (result.problem === "loginFailed" && account && isOldPassword(account.passwordHash))
    return openOneOf(platform, call, find);
  const outcome = passwordWasRight.has(result.problem) ? "refused" : "failed";
  await auditRefusal(platform, { ...entry, outcome, detail: { problem: result.problem } });
  throw result;
}

const passwordWasRight: ReadonlySet<ProblemName> = new Set([
  "forbidden",
  "accountUnclear",
  "passwordGiven",
  "factorNeeded",
]);

const isOperators = (account: Account | undefined): boolean => account?.service === "platform";

async function openSession(
  tx: Db,
  settings: LoginPlatform["settings"],
  { account, service, call }: { account: AccountWithHash; service: string; call: LoginCall },
) {
  const { id, services, userName } = account;
  const isOperator = isOperators(account);
  if (isOperator && service !== "platform" && services?.includes(service) === false) return new Problem("forbidden");
  const { PASSWORD_LOGIN_ONLY: named } = settings;
  const isNamed = isOperator && named.some((name) => toNameKey(name) === toNameKey(userName));
  if (named.length > 0 && !isNamed)
    return explain(
      "forbidden",
      "此账号只能通过统一身份认证登录",
      "this account can only sign in through the campus sign-on",
    );
  const isConsole = call.body.secondFactor === "later";
  const isGiven = account.passwordHash === account.givenHash;
  if (!isConsole && isGiven && settings.GIVEN_PASSWORD === "all") return new Problem("passwordGiven");
  if (!isConsole && settings.SECOND_FACTOR === "all") {
    const hasFactor = (await countFactors(tx, id)) > 0;
    if (hasFactor || mustHaveFactor(settings, account)) return new Problem("factorNeeded");
  }
  const { address, userAgent } = call;
  const mustChoose = isConsole && isGiven;
  return startSession(tx, { accountId: id, address, userAgent, settings, ofConsole: isConsole, mustChoose });
}

const codes = "FACTOR ";

/**
 * Wrong codes are counted under a key of their own, because a correct password deletes the failures counted for its
 * name and would allow five more codes each time. The key differs from every name's key, since the keys of names are
 * lower case.
 */
export const toCodeKey = (accountId: number): string => codes + accountId;
export const isOfCodes = sql`starts_with(account_key, ${codes})`;

export const maxFromOneAddress = 5;
const maxFromAll = 50;
export const windowMinutes = 10;
const keepAddressDays = 90;

interface Attempt {
  /**
   * Failures are counted per name across all logins, also for names without an account. Otherwise, trying a name at two
   * logins would reveal whether it belongs to an operator.
   */
  readonly nameKey: string;
  readonly address: string;
  readonly operatorId: number | null;
  readonly maxPerDay?: number;
}

export const toAttempt = (userName: string, address: string, account: Account | undefined): Attempt => ({
  nameKey: toNameKey(userName),
  address,
  operatorId: account?.service === "platform" ? account.id : null,
});

/**
 * Returns the remaining seconds of a lock, or 0 if the name is not locked. Five failures within ten minutes from this
 * address, or fifty from all addresses, lock a name for ten minutes. `maxPerDay` failures within a day lock it until
 * the first of them is a day old. Failures from other addresses do not lock an operator out of an address where the
 * operator signed in within the last 90 days, so that an attacker cannot lock all operators out.
 */
export async function findLockSeconds(db: Db, attempt: Attempt): Promise<number> {
  const { nameKey, address, operatorId, maxPerDay = null } = attempt;
  const [row] = await db<{ seconds: number }[]>`
    select coalesce(greatest(own.seconds, case when not known.here then every.seconds end, day.seconds, 0), 0)::float8 as seconds
    from (${lockEnd(nameKey, maxFromOneAddress, sql`and address = ${address}`)}) as own,
         (${lockEnd(nameKey, maxFromAll, sql``)}) as every,
         (select extract(epoch from min(failed_at) + interval '1 day' - now()) as seconds from (
            select failed_at, count(*) over () as times from platform.login_failure
            where account_key = ${nameKey} and failed_at > now() - interval '1 day'
            order by failed_at desc limit ${maxPerDay}::bigint) as latest where times >= ${maxPerDay}::bigint) as day,
         (select exists (
            select from platform.account_address where account_id = ${operatorId} and address = ${address}
          ) as here) as known`;
  return Math.ceil(row?.seconds ?? 0);
}

const lockEnd = (nameKey: string, most: number, from: Fragment): Fragment => sql`
  select case
    when count(*) = ${most} and max(failed_at) - min(failed_at) < make_interval(mins => ${windowMinutes})
    then extract(epoch from max(failed_at) + make_interval(mins => ${windowMinutes}) - now())
  end as seconds
  from (
    select failed_at from platform.login_failure
    where account_key = ${nameKey} ${from} and failed_at > now() - make_interval(mins => ${2 * windowMinutes})
    order by failed_at desc limit ${most}
  ) as latest`;

export const lockedProblem = (seconds: number): Problem =>
  new Problem("accountLocked", { headers: { "retry-after": String(seconds) } });

/**
 * Records a failed attempt, or after a success deletes the failures for the name from the address. If the password does
 * not open all accounts with the name, a success deletes nothing, because a person who knows one password could
 * otherwise guess the other without limit. Attempts for one name wait for each other, so a burst from one address gets
 * at most five answers. Returns 0, or the remaining seconds of a lock; an attempt during a lock is not counted.
 * @param opened the number of accounts that the password opens, or 1 for a correct code
 */
export async function recordAttempt(tx: Db, attempt: Attempt, opened: number): Promise<number> {
  const { nameKey, address } = attempt;
  await tx`select pg_advisory_xact_lock(hashtextextended(${`login ${nameKey}`}, 0))`;
  const lockSeconds = await findLockSeconds(tx, attempt);
  if (lockSeconds > 0) return lockSeconds;
  await (opened > 0
    ? tx`
        delete from platform.login_failure where account_key = ${nameKey} and address = ${address}
          and (select count(*) from platform.account
               where name_key = ${nameKey} and service <> 'service-account') <= ${opened}`
    : tx`insert into platform.login_failure (account_key, address, failed_at) values (${nameKey}, ${address}, clock_timestamp())`);
  return 0;
}

export async function forgetFailures(tx: Db, userName: string): Promise<void> {
  await tx`delete from platform.login_failure where account_key = ${toNameKey(userName)}`;
}

export const expiredLogins: readonly ExpiredRows[] = [
  {
    table: "platform.login_failure",
    isExpired: sql`failed_at < now() - case when ${isOfCodes}
      then interval '1 day' else make_interval(mins => ${3 * windowMinutes}) end`,
  },
  {
    table: "platform.account_address",
    isExpired: sql`last_login_at < now() - make_interval(days => ${keepAddressDays})`,
  },
];

/** Returns a warning if nobody could sign in while the campus sign-on is down. */
export async function warnOfNoPassword(
  pool: Pool,
  { PASSWORD_LOGIN_ONLY: names }: PasswordSettings,
): Promise<string[]> {
  if (names.length === 0) return [];
  const found = await pool.count`
    select from platform.account where service = 'platform' and enabled and password_hash is not null
      and name_key = any(${names.map(toNameKey)}) limit 1`;
  return found
    ? []
    : ["PASSWORD_LOGIN_ONLY contains no enabled operator: nobody can sign in while the campus sign-on is down"];
}
