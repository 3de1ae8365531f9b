import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Caller } from "#platform/contract/caller.ts";
import { isLoopback } from "#platform/contract/networks.ts";
import { explain, type Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { FactorEndpoints, PasskeyCreated, PasskeyShown, Transport } from "./contract.ts";
import { enrol, type Enrolled, verifyFactor, lockFactors } from "./factors.ts";

const maxPasskeys = 20;
const timeout = 120_000;
/**
 * These are the COSE ids of ES256, EdDSA and RS256. Practically every authenticator supports one of these algorithms.
 */
const pubKeyCredParams = [-7, -8, -257].map((alg) => ({ type: "public-key" as const, alg }));

/**
 * Without PUBLIC_URL, passkeys work only on the local machine, because a request's Host header is not trustworthy.
 * @throws {Problem} notAllowedNow for a remote host without PUBLIC_URL, and for an IP address, which WebAuthn does not
 * support
 */
function toRelyingParty({ settings: { PUBLIC_URL } }: Platform, request: FastifyRequest) {
  const { hostname, origin } = new URL(PUBLIC_URL ?? `${request.protocol}://${request.host}`);
  if (PUBLIC_URL === undefined && !isLoopback(hostname))
    throw explain("notAllowedNow", "使用通行密钥须先设置 PUBLIC_URL", "passkeys require PUBLIC_URL to be set");
  if (isIP(hostname.replaceAll(/^\[|\]$/g, "")))
    throw explain(
      "notAllowedNow",
      "通行密钥需要域名，请不要用 IP 地址访问",
      "passkeys require a host name instead of an IP address",
    );
  return { rpId: hostname, origin };
}

type Passkey = { id: number; credentialId: string; publicKey: Buffer; transports: Transport[] };

const listPasskeys = (db: Db, accountId: number, rpId: string) => db<Passkey[]>`
  select id, credential_id as "credentialId", public_key as "publicKey", transports
  from platform.factor where account_id = ${accountId} and kind = 'passkey' and rp_id = ${rpId} order by id`;

const countPasskeys = (db: Db, accountId: number): Promise<number> =>
  db.value<number>`select count(*) as count from platform.factor where account_id = ${accountId} and kind = 'passkey'`;

async function createChallenge(tx: Db, { accountId, sessionId }: Caller, purpose: "enrol" | "show", rpId: string) {
  const challenge = randomBytes(32).toString("base64url");
  await tx`
    insert into platform.factor_challenge (session_id, purpose, challenge) values (${sessionId}, ${purpose}, ${challenge})
    on conflict (session_id, purpose) do update set challenge = excluded.challenge, created_at = now()`;
  const known = (await listPasskeys(tx, accountId, rpId)).map(({ credentialId, transports }) => ({
    id: credentialId,
    type: "public-key" as const,
    transports,
  }));
  return { challenge, known };
}

type Signing = { caller: Caller; request: FastifyRequest };

/**
 * Deletes the session's challenge and returns what the response must match, so that each challenge can be answered only
 * once.
 * @throws {Problem} notAllowedNow if the session has no unused challenge from the last five minutes, or the host cannot
 * be used for passkeys
 */
async function consumeChallenge(platform: Platform, { caller, request }: Signing, purpose: "enrol" | "show") {
  const { origin, rpId } = toRelyingParty(platform, request);
  const [row] = await platform.pool<{ challenge: string | null }[]>`
    delete from platform.factor_challenge
    where session_id = ${caller.sessionId} and purpose = ${purpose}
    returning case when created_at > now() - interval '5 minutes' then challenge end as challenge`;
  if (!row?.challenge)
    throw explain("notAllowedNow", "验证请求已失效，请重新开始", "the verification request has expired: start again");
  const relyingParty = { expectedOrigin: origin, expectedRPID: rpId };
  return { ...relyingParty, expectedChallenge: row.challenge, requireUserVerification: false };
}

const notAccepted = (): Problem => explain("factorWrong", "通行密钥未通过验证", "the passkey was not accepted");

async function verifyWith<T>(
  { log }: Platform,
  { accountId }: Caller,
  judge: (library: typeof import("@simplewebauthn/server")) => Promise<T | undefined>,
): Promise<T | undefined> {
  const library = await import("@simplewebauthn/server");
  let why = "not verified";
  try {
    const judged = await judge(library);
    if (judged !== undefined) return judged;
  } catch (error) {
    why = (error as Error).message;
  }
  log.info({ accountId, why }, "a passkey was not accepted");
  return undefined;
}

type Expected = Awaited<ReturnType<typeof consumeChallenge>>;

const verifyRegistration = (platform: Platform, caller: Caller, expected: Expected, response: PasskeyCreated) =>
  verifyWith(platform, caller, async ({ verifyRegistrationResponse }) => {
    const { registrationInfo } = await verifyRegistrationResponse({
      ...expected,
      response: { ...response, clientExtensionResults: {}, response: { ...response.response, transports: [] } },
    });
    return registrationInfo?.credential;
  });

async function verifyAssertion(platform: Platform, caller: Caller, expected: Expected, response: PasskeyShown) {
  const passkeys = await listPasskeys(platform.pool, caller.accountId, expected.expectedRPID);
  const passkey = passkeys.find(({ credentialId }) => credentialId === response.id);
  return verifyWith(platform, caller, async ({ verifyAuthenticationResponse }) => {
    if (!passkey) throw new Error("the account has no passkey with this id");
    const { userHandle: _, ...given } = response.response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected,
      response: { ...response, response: given, clientExtensionResults: {} },
      // The counter is not checked here but by an update in the database, since two assertions may be concurrent.
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    });
    return verified ? { id: passkey.id, counter: authenticationInfo.newCounter } : undefined;
  });
}

export const newPasskeyHandlers = (platform: Platform) =>
  ({
    beginPasskey: async ({ db, caller, request }) => {
      const { rpId } = toRelyingParty(platform, request);
      const { challenge, known } = await createChallenge(db, caller, "enrol", rpId);
      const { accountId, userName, name } = caller;
      const id = Buffer.from(String(accountId)).toString("base64url");
      return {
        challenge,
        rp: { id: rpId, name: "Quintet" },
        user: { id, name: userName, displayName: name === "" ? userName : name },
        pubKeyCredParams,
        timeout,
        attestation: "none",
        authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
        excludeCredentials: known,
      };
    },
    addPasskey: withoutTransaction(async ({ body: { name, response }, caller, request, audit, transact }) => {
      const expected = await consumeChallenge(platform, { caller, request }, "enrol");
      const read = await verifyRegistration(platform, caller, expected, response);
      if (!read) throw notAccepted();
      const { id, publicKey, counter } = read;
      const { transports = [] } = response.response;
      let enrolled: Enrolled = { id: 0, recoveryCodes: [] };
      await transact(async (tx) => {
        const { accountId } = caller;
        await lockFactors(tx, accountId);
        if ((await countPasskeys(tx, accountId)) >= maxPasskeys)
          throw explain(
            "notAllowedNow",
            `最多添加 ${maxPasskeys} 个通行密钥`,
            `an account can have at most ${maxPasskeys} passkeys`,
          );
        enrolled = await enrol(tx, caller, async () => {
          return tx.value<number>`
              insert into platform.factor (account_id, kind, name, rp_id, credential_id, public_key, transports, counter, confirmed_at)
              values (${accountId}, 'passkey', ${name}, ${expected.expectedRPID}, ${id}, ${Buffer.from(publicKey)}, ${transports}, ${counter}, now())
              returning id`;
        });
        audit.records = [enrolled.id];
        return "1";
      });
      return enrolled;
    }),
  }) satisfies Partial<Handlers<FactorEndpoints>>;

export const passkeyHandlers = (platform: Platform) =>
  ({
    beginShowPasskey: async ({ db, caller, request }) => {
      const { rpId } = toRelyingParty(platform, request);
      const { challenge, known } = await createChallenge(db, caller, "show", rpId);
      if (known.length === 0)
        throw explain("notAllowedNow", "此账号在该网址下没有通行密钥", "the account has no passkey for this host");
      return { challenge, rpId, timeout, userVerification: "preferred", allowCredentials: known };
    },
    showPasskey: withoutTransaction(async ({ body: { response }, caller, address, request }) => {
      const expected = await consumeChallenge(platform, { caller, request }, "show");
      const read = await verifyAssertion(platform, caller, expected, response);
      await verifyFactor(platform, { caller, address, action: "showPasskey" }, async (tx) => {
        if (!read) return notAccepted();
        const { id, counter } = read;
        // If no row was updated, the counter did not increase, which suggests a cloned key. An authenticator without
        // a counter always reports 0.
        const used = await tx.count`
            update platform.factor set counter = ${counter}, last_used_at = now()
            where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0))`;
        if (used === 1) return { by: "passkey" };
        platform.log.warn(
          { accountId: caller.accountId, factor: id },
          "the counter of a passkey did not increase: the passkey may have been cloned",
        );
        return explain(
          "factorWrong",
          "该通行密钥的计数器未增加，可能已被复制；请改用其他方式验证并删除该密钥",
          "the counter of this passkey did not increase, so it may have been cloned: use another second factor and delete this passkey",
        );
      });
      return "1";
    }),
  }) satisfies Partial<Handlers<FactorEndpoints>>;
