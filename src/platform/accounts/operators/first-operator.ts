import { randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import {
  type Account,
  findForLogin,
  insertAccount,
  listAccounts,
  takeAccountTurn,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { writeAudit } from "#platform/accounts/audit.ts";
import { findWeakness } from "#platform/accounts/common-passwords.ts";
import { toGiven } from "#platform/accounts/given-password.ts";
import { hashGiven, refuseCampusOwned, refuseTakenName } from "#platform/accounts/account-rules.ts";
import { toStoredServices } from "#platform/accounts/kinds.ts";
import { forgetFailures, rememberAddress } from "#platform/accounts/lockout.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { forgetWrongCodes, resetFactors } from "#platform/accounts/second-factor/reset.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import { toClientAddress } from "#platform/contract/client-address.ts";
import { compileReader } from "#platform/contract/input.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { operatorBody } from "./contract.ts";

// Operators that nobody who is signed in makes: the first one, and those of the command line.

const firstName = "operator";
const passwordFile = "operator-password";

// Without i, l, o and u: nothing that is mistaken for a digit, and few words. 20 characters of 5 bits are 100 bits.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A random password that is easily typed. */
export const makePassword = (): string =>
  Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length]).join("");

/** What became of the first operator, and what the one who starts the platform has to be told. */
export type FirstOperator =
  /** There are operators already. */
  | { readonly kind: "existed" }
  /** Made with OPERATOR_PASSWORD; weak when that is a password that anybody would try first. */
  | { readonly kind: "given"; readonly userName: string; readonly weak?: true }
  /** Made with a random password, to be shown on the terminal once. */
  | { readonly kind: "show"; readonly userName: string; readonly password: string }
  /** Made with a random password, which stands in that file. */
  | { readonly kind: "written"; readonly userName: string; readonly file: string };

export interface FirstOperatorOptions {
  readonly pool: Pool;
  readonly settings: Pick<Settings, "OPERATOR_PASSWORD">;
  /** Where the password is written when there is no terminal; must exist. */
  readonly dataDir: string;
  readonly isTerminal: boolean;
}

/**
 * Makes the operator `operator` when there is no operator at all. Of processes that start together one makes it.
 * @throws Error of one line when the password's file cannot be made, or is there already; there is no operator then.
 */
export async function ensureFirstOperator(options: FirstOperatorOptions): Promise<FirstOperator> {
  if (await hasOperator(options.pool)) return { kind: "existed" };
  const given = options.settings.OPERATOR_PASSWORD;
  const password = given ?? makePassword();
  const passwordHash = await hashPassword(password);
  const file = path.join(options.dataDir, passwordFile);
  const writesFile = given === undefined && !options.isTerminal;
  let written = false;
  try {
    const made = await inTransaction(options.pool, async (tx) => {
      await takeAccountTurn(tx);
      if (await hasOperator(tx)) return false;
      // Whoever sets OPERATOR_PASSWORD has chosen it; a random one is read by whoever looks at the terminal.
      const own = given === undefined ? toGiven(passwordHash) : { passwordHash };
      await insertOperator(tx, { userName: firstName, ...own }, "first start");
      // Last, and before the commit: a password that nobody could read would lock everybody out.
      if (writesFile && !written) await writePassword(file, password);
      written = writesFile;
      return true;
    });
    if (!made) return { kind: "existed" };
  } catch (error) {
    if (written) await rm(file, { force: true });
    throw error;
  }
  if (given !== undefined) {
    const weakness = await findWeakness(given, firstName);
    return { kind: "given", userName: firstName, ...(weakness ? { weak: true } : {}) };
  }
  return writesFile ? { kind: "written", userName: firstName, file } : { kind: "show", userName: firstName, password };
}

async function hasOperator(db: Db): Promise<boolean> {
  const { totalCount } = await listAccounts(
    db,
    { service: "platform" },
    { field: "id", descending: false, offset: 0, limit: 1 },
  );
  return totalCount > 0;
}

/** Exclusively: a file or link that somebody has put there is neither followed nor filled. */
async function writePassword(file: string, password: string): Promise<void> {
  const handle = await open(file, "wx", 0o600).catch((cause: NodeJS.ErrnoException) => {
    const reason =
      cause.code === "EEXIST"
        ? "is there already, though there is no operator: remove it"
        : `cannot be written (${cause.code})`;
    throw new Error(
      `The file ${passwordFile} in the data directory ${reason}, or set OPERATOR_PASSWORD, and start again.`,
      { cause },
    );
  });
  try {
    await handle.writeFile(`${password}\n`);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

export interface NewOperator {
  readonly userName: string;
  readonly password: string;
  readonly name?: string;
  /** All when left out. */
  readonly services?: readonly string[];
}

/**
 * Makes an operator for the command line and returns the id.
 * @param all the services that there are
 * @throws {Problem} badFormat, tooLong; alreadyExists when an operator or an administrator of a service has the name.
 */
export async function createOperator(pool: Pool, all: readonly string[], operator: NewOperator): Promise<number> {
  const { userName, name, password, services } = compileReader(operatorBody(all), { source: "json" })(operator);
  const passwordHash = await hashChecked(password, userName);
  return inTransaction(pool, async (tx) => {
    await refuseTakenName(tx, "platform", userName);
    if (await findForLogin(tx, "platform", userName)) throw new Problem("alreadyExists");
    return insertOperator(
      tx,
      { userName, name, ...toGiven(passwordHash), services: toStoredServices(all, services) },
      "command line",
    );
  });
}

/**
 * Gives an operator another password for the command line, signs the operator out everywhere, and ends the locks of the
 * name.
 * @throws {Problem} notFound, badFormat; forbidden for one whom the campus sign-on has made.
 */
export async function setOperatorPassword(
  pool: Pool,
  { userName, password }: { userName: string; password: string },
): Promise<void> {
  const passwordHash = await hashChecked(password, userName);
  await inTransaction(pool, async (tx) => {
    await takeAccountTurn(tx);
    const operator = await getOperator(tx, userName);
    refuseCampusOwned(operator, { passwordHash });
    await updateAccount(tx, operator.id, toGiven(passwordHash));
    await endSessionsOf(tx, [operator.id]);
    await forgetFailures(tx, userName);
    await writeLocalAudit(tx, { author: "command line", action: "setOperatorPassword", ...operator });
  });
}

/**
 * Ends the locks of an operator's name for the command line. With an address (IPv4, or any of an IPv6 network) the
 * operator can log in from there whatever others try meanwhile, as from one that succeeded before.
 * @throws {Problem} notFound, badFormat.
 */
export async function unlockOperator(
  pool: Pool,
  { userName, address }: { userName: string; address?: string | undefined },
): Promise<void> {
  if (address !== undefined && !isIP(address))
    throw explain("badFormat", "address: 应为 IP 地址", "address: must be an IP address");
  await inTransaction(pool, async (tx) => {
    const operator = await getOperator(tx, userName);
    await forgetFailures(tx, userName);
    await forgetWrongCodes(tx, operator.id);
    const from = address === undefined ? null : toClientAddress(address);
    if (from !== null) await rememberAddress(tx, operator.id, from);
    await writeLocalAudit(tx, { author: "command line", action: "unlockOperator", ...operator, from });
  });
}

/**
 * Takes an operator's second factors away for the command line, and signs the operator out everywhere: the password alone
 * lets them in again, to set up others.
 * @throws {Problem} notFound.
 */
export async function resetOperatorFactors(pool: Pool, userName: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await takeAccountTurn(tx);
    const operator = await getOperator(tx, userName);
    await resetFactors(tx, operator.id);
    await writeLocalAudit(tx, { author: "command line", action: "resetFactors", ...operator });
  });
}

async function getOperator(tx: Db, userName: string): Promise<Account> {
  const account = await findForLogin(tx, "platform", userName);
  if (!account) throw new Problem("notFound");
  return account;
}

async function hashChecked(password: string, userName: string): Promise<string> {
  const passwordHash = await hashGiven(password, userName);
  if (passwordHash === undefined) throw explain("badFormat", "密码不能为空", "the password must not be empty");
  return passwordHash;
}

interface OperatorRow {
  readonly userName: string;
  readonly passwordHash: string;
  readonly givenHash?: string | null;
  readonly name?: string;
  readonly services?: readonly string[] | null;
}

async function insertOperator(
  tx: Db,
  { userName, passwordHash, givenHash = null, name = "", services = null }: OperatorRow,
  author: string,
): Promise<number> {
  const id = await insertAccount(tx, {
    service: "platform",
    userName,
    name,
    passwordHash,
    givenHash,
    isSuper: true,
    enabled: true,
    services,
  });
  await writeLocalAudit(tx, { author, action: "createOperator", id, userName });
  return id;
}

interface LocalAct {
  /** "first start" or "command line". */
  readonly author: string;
  readonly action: string;
  readonly id: number;
  readonly userName: string;
  readonly from?: string | null;
}

/** What is done at the machine itself, by somebody whom the platform does not know. */
const writeLocalAudit = (tx: Db, { author, action, id, userName, from }: LocalAct): Promise<void> =>
  writeAudit(tx, {
    service: "platform",
    userName: author,
    action,
    outcome: "done",
    records: [id],
    detail: { userName, ...(from === undefined ? {} : { from }) },
    address: "local",
  });
