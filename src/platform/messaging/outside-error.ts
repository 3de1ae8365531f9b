export type OutsideService = "wechat" | "campus";

/**
 * - `unavailable`: no usable answer (network, time-out, busy, an answer that is not the protocol's)
 * - `refused`: the platform understood and said no
 * - `quota`: a limit is used up
 * - `code-invalid`: the authorisation code is unknown, spent or expired
 */
export type OutsideProblem = "unavailable" | "refused" | "quota" | "code-invalid";

export type OutsideFacts = {
  service: OutsideService;
  kind: OutsideProblem;
  /** Whether the same call may succeed later. The caller's job decides when and how often. */
  retryable: boolean;
  /** The platform's own word on the earliest useful time, where it has one. */
  retryAfterMs?: number | undefined;
  /** HTTP status, where an answer arrived that was not 2xx. */
  status?: number | undefined;
  errcode?: number | undefined;
};

/**
 * The only error that the clients throw for what happens outside.
 * The message may be logged and stored: it is made from our own words and numbers, never from the platform's text,
 * an address, or a `cause`, because each of those can hold secrets, tokens, codes or open identifiers.
 */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
  readonly service: OutsideService;
  readonly kind: OutsideProblem;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly errcode: number | undefined;

  constructor(reason: string, facts: OutsideFacts) {
    super(`${facts.service}: ${reason}${describeNumbers(facts)}`);
    this.service = facts.service;
    this.kind = facts.kind;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.status = facts.status;
    this.errcode = facts.errcode;
  }
}

function describeNumbers({ status, errcode }: OutsideFacts): string {
  const numbers = [];
  if (errcode !== undefined) numbers.push(`errcode ${errcode}`);
  if (status !== undefined) numbers.push(`status ${status}`);
  return numbers.length === 0 ? "" : ` (${numbers.join(", ")})`;
}
