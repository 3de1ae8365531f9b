import { OutboundFailure, request, type WholeRequest } from "#platform/outbound/request.ts";

export type ProviderKind = "oidc" | "cas";

export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnAddress: string;
}

export interface Person {
  readonly identity: string;
  /** The authentication methods that the provider reports, in the terms of RFC 8176; empty if unknown. */
  readonly factors: readonly string[];
  readonly name?: string | undefined;
  /** The unparsed value of the claim that SIGN_ON_ROLES names. */
  readonly roles?: unknown;
}

export interface SignOnProvider {
  readonly kind: ProviderKind;
  /** Identities are unique per issuer: the same identity at another issuer is another person. */
  readonly issuer: string;
  begin(attempt: Attempt): Promise<string>;
  /**
   * @param query the query of the URL to which the provider returned
   * @throws {SignOnFailure}
   */
  finish(attempt: Attempt, query: URLSearchParams): Promise<Person>;
  findEnd(returnAddress: string): Promise<string | null>;
  reach(): Promise<void>;
}

/**
 * `unreachable`: no provider works at that address; `refused`: the provider rejected the sign-on; `untrusted`: the
 * response proves nothing; `clock`: the clocks differ; `stale`: the user authenticated too long ago.
 */
type FailureKind = "unreachable" | "refused" | "untrusted" | "clock" | "stale";

/** The message contains only our own words and error codes, so it can be logged. */
export class SignOnFailure extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const mostLength = 255;

const isLegible = (text: unknown): text is string =>
  typeof text === "string" && text.trim() !== "" && text.length <= mostLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);

export const readName = (value: unknown): string | undefined => (isLegible(value) ? value : undefined);

/**
 * Returns the identity as text.
 * @throws {SignOnFailure} untrusted if it is missing or not legible
 */
export function readIdentity(value: unknown, from: string): string {
  const text = typeof value === "number" ? String(value) : value;
  if (isLegible(text)) return text;
  throw new SignOnFailure("untrusted", `the response contains no valid ${from}`);
}

// The largest real answer, the keys of a provider with many certificates, has about 30 KiB.
const mostBytes = 256 * 1024;

/** @throws {SignOnFailure} unreachable if there is no complete answer */
export async function askProvider(
  url: string,
  asked: Pick<WholeRequest, "headers" | "body" | "timeoutMs">,
  method = "GET",
): Promise<Response> {
  const place = { whom: "sign-on", url: new URL(url), method: method === "GET" ? method : "POST", mostBytes } as const;
  try {
    const { status, headers, body } = await request({ ...asked, ...place });
    const given = { status, headers: { "content-type": headers["content-type"] ?? "" } };
    return new Response(body.length === 0 ? null : new Uint8Array(body), given);
  } catch (error) {
    throw error instanceof OutboundFailure ? new SignOnFailure("unreachable", error.message) : error;
  }
}
