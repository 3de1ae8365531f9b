import { type Caller } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { SecondFactorSettings } from "#platform/contract/second-factor-settings.ts";
import type { Db } from "#platform/database/index.ts";
import { noteFactorShown } from "#platform/accounts/session.ts";
import { makeRecoveryCodes } from "./recovery.ts";
import { mustHaveFactor } from "./rules.ts";
import { wrongCode } from "./verify-factor.ts";
import {
  clearFactors,
  confirmSeed,
  countFactors,
  deleteFactors,
  findSeed,
  insertPasskey,
  insertSeed,
  type NewPasskey,
  replaceRecoveryCodes,
  takeFactorTurn,
} from "./store.ts";
import { makeSeed, matchCode } from "./totp.ts";

// Setting second factors up, and taking them away. Of one account it happens one after the other.

const mostPasskeys = 20;

export interface Enrolled {
  readonly id: number;
  readonly recoveryCodes: string[];
}

/** A seed that holds once its first code has come. */
export async function beginTotp(tx: Db, caller: Caller, name: string): Promise<{ secret: string; uri: string }> {
  await takeFactorTurn(tx, caller.accountId);
  const { seed, uri } = makeSeed(caller.userName);
  await insertSeed(tx, caller.accountId, name, seed);
  return { secret: seed, uri };
}

/** Gives a new account one-time codes without its owner, for the demonstration. */
export async function addSeed(tx: Db, { id, userName }: { id: number; userName: string }): Promise<{ secret: string }> {
  const { seed } = makeSeed(userName);
  await insertSeed(tx, id, "phone", seed);
  const begun = await findSeed(tx, id, "begun");
  if (begun) await confirmSeed(tx, id, begun, 0);
  return { secret: seed };
}

/** @throws {Problem} notAllowedNow when none was begun, factorWrong. */
export async function confirmTotp(tx: Db, caller: Caller, code: string, nowMs: number): Promise<Enrolled> {
  await takeFactorTurn(tx, caller.accountId);
  const begun = await findSeed(tx, caller.accountId, "begun");
  if (!begun) throw explain("notAllowedNow", "没有待确认的验证器", "no secret waits for its first code");
  const step = matchCode(begun.seed, code, nowMs);
  if (step === undefined) throw wrongCode();
  return enrol(tx, caller, async () => {
    await confirmSeed(tx, caller.accountId, begun, step);
    return begun.id;
  });
}

/** @throws {Problem} notAllowedNow for too many. */
export async function addPasskey(tx: Db, caller: Caller, passkey: NewPasskey): Promise<Enrolled> {
  await takeFactorTurn(tx, caller.accountId);
  if ((await countFactors(tx, caller.accountId)) >= mostPasskeys)
    throw explain("notAllowedNow", `最多 ${mostPasskeys} 个`, `there are ${mostPasskeys} already`);
  return enrol(tx, caller, () => insertPasskey(tx, caller.accountId, passkey));
}

/** With the first factor come recovery codes. Whoever has just set one up has shown it. */
async function enrol(tx: Db, caller: Caller, store: () => Promise<number>): Promise<Enrolled> {
  const isFirst = (await countFactors(tx, caller.accountId)) === 0;
  // Two that begin at once as the first: the second must show what the first has set up.
  if (!isFirst && caller.factorAgeSeconds === null) throw new Problem("factorNeeded");
  const id = await store();
  await noteFactorShown(tx, caller.sessionId);
  return { id, recoveryCodes: isFirst ? await renewRecoveryCodes(tx, caller.accountId) : [] };
}

/** The new codes, which are kept as hashes alone. */
export async function renewRecoveryCodes(tx: Db, accountId: number): Promise<string[]> {
  const codes = makeRecoveryCodes();
  await replaceRecoveryCodes(tx, accountId, codes);
  return codes;
}

/** @throws {Problem} notFound; notAllowedNow for the last one of an account that must have one. */
export async function removeFactor(tx: Db, settings: SecondFactorSettings, caller: Caller, id: number): Promise<void> {
  await takeFactorTurn(tx, caller.accountId);
  const removed = await deleteFactors(tx, caller.accountId, [id]);
  if (removed.length === 0) throw new Problem("notFound");
  if ((await countFactors(tx, caller.accountId)) > 0) return;
  if (mustHaveFactor(settings, caller))
    throw explain(
      "notAllowedNow",
      "此账号必须保留一种两步验证方式，请先添加另一种",
      "the account must have a second factor: add another one first",
    );
  await clearFactors(tx, caller.accountId);
}
