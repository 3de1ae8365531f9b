import { createHmac, createPublicKey } from "node:crypto";
import type { ServerResponse } from "node:http";
import { after } from "node:test";
import { makeSigningKey, openDemoProvider, type SigningKey, signRs256 } from "#demo/oidc-provider.ts";

type Claims = Record<string, unknown>;

export interface Lies {
  claims?: ((claims: Claims) => Claims) | undefined;
  sign?: ((claims: Claims, key: SigningKey) => string) | undefined;
  /** Response bodies by path; "down" closes connections, "silent" never answers. */
  paths?: Readonly<Record<string, string>> | undefined;
}

export interface OidcStandIn {
  readonly issuer: string;
  readonly settings: Record<string, string>;
  lies: Lies;
  rotateKeys(): void;
  countOf(path: string): number;
  visit(address: string, sub: string): Promise<string>;
  close(): Promise<void>;
}

const clientId = "quintet";
// The client must encode some of these characters in the Authorization header.
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

export async function follow(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`no way back: ${answer.status} ${await answer.text()}`);
  return new URL(location).search.slice(1);
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

export const signNothing = (claims: Claims): string => `${encode({ alg: "none" })}.${encode(claims)}.`;

/** Attempts key confusion: the public key serves as an HMAC secret. */
export function signByPublicKey(claims: Claims, { kid, publicJwk }: SigningKey): string {
  const pem = createPublicKey({ key: publicJwk, format: "jwk" }).export({ format: "pem", type: "spki" });
  const signed = `${encode({ alg: "HS256", kid })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
}

const stranger = makeSigningKey();

export const signByStranger = (claims: Claims, { kid }: SigningKey): string => signRs256(claims, { ...stranger, kid });

export const signByUnknown = (claims: Claims): string => signRs256(claims, stranger);
