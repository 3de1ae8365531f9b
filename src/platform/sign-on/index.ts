import { openCas } from "./cas.ts";
import { openOidc } from "./oidc.ts";
import type { ProviderKind, SignOnProvider } from "./provider.ts";
import type { SignOnSettings } from "./settings.ts";

export { type Role, type SignOnSettings, chooseRoles, readRoleClaim } from "./settings.ts";
export { type Attempt, type Person, type ProviderKind, SignOnFailure, type SignOnProvider } from "./provider.ts";

interface SignOnOffer {
  readonly signOns: readonly ProviderKind[];
  /** few: of operators alone whom a setting names. */
  readonly passwords: "all" | "few";
}

/** What the console offers to whoever is to sign in; undefined: nothing but passwords. */
export function describeSignOn({ OIDC_ISSUER, CAS_URL, PASSWORD_LOGIN_ONLY }: SignOnSettings): SignOnOffer | undefined {
  const kinds: ProviderKind[] = [];
  if (OIDC_ISSUER !== undefined) kinds.push("oidc");
  if (CAS_URL !== undefined) kinds.push("cas");
  if (kinds.length === 0) return undefined;
  return { signOns: kinds, passwords: PASSWORD_LOGIN_ONLY.length > 0 ? "few" : "all" };
}

export function openSignOns(settings: SignOnSettings & { readonly OUTSIDE_TIMEOUT_MS: number }): SignOnProvider[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, CAS_URL: url } = settings;
  const { SIGN_ON_FRESH_MINUTES: freshMinutes, OIDC_SCOPE: scope, OIDC_CLAIM: claim } = settings;
  const shared = { roleClaim: settings.SIGN_ON_ROLES?.claim, timeoutMs: settings.OUTSIDE_TIMEOUT_MS };
  const providers: SignOnProvider[] = [];
  if (issuer !== undefined && clientId !== undefined)
    providers.push(openOidc({ ...shared, issuer, clientId, clientSecret, scope, claim, freshMinutes }));
  if (url !== undefined)
    providers.push(openCas({ ...shared, url, attribute: settings.CAS_ATTRIBUTE, asksAnew: freshMinutes > 0 }));
  return providers;
}
