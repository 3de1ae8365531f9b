import { readFileSync } from "node:fs";
import * as z from "zod";
import { isLoopback } from "#platform/contract/networks.ts";
import {
  commaList,
  outsideAddress,
  requireWholeGroups,
  secret,
  wholeNumber,
} from "#platform/contract/setting-types.ts";
import { claimPattern, readRoleClaim, type RoleClaim } from "./roles.ts";

const safeAddress = outsideAddress
  .refine(isSafe, { error: "must be https, but for this machine" })
  .transform((address) => address.replace(/\/+$/, ""))
  .optional();

// Who listens on the way could otherwise sign in as anybody.
function isSafe(address: string): boolean {
  const url = URL.parse(address);
  return url === null || url.protocol === "https:" || isLoopback(url.hostname);
}

const scope = z
  .string()
  .regex(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, {
    error: "must begin with openid, with blanks between, such as openid profile",
  })
  .default("openid profile");

const claimName = z.string().regex(claimPattern, { error: "must be the name of a claim, such as sub" });

const roleClaim = (services: readonly string[]) =>
  z.string().transform((text, context): RoleClaim | undefined => {
    try {
      return readRoleClaim(text, services);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return undefined;
    }
  });

/** What is the whole of an issuer's address: a slash at its end is part of it. */
const issuer = outsideAddress.refine(isSafe, { error: "must be https, but for this machine" }).optional();

/** The settings of this folder, to be spread into the platform's; `services` are those that roles may name. */
export const signOnSettings = (services: readonly string[]) => ({
  OIDC_ISSUER: issuer.describe(
    "Issuer of the campus sign-on by OpenID Connect, exactly as it names itself; /.well-known/openid-configuration is found below it",
  ),
  OIDC_CLIENT_ID: z.string().min(1).max(255).optional().describe("Client identifier at OIDC_ISSUER"),
  OIDC_CLIENT_SECRET: secret(
    "Client secret at OIDC_ISSUER; left out, this is a public client, which proves itself by PKCE",
  ),
  OIDC_CLIENT_SECRET_FILE: z.string().optional().describe("File that holds OIDC_CLIENT_SECRET, in its place"),
  OIDC_SCOPE: scope.describe("Scopes that are asked for at OIDC_ISSUER"),
  OIDC_CLAIM: claimName
    .default("sub")
    .describe("Claim that says who somebody is; one that people can change themselves must not be it"),
  CAS_URL: safeAddress.describe(
    "Base address of the campus sign-on by CAS 3, below which are /login and /p3/serviceValidate",
  ),
  CAS_ATTRIBUTE: claimName.optional().describe("Attribute of CAS that says who somebody is; left out, its user"),
  SIGN_ON_FRESH_MINUTES: wholeNumber(0, 43_200, 0).describe(
    "Minutes for which it counts at a sign-on that somebody has proved to the campus who they are; then it has to ask them again (max_age of OpenID Connect; CAS asks at every sign-on). 0: it lets in whomever it remembers",
  ),
  SIGN_ON_ROLES: roleClaim(services)
    .optional()
    .describe(
      "Accounts that signing on makes and keeps up out of a claim (OpenID Connect) or attribute (CAS), such as groups: it-ops = platform/super; clerk = library/administrator/library.read+library.export; left out, it makes none",
    ),
  PASSWORD_LOGIN_ONLY: commaList.describe(
    "User names of the operators who alone may log in with a password, separated by commas, where there is a campus sign-on; left out, everybody may",
  ),
});

export type SignOnSettings = z.output<z.ZodObject<ReturnType<typeof signOnSettings>>>;

/** The client's secret; undefined for a public client. @throws {Error} of one line for a file that has none */
export function loadClientSecret({
  OIDC_CLIENT_SECRET: text,
  OIDC_CLIENT_SECRET_FILE: file,
}: Pick<SignOnSettings, "OIDC_CLIENT_SECRET" | "OIDC_CLIENT_SECRET_FILE">): string | undefined {
  if (text !== undefined || file === undefined) return text;
  const kept = readSecret(file).trim();
  if (kept === "") throw new Error("OIDC_CLIENT_SECRET_FILE holds nothing");
  return kept;
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new Error(`OIDC_CLIENT_SECRET_FILE cannot be read (${code})`, { cause: error });
  }
}

/** For Zod's `superRefine`. */
export function checkSignOnSettings(settings: SignOnSettings, context: z.RefinementCtx): void {
  const { OIDC_ISSUER, OIDC_CLIENT_SECRET, OIDC_CLIENT_SECRET_FILE, PASSWORD_LOGIN_ONLY, SIGN_ON_ROLES } = settings;
  const refuse = (name: string, message: string): void =>
    context.addIssue({ code: "custom", path: [name], message, input: undefined });
  const hasSignOn = OIDC_ISSUER !== undefined || settings.CAS_URL !== undefined;
  requireWholeGroups(settings, [{ all: ["OIDC_ISSUER", "OIDC_CLIENT_ID"] }], context);
  const secrets = Object.entries({ OIDC_CLIENT_SECRET, OIDC_CLIENT_SECRET_FILE }).filter(
    ([, text]) => text !== undefined,
  );
  if (secrets.length > 1) refuse("OIDC_CLIENT_SECRET_FILE", "must not stand beside OIDC_CLIENT_SECRET");
  if (secrets[0] && OIDC_ISSUER === undefined) refuse("OIDC_ISSUER", `is needed beside ${secrets[0][0]}`);
  if (SIGN_ON_ROLES && !hasSignOn) refuse("SIGN_ON_ROLES", "needs OIDC_ISSUER or CAS_URL, which say what somebody is");
  if (PASSWORD_LOGIN_ONLY.length > 0 && !hasSignOn)
    refuse("PASSWORD_LOGIN_ONLY", "needs OIDC_ISSUER or CAS_URL: nobody else could sign in");
}
