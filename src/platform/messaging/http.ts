import { z } from "zod";
import { OutboundFailure, request, type WholeAnswer } from "#platform/outbound/request.ts";
import { OutsideError } from "./outside-error.ts";
import type { OutsideService } from "./outside-error.ts";

/** The largest genuine answer is below 4 KiB; more means that something else answered. */
const mostAnswerBytes = 64 * 1024;

export type OutsideRequest<Answer> = {
  service: OutsideService;
  url: URL;
  /** Sent as a JSON POST; without it the request is a GET. */
  body?: object | undefined;
  /** For the whole exchange, the body of the answer included. */
  timeoutMs: number;
  answer: z.ZodType<Answer>;
  /** What a non-zero errcode means for this call. */
  toError: (errcode: number, errmsg: string) => OutsideError;
};

const outcome = z.object({
  // Some private deployments send the number as text.
  errcode: z
    .union([
      z.number().int(),
      z
        .string()
        .regex(/^-?\d+$/)
        .transform(Number),
    ])
    .default(0),
  errmsg: z.string().catch(""),
});

/**
 * Sends one request and checks the answer. Nothing is retried here.
 * @throws OutsideError for everything that is not a 2xx answer of the expected shape without an errcode.
 */
export async function requestJson<Answer>(asked: OutsideRequest<Answer>): Promise<Answer> {
  const { status, headers, body } = await exchange(asked);
  const json = parseJson(body.toString());
  const said = outcome.safeParse(json);
  if (said.success && said.data.errcode !== 0) throw asked.toError(said.data.errcode, said.data.errmsg);
  // The platforms answer 200 even on failure, so any other status without an errcode comes from a machine in between.
  if (status < 200 || status > 299)
    throw unavailable(asked, "an answer from something in between", {
      status,
      retryAfterMs: readRetryAfter(headers["retry-after"]),
    });
  const parsed = asked.answer.safeParse(json);
  if (!parsed.success) throw unavailable(asked, "an answer that is not of the protocol");
  return parsed.data;
}

async function exchange(asked: OutsideRequest<unknown>): Promise<WholeAnswer> {
  const { service: whom, url, body, timeoutMs } = asked;
  const json = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } as const;
  const sent = body === undefined ? ({ method: "GET" } as const) : json;
  try {
    return await request({ whom, url, timeoutMs, mostBytes: mostAnswerBytes, ...sent });
  } catch (error) {
    throw error instanceof OutboundFailure ? unavailable(asked, error.message) : error;
  }
}

/** Only the form in seconds: the date form needs clocks that agree, and neither platform is known to send it. */
const readRetryAfter = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;

/** JSON sometimes arrives as text/plain, so the content type is not looked at. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unavailable(
  { service }: { service: OutsideService },
  reason: string,
  more: { status?: number; retryAfterMs?: number | undefined } = {},
): OutsideError {
  return new OutsideError(reason, { service, kind: "unavailable", retryable: true, ...more });
}
