import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, type webcrypto } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { openLocalServer, sendBack, sendChoice } from "./local-server.ts";

export interface DemoPerson {
  readonly sub: string;
  readonly name: string;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: webcrypto.JsonWebKey & { readonly kid: string };
}

type Claims = Record<string, unknown>;

export interface DemoProviderOptions {
  readonly people: readonly DemoPerson[];
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly port?: number;
  readonly shapeClaims?: (claims: Claims) => Claims;
  readonly signToken?: (claims: Claims, key: SigningKey) => string;
  readonly onRequest?: (path: string, response: ServerResponse) => boolean;
}

export interface DemoProvider {
  readonly issuer: string;
  rotateKeys(): void;
  close(): Promise<void>;
}

interface Grant {
  readonly person: DemoPerson;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string | null;
}

const tokenSeconds = 300;

export function makeSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const kid = randomBytes(6).toString("hex");
  return { kid, privateKey, publicJwk: { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

export function signRs256(claims: Claims, { kid, privateKey }: SigningKey): string {
  const signed = `${encode({ alg: "RS256", typ: "JWT", kid })}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
}

export async function openDemoProvider(options: DemoProviderOptions): Promise<DemoProvider> {
  const provider = new Provider(options);
  const { url, close } = await openLocalServer((request, response) => {
    provider.answer(request, response).catch(() => response.writeHead(400).end("invalid request"));
  }, options.port);
  provider.issuer = url;
  return { issuer: url, rotateKeys: () => provider.rotateKeys(), close };
}

class Provider {
  issuer = "";
  readonly #options: DemoProviderOptions;
  #key = makeSigningKey();
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, DemoPerson>();

  constructor(options: DemoProviderOptions) {
    this.#options = options;
  }

  rotateKeys(): void {
    this.#key = makeSigningKey();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", this.issuer);
    if (this.#options.onRequest?.(pathname, response)) return;
    if (pathname === "/.well-known/openid-configuration") return sendJson(response, this.#describe());
    if (pathname === "/jwks") return sendJson(response, { keys: [this.#key.publicJwk] });
    if (pathname === "/authorize") return this.#authorize(query, response);
    if (pathname === "/token") return this.#exchange(request, response);
    if (pathname === "/userinfo") return this.#tellPerson(request, response);
    if (pathname === "/logout") return sendBack(response, query.get("post_logout_redirect_uri"));
    response.writeHead(404).end();
  }

  #describe(): object {
    const issuer = this.issuer;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/logout`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const given = (name: string): string => query.get(name) ?? "";
    const isRight =
      given("client_id") === this.#options.clientId &&
      given("response_type") === "code" &&
      given("code_challenge_method") === "S256";
    if (!isRight) return void response.writeHead(400).end("not an OpenID Connect request");
    const person = this.#options.people.find(({ sub }) => sub === query.get("person"));
    if (!person)
      return sendChoice(response, {
        protocol: { zh: "统一身份认证", en: "Campus sign-on" },
        kept: query,
        name: "person",
        people: this.#options.people.map(({ sub, name }) => ({ value: sub, label: name })),
      });
    const code = randomBytes(16).toString("base64url");
    const redirectUri = given("redirect_uri");
    this.#grants.set(code, { person, challenge: given("code_challenge"), redirectUri, nonce: query.get("nonce") });
    const back = new URLSearchParams({ code, state: given("state") });
    sendBack(response, `${redirectUri}?${back.toString()}`);
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    if (!this.#isClient(request, form)) return sendJson(response, { error: "invalid_client" }, 401);
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri"))
      return sendJson(response, { error: "invalid_grant" }, 400);
    const accessToken = randomBytes(16).toString("base64url");
    this.#tokens.set(accessToken, grant.person);
    const idToken = this.#makeToken(grant);
    sendJson(response, {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: tokenSeconds,
      id_token: idToken,
    });
  }

  #isClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    const { clientId, clientSecret } = this.#options;
    if (clientSecret === undefined) return form.get("client_id") === clientId;
    const [, basic = ""] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
    const parts = Buffer.from(basic, "base64").toString().split(":").map(decodeForm);
    return parts.length === 2 && parts[0] === clientId && parts[1] === clientSecret;
  }

  #makeToken({ person, nonce }: Grant): string {
    const { shapeClaims, signToken = signRs256, clientId } = this.#options;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: clientId,
      ...person,
      nonce,
      iat: now,
      auth_time: now,
      exp: now + tokenSeconds,
      amr: ["pwd"],
    };
    return signToken(shapeClaims ? shapeClaims(claims) : claims, this.#key);
  }

  #tellPerson({ headers }: IncomingMessage, response: ServerResponse): void {
    const person = this.#tokens.get(headers.authorization?.replace(/^Bearer /, "") ?? "");
    if (person) sendJson(response, { ...person, staff_number: `staff-${person.sub}` });
    else sendJson(response, { error: "invalid_token" }, 401);
  }
}

/** The credentials in the header are form-encoded (RFC 6749, section 2.3.1). */
const decodeForm = (part: string): string => new URLSearchParams(`x=${part}`).get("x") ?? "";

const sendJson = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
