import { auditRefusal, writeAudit } from "#platform/accounts/audit.ts";
import { clearCookie, type Cookie, readCookie, setCookie } from "#platform/accounts/cookies.ts";
import { hashToken, makeToken, startSession } from "#platform/accounts/session.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Call } from "#platform/process/handler.ts";
import { toLink } from "#platform/process/links.ts";
import type { Platform } from "#platform/process/platform.ts";
import { expiringRows } from "#platform/process/removal.ts";
import {
  type Attempt,
  type Person,
  type ProviderKind,
  SignOnFailure,
  type SignOnProvider,
} from "#platform/sign-on/index.ts";
import { applyCampusRoles } from "./campus-accounts.ts";
import { findAccountsOf, lockOpenedAccount, type Identity, type OpenedAccount } from "./identity-store.ts";

// Attempts are in the database, so that whichever process the browser comes back to can finish them, and in the hands of
// the browser is nothing but a token.

const attemptSeconds = 600;

const attemptCookie: Cookie = { name: "sign_on", path: "/platform/sign-on/" };

interface KeptAttempt extends Attempt {
  readonly provider: ProviderKind;
  /** Of the account that was meant. */
  readonly service: string;
  readonly isOpen: boolean;
}

/** The attempt that the token is of, which nobody can finish any more; undefined when it is over or has been taken. */
async function takeAttempt(db: Db, token: string): Promise<KeptAttempt | undefined> {
  const [row] = await db<KeptAttempt[]>`
    delete from platform.sign_on where token_hash = ${hashToken(token)}
    returning provider, service, state, nonce, verifier, return_address as "returnAddress", expires_at > now() as "isOpen"`;
  return row?.isOpen ? row : undefined;
}

export const expiredAttempts = expiringRows("platform.sign_on");

export interface SignOnParts {
  readonly platform: Platform;
  readonly providers: readonly SignOnProvider[];
}

type FlowCall = Pick<Call<Endpoint>, "address" | "userAgent" | "request" | "reply">;

/** @throws {Problem} outsideNotConfigured. */
export function getProvider(providers: readonly SignOnProvider[], kind: ProviderKind): SignOnProvider {
  const provider = providers.find((one) => one.kind === kind);
  if (!provider) throw new Problem("outsideNotConfigured");
  return provider;
}

/**
 * Begins an attempt: where the browser goes.
 * @throws {Problem} outsideNotConfigured, outsideFailed.
 */
export async function beginSignOn(
  { platform, providers }: SignOnParts,
  { body, reply }: FlowCall & { readonly body: Pick<KeptAttempt, "provider" | "service"> },
): Promise<string> {
  const provider = getProvider(providers, body.provider);
  const returnAddress = toLink(platform.settings, "/console/sign-on");
  // Each has 43 characters, the least that PKCE allows, of 256 random bits.
  const [state, nonce, verifier] = [makeToken().token, makeToken().token, makeToken().token];
  const address = await provider.begin({ state, nonce, verifier, returnAddress }).catch(throwProblem);
  const { token, hash } = makeToken();
  await platform.pool`
    insert into platform.sign_on (token_hash, provider, service, state, nonce, verifier, return_address, expires_at)
    values (${hash}, ${body.provider}, ${body.service}, ${state}, ${nonce}, ${verifier}, ${returnAddress},
      now() + make_interval(secs => ${attemptSeconds}))`;
  setCookie(attemptCookie, reply, platform.settings, { value: token, seconds: attemptSeconds });
  return address;
}

/**
 * Signs in whoever has come back to the browser that began, once.
 * @throws {Problem} signOnFailed for what proves nothing, forbidden for an identity that opens no account, outsideFailed.
 */
export async function finishSignOn(parts: SignOnParts, call: FlowCall & { readonly body: { query: string } }) {
  const { platform, providers } = parts;
  const token = readCookie(attemptCookie, call.request, platform.settings);
  const attempt = token === undefined ? undefined : await takeAttempt(platform.pool, token);
  clearCookie(attemptCookie, call.reply, platform.settings);
  const provider = attempt && getProvider(providers, attempt.provider);
  let identity: Identity | undefined;
  try {
    if (!attempt || !provider)
      throw explain(
        "signOnFailed",
        "不是在此浏览器发起的，或已过期、已用过，请重新登录",
        "it was not begun in this browser, is over or has been used: sign in once more",
      );
    const person = await provider.finish(attempt, new URLSearchParams(call.body.query)).catch(throwProblem);
    identity = { provider: provider.kind, issuer: provider.issuer, identity: person.identity };
    const taken = await applyCampusRoles(platform, { identity, person, address: call.address });
    const account = chooseAccount(await findAccountsOf(platform.pool, identity), attempt.service, taken);
    const session = await openSession(platform, call, account, { ...identity, factors: person.factors });
    // What is missing is a convenience.
    const endAddress = await provider.findEnd(toLink(platform.settings, "/console/")).catch(() => null);
    call.reply.header("admin_token", session.token);
    return { service: account.service, userName: account.userName, ...session, endAddress };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { problem, extras } = error;
    const why = extras.why !== undefined && { why: extras.why };
    // Who was not let in, as far as it is known.
    await auditRefusal(platform, {
      service: attempt?.service ?? "platform",
      userName: identity?.identity ?? "",
      action: "finishSignOn",
      outcome: problem === "forbidden" ? "refused" : "failed",
      detail: { problem, provider: attempt?.provider ?? null, ...why },
      address: call.address,
    });
    throw error;
  }
}

/**
 * @param taken where an account made by hand stands in the way of one that the campus would have made
 * @throws {Problem} forbidden when the identity opens none, or several of which none is the one that is meant.
 */
function chooseAccount(accounts: readonly OpenedAccount[], service: string, taken: readonly string[]): OpenedAccount {
  const [only, another] = accounts;
  const meant = accounts.find((account) => account.service === service) ?? (another ? undefined : only);
  if (meant) return meant;
  const { zh, en } = noAccount[only ? "several" : taken.length > 0 ? "taken" : "none"];
  throw explain("forbidden", zh, en);
}

const noAccount = {
  several: { zh: "您有多个账号，请先选择身份再登录", en: "you have several accounts: choose whom to sign in as first" },
  taken: {
    zh: "校园身份已确认，但同名账号是手工开通的，或属于另一身份，须由操作员登记此身份",
    en: "the campus knows you, but the account of your name was made by hand or is another identity's: an operator has to list yours for it",
  },
  none: {
    zh: "校园身份已确认，但没有为它开通账号",
    en: "the campus knows you, but no account has been opened to you here",
  },
} as const;

/** The usual session. What the campus says of a second factor stands in the audit log, and here is where it would count. */
const openSession = (
  { pool, settings }: Platform,
  { address, userAgent }: FlowCall,
  account: OpenedAccount,
  identity: Identity & Pick<Person, "factors">,
) =>
  inTransaction(pool, async (tx) => {
    if (!(await lockOpenedAccount(tx, account, identity))) throw new Problem("forbidden");
    const session = await startSession(tx, { accountId: account.id, address, userAgent, settings, ofConsole: true });
    const detail = { provider: identity.provider, identity: identity.identity, factors: identity.factors.join(",") };
    const who = { service: account.service, accountId: account.id, userName: account.userName };
    await writeAudit(tx, { ...who, action: "finishSignOn", outcome: "done", detail, address });
    return session;
  });

function throwProblem(error: unknown): never {
  if (!(error instanceof SignOnFailure)) throw error;
  const { problem, zh, en } = meanings[error.kind];
  throw new Problem(problem, { detail: { zh, en }, why: error.message });
}

const meanings = {
  unreachable: {
    problem: "outsideFailed",
    zh: "统一身份认证平台暂时无法使用",
    en: "the campus sign-on does not answer as it should",
  },
  refused: {
    problem: "signOnFailed",
    zh: "统一身份认证平台没有允许此次登录",
    en: "the campus sign-on has not let you in",
  },
  untrusted: {
    problem: "signOnFailed",
    zh: "返回的凭据未通过校验，请重新登录",
    en: "what came back proves nothing: sign in once more",
  },
  stale: {
    problem: "signOnFailed",
    zh: "统一身份认证平台没有重新验证身份，请先在那里退出，再重新登录",
    en: "the campus sign-on has not asked you anew: sign out there, then sign in once more",
  },
  clock: {
    problem: "signOnFailed",
    zh: "本服务器与统一身份认证平台的时钟相差一分钟以上，请联系管理员校准时间",
    en: "the clocks of this server and of the campus sign-on differ by more than a minute: an administrator has to set them right",
  },
} as const;
