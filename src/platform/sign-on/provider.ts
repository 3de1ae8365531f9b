import { OutboundFailure, request, type WholeRequest } from "#platform/outbound/request.ts";

export type ProviderKind = "oidc" | "cas";

/** What an attempt to sign on carries from its beginning to its end, none of it known to anybody else. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the browser comes back to: without a query. */
  readonly returnAddress: string;
}

export interface Person {
  readonly identity: string;
  /** How they have proved it, as RFC 8176 names it; none where the campus does not tell. */
  readonly factors: readonly string[];
  /** What they are called, where the campus tells. */
  readonly name?: string | undefined;
  /** What stands in the claim that SIGN_ON_ROLES names, as the provider has it; undefined where there is none. */
  readonly roles?: unknown;
}

export interface SignOnProvider {
  readonly kind: ProviderKind;
  /** Who answers for the identities: those of another issuer are other people's. */
  readonly issuer: string;
  /** Where the browser goes to sign on. @throws {SignOnFailure} */
  begin(attempt: Attempt): Promise<string>;
  /** Who has come back. @param query what the browser brought along @throws {SignOnFailure} */
  finish(attempt: Attempt, query: URLSearchParams): Promise<Person>;
  /** Where the browser goes to end what the campus remembers, and comes back from; null where there is no such place. */
  findEnd(returnAddress: string): Promise<string | null>;
  reach(): Promise<void>;
}

/**
 * unreachable: nobody answers as a provider would. refused: the provider itself does not let somebody in. untrusted: what
 * came back proves nothing. clock: it would, were the two clocks alike. stale: it was proved too long ago.
 */
type FailureKind = "unreachable" | "refused" | "untrusted" | "clock" | "stale";

/** Signing on came to nothing; the message is of our own words, and may be logged. */
export class SignOnFailure extends Error {
  readonly kind: FailureKind;
  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const mostLength = 255;

/** A text that a person can read, and that is no longer than it is kept. */
const isLegible = (text: unknown): text is string =>
  typeof text === "string" && text.trim() !== "" && text.length <= mostLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);

/** What somebody is called, out of what a provider says; undefined for what is no name. */
export const readName = (value: unknown): string | undefined => (isLegible(value) ? value : undefined);

/** Who somebody is, out of what a provider says. @throws {SignOnFailure} untrusted for what names nobody. */
export function readIdentity(value: unknown, from: string): string {
  const text = typeof value === "number" ? String(value) : value;
  if (isLegible(text)) return text;
  throw new SignOnFailure("untrusted", `the answer names nobody in ${from}`);
}

// The largest genuine answer, the keys of a provider with many certificates, has some 30 KiB.
const mostBytes = 256 * 1024;

/** Asks a provider; an answer is read to its end before it is given. @throws {SignOnFailure} unreachable. */
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
