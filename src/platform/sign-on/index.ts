import { openCas } from "./cas.ts";
import { openOidc } from "./oidc.ts";
import type { ProviderKind, SignOnProvider } from "./provider.ts";
import type { ProviderSettings, SignOnSettings } from "./settings.ts";

export { type Role, type SignOnSettings, chooseRoles, readRoleClaim } from "./settings.ts";
export { type Attempt, type Person, type ProviderKind, SignOnFailure, type SignOnProvider } from "./provider.ts";

interface SignOnOffer {
  readonly signOns: readonly ProviderKind[];
  readonly passwords: "all" | "few";
}

export function describeSignOn({ OIDC_ISSUER, CAS_URL, PASSWORD_LOGIN_ONLY }: SignOnSettings): SignOnOffer | undefined {
  const kinds: ProviderKind[] = [];
  if (OIDC_ISSUER !== undefined) kinds.push("oidc");
  if (CAS_URL !== undefined) kinds.push("cas");
  if (kinds.length === 0) return undefined;
  return { signOns: kinds, passwords: PASSWORD_LOGIN_ONLY.length > 0 ? "few" : "all" };
}

export function openSignOns(settings: ProviderSettings): SignOnProvider[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, CAS_URL } = settings;
  const providers: SignOnProvider[] = [];
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID !== undefined)
    providers.push(openOidc({ ...settings, OIDC_ISSUER, OIDC_CLIENT_ID }));
  if (CAS_URL !== undefined) providers.push(openCas({ ...settings, CAS_URL }));
  return providers;
}
