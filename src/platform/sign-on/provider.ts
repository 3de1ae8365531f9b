import { OutboundFailure, request, type WholeRequest } from "#platform/outbound/request.ts";

export type ProviderKind = "oidc" | "cas";

/** The secrets of a sign-on attempt, from start to finish. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The return URL, without a query. */
  readonly returnAddress: string;
}

export interface Person {
  readonly identity: string;
  /** Authentication methods by RFC 8176; empty if unknown. */
  readonly factors: readonly string[];
  /** The display name, if known. */
  readonly name?: string | undefined;
  /** The claim named by SIGN_ON_ROLES, unparsed. */
  readonly roles?: unknown;
}

export interface SignOnProvider {
  readonly kind: ProviderKind;
  /** The issuer of the identities; equal identities of another issuer are other people. */
  readonly issuer: string;
  /** Returns the provider's sign-on URL. @throws {SignOnFailure} */
  begin(attempt: Attempt): Promise<string>;
  /** Identifies the returning user. @param query of the return URL @throws {SignOnFailure} */
  finish(attempt: Attempt, query: URLSearchParams): Promise<Person>;
  /** The provider's sign-out URL, if it has one. */
  findEnd(returnAddress: string): Promise<string | null>;
  reach(): Promise<void>;
}

/**
 * unreachable: no working provider. refused: rejected by the provider. untrusted: the response proves nothing. clock:
 * the clocks differ. stale: authenticated too long ago.
 */
type FailureKind = "unreachable" | "refused" | "untrusted" | "clock" | "stale";

/** The sign-on failed; the message is our own and safe to log. */
export class SignOnFailure extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const mostLength = 255;

/** A non-blank text without control characters, within the stored length. */
const isLegible = (text: unknown): text is string =>
  typeof text === "string" && text.trim() !== "" && text.length <= mostLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);

/** A display name, if legible. */
export const readName = (value: unknown): string | undefined => (isLegible(value) ? value : undefined);

/** An identity. @throws {SignOnFailure} untrusted if illegible. */
export function readIdentity(value: unknown, from: string): string {
  const text = typeof value === "number" ? String(value) : value;
  if (isLegible(text)) return text;
  throw new SignOnFailure("untrusted", `the answer has no usable ${from}`);
}

// The largest real answer, the keys of a provider with many certificates, has some 30 KiB.
const mostBytes = 256 * 1024;

/** Sends a request to a provider and reads the whole answer. @throws {SignOnFailure} unreachable. */
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
