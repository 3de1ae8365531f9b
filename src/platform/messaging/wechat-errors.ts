import { OutsideError } from "./outside-error.ts";
import type { OutsideProblem } from "./outside-error.ts";

type Meaning = { kind: OutsideProblem; retryable: boolean; reason: string };

const unavailable = (reason: string): Meaning => ({ kind: "unavailable", retryable: true, reason });
const overQuota = (reason: string): Meaning => ({ kind: "quota", retryable: true, reason });
const badCode = (reason: string): Meaning => ({ kind: "code-invalid", retryable: false, reason });
const refused = (reason: string): Meaning => ({ kind: "refused", retryable: false, reason });
/** What an operator can put right at the platform's console: messages that wait are then still sent. */
const curable = (reason: string): Meaning => ({ kind: "refused", retryable: true, reason });

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Asia/Shanghai has had no summer time since 1991. */
const shanghaiOffsetMs = 8 * 60 * minuteMs;

/** What the platform answers to a token that is forged, replaced or expired; refreshed and retried once. */
export const tokenErrcodes: ReadonlySet<number | undefined> = new Set([40001, 40014, 42001]);

const meanings: Record<number, Meaning> = {
  [-1]: unavailable("the system is busy"),
  40001: unavailable("the access token is invalid or not the latest"),
  40014: unavailable("the access token is malformed"),
  42001: unavailable("the access token has expired"),
  45009: overQuota("the daily quota is used up"),
  45011: overQuota("too many calls in this minute"),
  40029: badCode("the code is unknown, expired or of another kind"),
  40163: badCode("the code has been used"),
  41008: badCode("the code is missing"),
  40003: refused("the open identifier is not of this application"),
  40037: refused("the template identifier is wrong"),
  40165: refused("the page of the linked mini program is wrong"),
  40226: refused("the user is blocked as a high risk"),
  41030: refused("the page is not in the released version"),
  43101: refused("the user refused or has no subscription left"),
  47003: refused("a value does not fit the template"),
  40013: curable("the application identifier is wrong"),
  40125: curable("the application secret is wrong"),
  40164: curable("our address is not on the application's allow-list"),
  61004: curable("our address is not on the application's allow-list"),
  48001: curable("the application lacks the permission for this call"),
};

/**
 * Says what an errcode means.
 * @param credential what the call proved itself with: 40001 speaks of the token, or else of the secret.
 * @param nowMs epoch milliseconds; the daily quota is given again at midnight in Asia/Shanghai.
 */
export function toWeChatError(
  errcode: number,
  errmsg: string,
  credential: "token" | "secret",
  nowMs: number,
): OutsideError {
  const known = errcode === 40001 && credential === "secret" ? meanings[40125] : meanings[errcode];
  const { reason, ...facts } = known ?? refused("the call was refused");
  return new OutsideError(reason + nameField(errmsg), {
    ...facts,
    service: "wechat",
    errcode,
    retryAfterMs: findRetryAfter(errcode, nowMs),
  });
}

/** Milliseconds until the next midnight in Asia/Shanghai. */
function untilShanghaiMidnight(nowMs: number): number {
  return dayMs - ((nowMs + shanghaiOffsetMs) % dayMs);
}

function findRetryAfter(errcode: number, nowMs: number): number | undefined {
  if (errcode === 45009) return untilShanghaiMidnight(nowMs);
  if (errcode === 45011) return minuteMs;
  return undefined;
}

/** With 47003, the key of the template: the one part of the platform's text that helps and holds nothing personal. */
function nameField(errmsg: string): string {
  const key = /data\.([a-z_]{1,32}\d{1,4})\.value/.exec(errmsg)?.[1];
  return key === undefined ? "" : `: ${key}`;
}
