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

// Sign-on attempts are stored in the database, so that any process can finish them; the browser stores only a token.

const attemptSeconds = 600;

const attemptCookie: Cookie = { name: "sign_on", path: "/platform/sign-on/" };

interface KeptAttempt extends Attempt {
  readonly provider: ProviderKind;
  /** The service that the user chose; empty if none. */
  readonly service: string;
  readonly isOpen: boolean;
}

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

export function getProvider(providers: readonly SignOnProvider[], kind: ProviderKind): SignOnProvider {
  const provider = providers.find((one) => one.kind === kind);
  if (!provider) throw new Problem("outsideNotConfigured");
  return provider;
}

export async function beginSignOn(
  { platform, providers }: SignOnParts,
  { body, reply }: FlowCall & { readonly body: { provider: ProviderKind; service?: string | undefined } },
): Promise<string> {
  const provider = getProvider(providers, body.provider);
  const returnAddress = toLink(platform.settings, "/console/sign-on");
  // Each token has 43 characters, the minimum length of PKCE's verifier.
  const [state, nonce, verifier] = [makeToken().token, makeToken().token, makeToken().token];
  const address = await provider.begin({ state, nonce, verifier, returnAddress }).catch(throwProblem);
  const { token, hash } = makeToken();
  await platform.pool`
    insert into platform.sign_on (token_hash, provider, service, state, nonce, verifier, return_address, expires_at)
    values (${hash}, ${body.provider}, ${body.service ?? ""}, ${state}, ${nonce}, ${verifier}, ${returnAddress},
      now() + make_interval(secs => ${attemptSeconds}))`;
  setCookie(attemptCookie, reply, platform.settings, { value: token, seconds: attemptSeconds });
  return address;
}

/**
 * An attempt can be finished once, in the browser that started it.
 * @throws {Problem} signOnFailed for an invalid response or attempt; forbidden for an identity without an account;
 * accountUnclear for an identity with several accounts, none of which is at the chosen service; outsideFailed;
 * outsideNotConfigured
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
        "登录请求不是由此浏览器发起，或已过期、已使用，请重新登录",
        "the sign-in was not started in this browser, has expired or was already used: sign in again",
      );
    const person = await provider.finish(attempt, new URLSearchParams(call.body.query)).catch(throwProblem);
    identity = { provider: provider.kind, issuer: provider.issuer, identity: person.identity };
    const taken = await applyCampusRoles(platform, { identity, person, address: call.address });
    const account = chooseAccount(await findAccountsOf(platform.pool, identity), attempt, taken);
    const session = await openSession(platform, call, account, { ...identity, factors: person.factors });
    // Logging out at the provider is optional, so a failure to find the provider's logout address is ignored.
    const endAddress = await provider.findEnd(toLink(platform.settings, "/console/")).catch(() => null);
    call.reply.header("admin_token", session.token);
    return { service: account.service, userName: account.userName, ...session, endAddress };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { problem, extras } = error;
    const why = extras.why !== undefined && { why: extras.why };
    await auditRefusal(platform, {
      service: attempt?.service || "platform",
      userName: identity?.identity ?? "",
      action: "finishSignOn",
      outcome: ["forbidden", "accountUnclear"].includes(problem) ? "refused" : "failed",
      detail: { problem, provider: attempt?.provider ?? null, ...why },
      address: call.address,
    });
    throw error;
  }
}

/**
 * @param taken the services at which the name or identity belongs to another account
 * @throws {Problem} forbidden if there is no account; accountUnclear if there are several and none is at the chosen
 * service
 */
function chooseAccount(
  accounts: readonly OpenedAccount[],
  { service, provider }: Pick<KeptAttempt, "service" | "provider">,
  taken: readonly string[],
): OpenedAccount {
  const [only, another] = accounts;
  const meant = accounts.find((account) => account.service === service) ?? (another ? undefined : only);
  if (meant) return meant;
  if (only)
    throw new Problem("accountUnclear", { data: { provider, accounts: accounts.map((account) => account.service) } });
  const { zh, en } = noAccount[taken.length > 0 ? "taken" : "none"];
  throw explain("forbidden", zh, en);
}

const noAccount = {
  taken: {
    zh: "校园身份已确认，但同名账号为手工创建或属于其他身份，请联系操作员登记此身份",
    en: "your campus identity is confirmed, but the account with your name was created manually or belongs to another identity: ask an operator to register yours",
  },
  none: {
    zh: "校园身份已确认，但尚未开通账号，请联系操作员",
    en: "your campus identity is confirmed, but you have no account here: ask an operator",
  },
} as const;

/** A second factor verified by the campus is recorded in the audit log, but does not replace the platform's own. */
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
    en: "the campus sign-on is temporarily unavailable",
  },
  refused: {
    problem: "signOnFailed",
    zh: "统一身份认证平台拒绝了此次登录",
    en: "the campus sign-on rejected this sign-in",
  },
  untrusted: {
    problem: "signOnFailed",
    zh: "身份凭据校验失败，请重新登录",
    en: "the credentials could not be verified: sign in again",
  },
  stale: {
    problem: "signOnFailed",
    zh: "统一身份认证平台未重新验证身份，请先在该平台退出，再重新登录",
    en: "the campus sign-on did not re-authenticate you: sign out there, then sign in again",
  },
  clock: {
    problem: "signOnFailed",
    zh: "本服务器与统一身份认证平台的时钟相差一分钟以上，请联系管理员校准时间",
    en: "the clocks of this server and the campus sign-on differ by more than a minute: ask an administrator to correct them",
  },
} as const;
