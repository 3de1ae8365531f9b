import { mustHaveFactor } from "#platform/accounts/login-requirements.ts";
import { type Caller, mayServe } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { mayTake } from "#platform/contract/rights.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { FactorEndpoints } from "./contract.ts";
import {
  addPasskey,
  beginTotp,
  challengeGone,
  confirmTotp,
  type Enrolled,
  type MayManage,
  removeFactor,
  resetFactorsOf,
  showCode,
  showPasskey,
} from "./factors.ts";
import { describePasskey, makeChallenge, readNew, toPlace } from "./passkey.ts";
import {
  countRecoveryCodes,
  type Factor,
  keepChallenge,
  listFactors,
  listHolders,
  listPasskeys,
  renameFactor,
  renewRecoveryCodes,
  takeChallenge,
} from "./store.ts";

const timeoutMs = 120_000;
/** ES256, EdDSA and RS256: what authenticators have. */
const algorithms = [-7, -8, -257].map((alg) => ({ type: "public-key" as const, alg }));

export const factorHandlers = (platform: Platform, mayManage: MayManage): Handlers<FactorEndpoints> => ({
  ...showing(platform),
  ...totp(platform),
  ...passkeys(platform),
  ...keeping(platform),
  ...helping(mayManage),
});

const showing = (
  platform: Platform,
): Pick<Handlers<FactorEndpoints>, "readOwnFactors" | "showCode" | "beginShowPasskey" | "showPasskey"> => ({
  readOwnFactors: async ({ db, caller }) => ({
    required: mustHaveFactor(platform.settings, caller),
    shown: caller.factorAgeSeconds !== null,
    factors: (await listFactors(db, caller.accountId)).map((factor) => toRecord(factor, platform.settings.TIME_ZONE)),
    recoveryCodes: await countRecoveryCodes(db, caller.accountId),
  }),
  showCode: {
    withoutTransaction: async ({ db, body, caller, address }) => {
      await showCode(platform, { caller, address, action: "showCode" }, body.code);
      return { recoveryCodes: await countRecoveryCodes(db, caller.accountId) };
    },
  },
  beginShowPasskey: async ({ db, caller, request }) => {
    const { rpId } = toPlace(platform.settings.PUBLIC_URL, request);
    const known = await listPasskeys(db, caller.accountId, rpId);
    if (known.length === 0)
      throw explain("notAllowedNow", "此账号在该网址下没有通行密钥", "the account has no passkey of this host");
    const challenge = makeChallenge();
    await keepChallenge(db, caller.sessionId, "show", challenge);
    const allowCredentials = known.map(describePasskey);
    return { challenge, rpId, timeout: timeoutMs, userVerification: "preferred", allowCredentials };
  },
  showPasskey: {
    withoutTransaction: async ({ body, caller, address, request }) => {
      const place = toPlace(platform.settings.PUBLIC_URL, request);
      await showPasskey(platform, { caller, address, action: "showPasskey" }, { shown: body, place });
      return "1";
    },
  },
});

const totp = ({ clock }: Platform): Pick<Handlers<FactorEndpoints>, "beginTotp" | "confirmTotp"> => ({
  beginTotp: ({ db, body, caller }) => beginTotp(db, caller, body.name),
  confirmTotp: async ({ db, body, caller, audit }) => {
    const enrolled = await confirmTotp(db, caller, body.code, clock());
    audit.records = [enrolled.id];
    return enrolled;
  },
});

const passkeys = ({
  pool,
  settings,
  log,
}: Platform): Pick<Handlers<FactorEndpoints>, "beginPasskey" | "addPasskey"> => ({
  beginPasskey: async ({ db, caller, request }) => {
    const { rpId } = toPlace(settings.PUBLIC_URL, request);
    const known = await listPasskeys(db, caller.accountId, rpId);
    const challenge = makeChallenge();
    await keepChallenge(db, caller.sessionId, "enrol", challenge);
    return {
      challenge,
      rp: { id: rpId, name: "Quintet" },
      user: describeUser(caller),
      pubKeyCredParams: algorithms,
      timeout: timeoutMs,
      attestation: "none",
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
      excludeCredentials: known.map(describePasskey),
    };
  },
  addPasskey: {
    withoutTransaction: async ({ body, caller, request, audit, transact }) => {
      const place = toPlace(settings.PUBLIC_URL, request);
      const challenge = await takeChallenge(pool, caller.sessionId, "enrol");
      if (challenge === undefined) throw challengeGone();
      const read = await readNew(body, place, challenge);
      if ("why" in read) {
        log.info({ accountId: caller.accountId, why: read.why }, "a new passkey was not accepted");
        throw explain("factorWrong", "通行密钥未通过验证", "the passkey was not accepted");
      }
      let enrolled: Enrolled = { id: 0, recoveryCodes: [] };
      await transact(async (tx) => {
        enrolled = await addPasskey(tx, caller, read);
        audit.records = [enrolled.id];
        return "1";
      });
      return enrolled;
    },
  },
});

const describeUser = ({ accountId, userName, name }: Caller) => ({
  id: Buffer.from(String(accountId)).toString("base64url"),
  name: userName,
  displayName: name === "" ? userName : name,
});

const keeping = ({
  settings,
}: Platform): Pick<Handlers<FactorEndpoints>, "renameFactor" | "deleteFactor" | "renewRecoveryCodes"> => ({
  renameFactor: async ({ db, body, caller, audit }) => {
    audit.records = [body.id];
    if (!(await renameFactor(db, caller.accountId, body.id, body.name))) throw new Problem("notFound");
    return "1";
  },
  deleteFactor: async ({ db, body, caller, audit }) => {
    audit.records = [body.id];
    await removeFactor(db, settings, caller, body.id);
    return "1";
  },
  renewRecoveryCodes: async ({ db, caller }) => {
    if (!caller.hasFactor)
      throw explain("notAllowedNow", "请先启用两步验证", "there is no second factor that they could stand for");
    return renewRecoveryCodes(db, caller.accountId);
  },
});

const helping = (mayManage: MayManage): Pick<Handlers<FactorEndpoints>, "listFactorHolders" | "resetFactors"> => ({
  listFactorHolders: async ({ db, query, caller }) => {
    if (!caller.isSuper || !mayServe(caller, query.service) || !mayTake(caller, query.service, "read"))
      throw new Problem("forbidden");
    return listHolders(db, query.service);
  },
  resetFactors: async ({ db, body, caller, audit }) => {
    audit.records = [body.id];
    const { userName } = await resetFactorsOf(db, caller, body.id, mayManage);
    audit.detail = { userName };
    return "1";
  },
});

const toRecord = ({ createdAt, lastUsedAt, ...factor }: Factor, zone: string) => ({
  ...factor,
  createTime: formatDateTime(createdAt, zone),
  lastUseTime: lastUsedAt && formatDateTime(lastUsedAt, zone),
});
