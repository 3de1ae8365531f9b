import { openCas } from "./cas.ts";
import { openOidc } from "./oidc.ts";
import { openProviderDoor, type ProviderKind, type SignOnProvider } from "./provider.ts";
import type { SignOnSettings } from "./settings.ts";

export { type Role, type SignOnSettings, chooseRoles, readRoleClaim } from "./settings.ts";
export { type Attempt, type Person, type ProviderKind, SignOnFailure, type SignOnProvider } from "./provider.ts";

type Needed = SignOnSettings & { readonly OUTSIDE_TIMEOUT_MS: number };

/** What the console offers to whoever is to sign in; undefined: nothing but passwords. */
export function describeSignOn({ OIDC_ISSUER, CAS_URL, PASSWORD_LOGIN_ONLY }: SignOnSettings): SignOnOffer | undefined {
  const kinds: ProviderKind[] = [];
  if (OIDC_ISSUER !== undefined) kinds.push("oidc");
  if (CAS_URL !== undefined) kinds.push("cas");
  if (kinds.length === 0) return undefined;
  return { signOns: kinds, passwords: PASSWORD_LOGIN_ONLY.length > 0 ? "few" : "all" };
}

export interface SignOnOffer {
  readonly signOns: readonly ProviderKind[];
  /** few: of operators alone whom a setting names. */
  readonly passwords: "all" | "few";
}

export function openSignOns(settings: Needed): SignOnProvider[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, CAS_URL: url } = settings;
  const { OUTSIDE_TIMEOUT_MS: timeoutMs, SIGN_ON_FRESH_MINUTES: freshMinutes, OIDC_SCOPE: scope } = settings;
  const shared = { roleClaim: settings.SIGN_ON_ROLES?.claim, ask: openProviderDoor(timeoutMs) };
  const providers: SignOnProvider[] = [];
  if (issuer !== undefined && clientId !== undefined) {
    const client = { issuer, clientId, clientSecret, scope, claim: settings.OIDC_CLAIM };
    providers.push(openOidc({ ...shared, ...client, freshMinutes, timeoutMs }));
  }
  if (url !== undefined)
    providers.push(openCas({ ...shared, url, attribute: settings.CAS_ATTRIBUTE, asksAnew: freshMinutes > 0 }));
  return providers;
}
