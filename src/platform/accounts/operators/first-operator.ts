import { rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import {
  findPasswordFault,
  hashNewPassword,
  refuseCampusOwned,
  refuseTakenName,
  toStoredServices,
} from "#platform/accounts/account-rules.ts";
import {
  type Account,
  findForLogin,
  insertAccount,
  type NewAccount,
  lockAccountChanges,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { commandLine, writeLocalAudit } from "#platform/accounts/audit.ts";
import { asGivenPassword } from "#platform/accounts/login-requirements.ts";
import { forgetFailures } from "#platform/accounts/login.ts";
import { hashPassword, makeLetters } from "#platform/accounts/password.ts";
import { forgetWrongCodes, resetFactors } from "#platform/accounts/second-factor/factors.ts";
import { endSessionsOf, rememberAddress } from "#platform/accounts/session.ts";
import { toClientAddress } from "#platform/contract/networks.ts";
import { compileReader } from "#platform/contract/input.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import { SettingsError } from "#platform/contract/setting-types.ts";
import type { Settings } from "#platform/process/config.ts";
import { operatorBody } from "./contract.ts";

const userName = "operator";
const passwordFile = "operator-password";

export const makePassword = (): string => makeLetters(20);

export type FirstOperator =
  | { readonly kind: "existed" }
  | { readonly kind: "given"; readonly userName: string }
  | { readonly kind: "show"; readonly userName: string; readonly password: string }
  | { readonly kind: "written"; readonly userName: string; readonly file: string };

/**
 * Creates the operator named `operator` if there is no operator. If several processes start at once, one of them
 * creates it.
 * @throws {SettingsError} if OPERATOR_PASSWORD is unsuitable
 * @throws {Error} if the password file cannot be created or already exists; no operator is created then
 */
export async function ensureFirstOperator(options: {
  readonly pool: Pool;
  readonly settings: Pick<Settings, "OPERATOR_PASSWORD">;
  readonly dataDir: string;
  readonly isTerminal: boolean;
}): Promise<FirstOperator> {
  const { pool, dataDir, isTerminal } = options;
  if (await hasOperator(pool)) return { kind: "existed" };
  const given = options.settings.OPERATOR_PASSWORD;
  const fault = given === undefined ? undefined : await findPasswordFault(given, userName);
  if (fault) throw new SettingsError([`OPERATOR_PASSWORD: ${fault[1]}`]);
  const password = given ?? makePassword();
  const passwordHash = await hashPassword(password);
  // The owner chose OPERATOR_PASSWORD, but others may see a random password on the terminal or in the file, so a random
  // one must be changed.
  const hashes = given === undefined ? asGivenPassword(passwordHash) : { passwordHash };
  const file = given === undefined && !isTerminal ? path.join(dataDir, passwordFile) : undefined;
  let written = false;
  const isMade = await inTransaction(pool, async (tx) => {
    await lockAccountChanges(tx);
    if (await hasOperator(tx)) return false;
    await insertOperator(tx, { userName, ...hashes }, "first start");
    // The file is written last, but before the commit, because an operator whose password nobody knows would lock
    // everybody out.
    if (file !== undefined && !written) await writePassword(file, password);
    written = true;
    return true;
  }).catch(async (error: unknown) => {
    if (file !== undefined && written) await rm(file, { force: true });
    throw error;
  });
  if (!isMade) return { kind: "existed" };
  if (file !== undefined) return { kind: "written", userName, file };
  if (given === undefined) return { kind: "show", userName, password };
  return { kind: "given", userName };
}

const hasOperator = async (db: Db): Promise<boolean> =>
  (await db.count`select from platform.account where service = 'platform' limit 1`) > 0;

/** Creates the file exclusively, so that an existing file or link is neither followed nor overwritten. */
async function writePassword(file: string, password: string): Promise<void> {
  const options = { flag: "wx", mode: 0o600, flush: true } as const;
  await writeFile(file, `${password}\n`, options).catch(async (cause: NodeJS.ErrnoException) => {
    const isThere = cause.code === "EEXIST";
    if (!isThere) await rm(file, { force: true });
    const reason = isThere
      ? "already exists although there is no operator: delete it"
      : `cannot be written (${cause.code}): make the directory writable`;
    throw new Error(
      `The file ${passwordFile} in the data directory ${reason}, or set OPERATOR_PASSWORD; then restart the server.`,
      { cause },
    );
  });
}

export async function createOperator(
  pool: Pool,
  all: readonly string[],
  operator: { userName: string; password: string; name?: string; services?: readonly string[] },
): Promise<number> {
  const { userName, name, password, services } = compileReader(operatorBody(all), { source: "json" })(operator);
  const hashes = asGivenPassword(await hashNewPassword("password", password, userName));
  return inTransaction(pool, async (tx) => {
    await refuseTakenName(tx, "platform", userName);
    if (await findForLogin(tx, "platform", userName)) throw new Problem("alreadyExists");
    const powers = { services: toStoredServices(all, services) };
    return insertOperator(tx, { userName, name, ...hashes, ...powers }, commandLine);
  });
}

/**
 * Sets an operator's password, ends the operator's sessions and unlocks the user name.
 * @throws {Problem} notFound; badFormat; forbidden for an operator created by the campus sign-on
 */
export async function setOperatorPassword(
  pool: Pool,
  { userName, password }: { userName: string; password: string },
): Promise<void> {
  const passwordHash = await hashNewPassword("password", password, userName);
  await changeOperator(pool, userName, "setOperatorPassword", async (tx, operator) => {
    refuseCampusOwned(operator, { passwordHash });
    await updateAccount(tx, operator.id, asGivenPassword(passwordHash));
    await endSessionsOf(tx, [operator.id]);
    await forgetFailures(tx, userName);
  });
}

/**
 * Unlocks an operator's user name and second factor. If an address is given, failures from other addresses no longer
 * lock the operator out there; an IPv6 address stands for its /64 network.
 * @throws {Problem} notFound; badFormat
 */
export async function unlockOperator(
  pool: Pool,
  { userName, address }: { userName: string; address?: string | undefined },
): Promise<void> {
  if (address !== undefined && !isIP(address))
    throw explain("badFormat", "address: 应为 IP 地址", "address: must be an IP address");
  await changeOperator(pool, userName, "unlockOperator", async (tx, { id }) => {
    await forgetFailures(tx, userName);
    await forgetWrongCodes(tx, id);
    const from = address === undefined ? null : toClientAddress(address);
    if (from !== null) await rememberAddress(tx, id, from);
    return { from };
  });
}

/**
 * Removes an operator's second factors and ends the operator's sessions; the password alone then allows enrolling a new
 * factor.
 * @throws {Problem} notFound
 */
export const resetOperatorFactors = (pool: Pool, userName: string): Promise<void> =>
  changeOperator(pool, userName, "resetFactors", async (tx, { id }) => {
    await resetFactors(tx, id);
  });

const changeOperator = (
  pool: Pool,
  userName: string,
  action: string,
  change: (tx: Db, operator: Account) => Promise<Readonly<Record<string, string | null>> | void>,
): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await lockAccountChanges(tx);
    const operator = found(await findForLogin(tx, "platform", userName));
    const detail = { userName: operator.userName, ...(await change(tx, operator)) };
    await writeLocalAudit(tx, { service: "platform", userName: commandLine, action, records: [operator.id], detail });
  });

type OperatorRow = Pick<NewAccount, "userName" | "passwordHash"> & Partial<NewAccount>;

async function insertOperator(tx: Db, row: OperatorRow, author: string): Promise<number> {
  const { userName } = row;
  const account = { givenHash: null, name: "", services: null, ...row, service: "platform" };
  const id = await insertAccount(tx, { ...account, isSuper: true, enabled: true });
  await writeLocalAudit(tx, {
    service: "platform",
    userName: author,
    action: "createOperator",
    records: [id],
    detail: { userName },
  });
  return id;
}
