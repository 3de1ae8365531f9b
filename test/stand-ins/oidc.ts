import { createHmac, createPublicKey } from "node:crypto";
import type { ServerResponse } from "node:http";
import { after } from "node:test";
import { makeSigningKey, openDemoProvider, type SigningKey, signRs256 } from "#demo/oidc-provider.ts";

// The demonstration's provider, which tests have fail and lie.

type Claims = Record<string, unknown>;

/** What is wrong with ID tokens, or what a path answers with. */
export interface Lies {
  claims?: ((claims: Claims) => Claims) | undefined;
  sign?: ((claims: Claims, key: SigningKey) => string) | undefined;
  /** By path, a body; "down" closes connections, "silent" answers never. */
  paths?: Readonly<Record<string, string>> | undefined;
}

export interface OidcStandIn {
  readonly issuer: string;
  readonly settings: Record<string, string>;
  lies: Lies;
  rotateKeys(): void;
  countOf(path: string): number;
  /** Signs on where a browser was sent: the query that it comes back with. */
  visit(address: string, sub: string): Promise<string>;
  close(): Promise<void>;
}

const clientId = "quintet";
// With letters that the header has to have encoded.
const clientSecret = "a secret: 100%";

export async function startOidcStandIn(): Promise<OidcStandIn> {
  const asked: string[] = [];
  const onRequest = (path: string, response: ServerResponse): boolean => {
    asked.push(path);
    const fault = standIn.lies.paths?.[path];
    if (fault === undefined) return false;
    if (fault === "down") response.destroy();
    else if (fault !== "silent") response.setHeader("content-type", "application/json").end(fault);
    return true;
  };
  const provider = await openDemoProvider({
    people: ["li", "zhang", "wang"].map((sub) => ({ sub, name: `Person ${sub}` })),
    clientId,
    clientSecret,
    onRequest,
    shapeClaims: (claims) => standIn.lies.claims?.(claims) ?? claims,
    signToken: (claims, key) => (standIn.lies.sign ?? signRs256)(claims, key),
  });
  const { issuer } = provider;
  const settings = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  const standIn: OidcStandIn = {
    ...provider,
    settings,
    lies: {},
    countOf: (path) => asked.filter((one) => one === path).length,
    visit: (address, sub) => follow(`${address}&person=${sub}`),
  };
  after(() => provider.close());
  return standIn;
}

/** The query that a provider's redirect leads back with. */
export async function follow(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`no way back: ${answer.status} ${await answer.text()}`);
  return new URL(location).search.slice(1);
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** No signature at all. */
export const signNothing = (claims: Claims): string => `${encode({ alg: "none" })}.${encode(claims)}.`;

/** The public key, which everybody has, as if it were a shared secret. */
export function signByPublicKey(claims: Claims, { kid, publicJwk }: SigningKey): string {
  const pem = createPublicKey({ key: publicJwk, format: "jwk" }).export({ format: "pem", type: "spki" });
  const signed = `${encode({ alg: "HS256", kid })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
}

const stranger = makeSigningKey();

/** A key that the provider does not show, under the name of one that it does. */
export const signByStranger = (claims: Claims, { kid }: SigningKey): string => signRs256(claims, { ...stranger, kid });

/** A key that the provider does not show, under its own name. */
export const signByUnknown = (claims: Claims): string => signRs256(claims, stranger);
