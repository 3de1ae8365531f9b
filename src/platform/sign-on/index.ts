import { openCas } from "./cas.ts";
import { openOidc } from "./oidc.ts";
import { openProviderDoor } from "./outside.ts";
import type { ProviderKind, SignOnProvider } from "./provider.ts";
import { loadClientSecret, type SignOnSettings } from "./settings.ts";

export { chooseRoles, readRoleClaim, type Role } from "./roles.ts";
export type { SignOnSettings } from "./settings.ts";
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

/** The providers that are configured. @throws {Error} of one line for a file of OIDC_CLIENT_SECRET_FILE that has no secret */
export function openSignOns(settings: Needed): SignOnProvider[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, CAS_URL: url, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  const ask = openProviderDoor(timeoutMs);
  const { OIDC_SCOPE: scope, OIDC_CLAIM: claim, CAS_ATTRIBUTE: attribute } = settings;
  const freshMinutes = settings.SIGN_ON_FRESH_MINUTES;
  const [clientSecret, roleClaim] = [loadClientSecret(settings), settings.SIGN_ON_ROLES?.claim];
  const byOidc = issuer !== undefined && clientId !== undefined;
  return [
    ...(byOidc
      ? [openOidc({ issuer, clientId, clientSecret, scope, claim, roleClaim, freshMinutes, ask, timeoutMs })]
      : []),
    ...(url === undefined ? [] : [openCas({ url, attribute, roleClaim, asksAnew: freshMinutes > 0, ask })]),
  ];
}
