import * as z from "zod";
import { isLoopback } from "#platform/contract/networks.ts";
import { listDuties, listRights, type Rights, toStoredRights } from "#platform/contract/rights.ts";
import {
  commaList,
  outsideAddress,
  requireWholeGroups,
  secret,
  wholeNumber,
} from "#platform/contract/setting-types.ts";

// Over plain HTTP, anybody on the network path could sign in as any user.
const safeAddress = outsideAddress.refine(
  (address) => {
    const url = URL.parse(address);
    return url === null || url.protocol === "https:" || isLoopback(url.hostname);
  },
  { error: "must use https, unless the host is this machine" },
);

const scope = z
  .string()
  .regex(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, {
    error: "must be scopes separated by spaces, starting with openid, such as openid profile",
  })
  .default("openid profile");

const claimPattern = /^[\w.:/-]{1,100}$/;

const claimName = z.string().regex(claimPattern, { error: "must be the name of a claim, such as sub" });

export const signOnSettings = (services: readonly string[]) => ({
  // The issuer's text is not normalised, because a trailing slash is part of it.
  OIDC_ISSUER: safeAddress
    .optional()
    .describe(
      "OpenID Connect issuer of the campus sign-on, exactly as in its metadata at <issuer>/.well-known/openid-configuration",
    ),
  OIDC_CLIENT_ID: z.string().min(1).max(255).optional().describe("Client id registered with OIDC_ISSUER"),
  OIDC_CLIENT_SECRET: secret(
    "Client secret registered with OIDC_ISSUER; if not set, Quintet is a public client with PKCE",
  ),
  OIDC_SCOPE: scope.describe("Scopes requested from OIDC_ISSUER"),
  OIDC_CLAIM: claimName
    .default("sub")
    .describe("Claim that identifies a person; people must not be able to change its value themselves"),
  CAS_URL: safeAddress
    .transform((address) => address.replace(/\/+$/, ""))
    .optional()
    .describe("Base address of the CAS 3 server for the campus sign-on, without /login and /p3/serviceValidate"),
  CAS_ATTRIBUTE: claimName.optional().describe("CAS attribute that identifies a person; default: the CAS user name"),
  SIGN_ON_FRESH_MINUTES: wholeNumber(0, 43_200, 0).describe(
    "Maximum age of a campus authentication at sign-on, in minutes (OpenID Connect max_age; CAS authenticates every time). 0: no maximum",
  ),
  SIGN_ON_ROLES: z
    .string()
    .transform((text, context): RoleClaim | undefined => {
      try {
        return readRoleClaim(text, services);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as Error).message });
        return undefined;
      }
    })
    .optional()
    .describe(
      "Accounts to create and update at sign-on, by the values of a claim (OpenID Connect) or attribute (CAS), such as groups: it-ops = platform/super; clerk = library/administrator/library.read+library.export",
    ),
  PASSWORD_LOGIN_ONLY: commaList.describe(
    "Operators who may log in with a password despite the campus sign-on, separated by commas; all other accounts must use the campus sign-on. If not set, passwords work for all accounts",
  ),
});

export type SignOnSettings = z.output<z.ZodObject<ReturnType<typeof signOnSettings>>>;

export type ProviderSettings = SignOnSettings & { readonly OUTSIDE_TIMEOUT_MS: number };

export function checkSignOnSettings(
  settings: SignOnSettings & { readonly PUBLIC_URL?: string | undefined; readonly SEPARATE_DUTIES?: "0" | "1" },
  context: z.RefinementCtx,
): void {
  const { OIDC_ISSUER, OIDC_CLIENT_SECRET, PASSWORD_LOGIN_ONLY, SIGN_ON_ROLES } = settings;
  const refuse = (name: string, message: string): void =>
    context.addIssue({ code: "custom", path: [name], message, input: undefined });
  const hasSignOn = OIDC_ISSUER !== undefined || settings.CAS_URL !== undefined;
  // PUBLIC_URL is required, because otherwise a request's Host header would determine where the code or ticket is sent.
  const beside = ["PUBLIC_URL"] as const;
  const groups = [
    { all: ["OIDC_ISSUER", "OIDC_CLIENT_ID"], beside },
    { all: ["CAS_URL"], beside },
  ] as const;
  requireWholeGroups(settings, groups, context);
  if (OIDC_CLIENT_SECRET !== undefined && OIDC_ISSUER === undefined)
    refuse("OIDC_ISSUER", "is required with OIDC_CLIENT_SECRET");
  if (SIGN_ON_ROLES && !hasSignOn) refuse("SIGN_ON_ROLES", "requires OIDC_ISSUER or CAS_URL");
  if (
    settings.SEPARATE_DUTIES === "1" &&
    SIGN_ON_ROLES?.roles.some(({ rights }) => listDuties(rights ?? []).length > 1)
  )
    refuse("SIGN_ON_ROLES", "must not grant rights of more than one duty with SEPARATE_DUTIES");
  if (PASSWORD_LOGIN_ONLY.length > 0 && !hasSignOn)
    refuse("PASSWORD_LOGIN_ONLY", "requires OIDC_ISSUER or CAS_URL, since other accounts could not sign in otherwise");
}

// The setting maps values of a claim to roles: `groups: it-ops = platform/super; clerk =
// library/administrator/library.read+library.export`.

export interface Role {
  readonly service: string;
  readonly isSuper: boolean;
  readonly rights: Rights;
}

export interface RoleClaim {
  readonly claim: string;
  readonly roles: readonly (Role & { readonly value: string })[];
  toString(): string;
}

const mostValueLength = 255;
const mostRoles = 200;

/** @throws {Error} with a message that begins with "must" or with the faulty role in quotes */
export function readRoleClaim(text: string, services: readonly string[]): RoleClaim {
  const [, claim = "", list = ""] = /^\s*([^\s;=]+):\s+(.*)$/s.exec(text) ?? [];
  if (!claimPattern.test(claim))
    throw new Error(
      "must start with the name of a claim, a colon and a space, such as groups: it-ops = platform/super",
    );
  const parts = list.split(";").filter((part) => part.trim() !== "");
  if (parts.length === 0 || parts.length > mostRoles)
    throw new Error(`must contain 1 to ${mostRoles} values of ${claim}`);
  return { claim, roles: parts.map((part) => readRole(part.trim(), services)), toString: () => text };
}

function readRole(part: string, services: readonly string[]): RoleClaim["roles"][number] {
  // The last "=" separates the value from the role, because directory names contain "=" themselves.
  const [, value = "", service = "", role = "", rights] =
    /^(.*?)\s*=\s*([^\s/=]+)\/([^\s/=]+)(?:\/([^\s/=]*))?$/s.exec(part) ?? [];
  const refuse = (why: string): Error => new Error(`"${part.slice(0, 80)}" ${why}`);
  if (value === "" || value.length > mostValueLength)
    throw refuse("must be <value> = <service>/<super or administrator>, optionally followed by /<right>+<right>");
  const places = ["platform", ...services];
  if (!places.includes(service)) throw refuse(`must contain one of ${places.join(", ")}`);
  const isSuper = role === "super";
  if (!isSuper && (role !== "administrator" || service === "platform"))
    throw refuse(service === "platform" ? "must be platform/super for operators" : "must be super or administrator");
  if (rights === undefined) return { value, service, isSuper, rights: null };
  const [own, given] = [service === "platform" ? places : [service], rights.split("+")];
  const known = listRights(own);
  if (!given.every((right) => known.includes(right)))
    throw refuse(`must contain only rights out of ${known.join(", ")}`);
  return { value, service, isSuper, rights: toStoredRights(own, given) };
}

/**
 * Returns at most one role per service: the first in the setting that matches. An operator gets only the role at
 * "platform", because an operator's name must be unique. Claim values other than texts and lists of texts are ignored.
 */
export function chooseRoles({ roles }: Pick<RoleClaim, "roles">, values: unknown): Role[] {
  const given = new Set([values].flat());
  const chosen = new Map<string, Role>();
  for (const { value, ...role } of roles)
    if (given.has(value) && !chosen.has(role.service)) chosen.set(role.service, role);
  const operator = chosen.get("platform");
  return operator ? [operator] : [...chosen.values()];
}
