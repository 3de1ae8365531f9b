import * as client from "openid-client";
import { isLoopback } from "#platform/contract/networks.ts";
import { singleFlight } from "#platform/contract/single-flight.ts";
import {
  askProvider,
  type Attempt,
  type Person,
  readIdentity,
  readName,
  SignOnFailure,
  type SignOnProvider,
} from "./provider.ts";
import type { ProviderSettings } from "./settings.ts";

type OidcSettings = ProviderSettings & { readonly OIDC_ISSUER: string; readonly OIDC_CLIENT_ID: string };

const clockToleranceSeconds = 60;

const keptMs = 3_600_000;

type Metadata = client.ServerMetadata;

/** openid-client validates every step of the code flow with PKCE. */
export function openOidc(options: OidcSettings): SignOnProvider {
  const maxAgeSeconds = options.SIGN_ON_FRESH_MINUTES * 60;
  const findMetadata = singleFlight(() => discover(options), keptMs);
  return {
    kind: "oidc",
    issuer: options.OIDC_ISSUER,
    async begin({ state, nonce, verifier, returnAddress }) {
      const config = configure(options, await findMetadata());
      const { href } = client.buildAuthorizationUrl(config, {
        redirect_uri: returnAddress,
        scope: options.OIDC_SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(maxAgeSeconds > 0 && { max_age: String(maxAgeSeconds) }),
      });
      return href;
    },
    async finish(attempt, query) {
      const config = configure(options, await findMetadata());
      try {
        return await exchangeCode(config, options, attempt, query);
      } catch (error) {
        throw toFailure(error);
      }
    },
    async findEnd(returnAddress) {
      const metadata = await findMetadata();
      if (metadata.end_session_endpoint === undefined) return null;
      // The client id is sent instead of an ID token hint, because the ID token would have to be stored with the
      // session.
      return client.buildEndSessionUrl(configure(options, metadata), { post_logout_redirect_uri: returnAddress }).href;
    },
    async reach() {
      await discover(options);
    },
  };
}

async function exchangeCode(
  config: client.Configuration,
  { OIDC_CLAIM: claim, SIGN_ON_ROLES, SIGN_ON_FRESH_MINUTES: freshMinutes }: OidcSettings,
  { state, nonce, verifier, returnAddress }: Attempt,
  query: URLSearchParams,
): Promise<Person> {
  const tokens = await client.authorizationCodeGrant(config, new URL(`${returnAddress}?${query.toString()}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
    ...(freshMinutes > 0 && { maxAge: freshMinutes * 60 }),
  });
  const claims = tokens.claims();
  if (!claims) throw new SignOnFailure("untrusted", "the response contains no ID token");
  if (claims.iat > Date.now() / 1000 + clockToleranceSeconds)
    throw new SignOnFailure("clock", "the ID token was issued in the future: check the clocks");
  const roleClaim = SIGN_ON_ROLES?.claim;
  const lacksRole = roleClaim !== undefined && claims[roleClaim] === undefined;
  const asksForRole = lacksRole && config.serverMetadata().userinfo_endpoint !== undefined;
  let told: Readonly<Record<string, unknown>> = claims;
  // If the ID token lacks the claim for the identity or the roles, the claims of the userinfo endpoint are added.
  if (claims[claim] === undefined || asksForRole)
    told = { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  const { amr } = claims;
  const factors = Array.isArray(amr) ? amr.filter((factor) => typeof factor === "string") : [];
  const identity = readIdentity(told[claim], claim);
  if (roleClaim === undefined) return { identity, factors };
  return { identity, factors, name: readName(told["name"]), roles: told[roleClaim] };
}

async function discover(settings: OidcSettings): Promise<Metadata> {
  const { OIDC_ISSUER: issuer, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  try {
    const config = await client.discovery(new URL(issuer), settings.OIDC_CLIENT_ID, undefined, undefined, {
      [client.customFetch]: toFetch(timeoutMs),
      timeout: timeoutMs / 1000,
      execute: isPlain(issuer) ? [client.allowInsecureRequests] : [],
    });
    const metadata = config.serverMetadata();
    // The library compares the issuers as normalised URLs, but apart from a trailing slash they must be equal as texts.
    if (metadata.issuer.replace(/\/$/, "") !== issuer.replace(/\/$/, ""))
      throw new SignOnFailure("unreachable", "the metadata contains a different issuer");
    if (metadata.code_challenge_methods_supported?.includes("S256") === false)
      throw new SignOnFailure("unreachable", "the issuer does not support PKCE with S256");
    return metadata;
  } catch (error) {
    const failure = toFailure(error);
    // At this stage any failure means that no working provider was found, since nothing was proved or refused yet.
    throw failure.kind === "unreachable" ? failure : new SignOnFailure("unreachable", failure.message);
  }
}

/** Creates a configuration for one exchange only, because the library caches the provider's keys in it. */
function configure(settings: OidcSettings, metadata: Metadata) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  const tolerance = { [client.clockTolerance]: clockToleranceSeconds };
  const proof = chooseProof(settings.OIDC_CLIENT_SECRET, metadata);
  const config = new client.Configuration(metadata, clientId, tolerance, proof);
  config[client.customFetch] = toFetch(timeoutMs);
  config.timeout = timeoutMs / 1000;
  if (isPlain(issuer)) client.allowInsecureRequests(config);
  // Without this call, the library would rely on TLS and not verify the signatures of ID tokens.
  client.enableNonRepudiationChecks(config);
  return config;
}

function chooseProof(secret: string | undefined, metadata: Metadata): client.ClientAuth {
  if (secret === undefined) return client.None();
  const taken = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return taken.includes("client_secret_basic") ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

/** Plain HTTP is allowed only for a provider on the local machine. */
const isPlain = (issuer: string): boolean => issuer.startsWith("http:") && isLoopback(new URL(issuer).hostname);

const toFetch =
  (timeoutMs: number): client.CustomFetch =>
  (url, { method, headers, body }) =>
    askProvider(
      url,
      { headers, body: body instanceof URLSearchParams ? body.toString() : undefined, timeoutMs },
      method,
    );

/** The library's errors contain tokens and URLs, so the failure's message is written here. */
function toFailure(error: unknown): SignOnFailure {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof SignOnFailure) return at;
  if (error instanceof client.AuthorizationResponseError)
    return new SignOnFailure("refused", `the provider returned the error ${nameCode(error.error)}`);
  if (error instanceof client.ResponseBodyError)
    return new SignOnFailure("untrusted", `the code was rejected: ${nameCode(error.error)}`);
  // The message contains the library's names of the failed check and of the claim.
  const code = nameCode((error as { code?: unknown }).code);
  const details = ((error as Error).cause as Error | undefined)?.cause;
  const { claim, attribute } = (details ?? {}) as { claim?: unknown; attribute?: unknown };
  const failed = typeof claim === "string" ? claim : attribute;
  if (code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED")
    return failed === "auth_time"
      ? new SignOnFailure("stale", "the provider did not re-authenticate")
      : new SignOnFailure("clock", "the ID token is not valid at this time");
  if (code === "OAUTH_TIMEOUT") return new SignOnFailure("unreachable", "no response in time");
  return new SignOnFailure("untrusted", typeof failed === "string" ? `${code} of ${nameCode(failed)}` : code);
}

const nameCode = (code: unknown): string =>
  typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : "unknown code";
