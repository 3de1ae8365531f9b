import { z } from "zod";
import { joinUrl } from "#platform/outbound/request.ts";
import { checkCode } from "./authorization-code.ts";
import { requestJson } from "./http.ts";
import { OutsideError } from "./outside-error.ts";
import type { OutsideFacts } from "./outside-error.ts";
import { isBusy, retryOnce } from "./retry.ts";

export type CampusOptions = {
  appKey: string;
  appSecret: string;
  /** Ten digits; the platform calls it `ocode`. */
  schoolCode: string;
  /** Exactly the address that the authorisation was asked with; `mnp://<appid>` for a mini program. */
  redirectUri: string;
  /** May carry a path prefix: privately deployed schools use `/kong`. */
  baseUrl?: string | undefined;
  /** For one request. A call makes two, each once more when that helps. */
  timeoutMs?: number | undefined;
};

export type CampusUser = {
  /** The number of the student or member of staff. */
  cardNumber: string;
  /** Null where the school gives no telephone numbers to this application. */
  phone: string | null;
};

export type CampusClient = {
  /** Exchanges a `wxcode`, which works once and for five minutes. */
  exchangeCode(wxcode: string): Promise<CampusUser>;
};

type Options = CampusOptions & { baseUrl: string; timeoutMs: number };

const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4096),
  ocode: z.coerce.string().optional(),
});
const userAnswer = z.object({
  ocode: z.union([z.string(), z.number()]).transform(String),
  card_number: z.union([z.string().min(1).max(64), z.number().int()]).transform(String),
  // Beside it stands contact_phone, which is somebody else's.
  telephone: z.string().max(64).nullish(),
});

type Meaning = { reason: string } & Pick<OutsideFacts, "kind" | "retryable">;

const refused = (reason: string): Meaning => ({ kind: "refused", retryable: false, reason });
/** What an operator can put right at the platform's console. */
const curable = (reason: string): Meaning => ({ kind: "refused", retryable: true, reason });

const meanings: Record<number, Meaning> = {
  [-1]: { kind: "unavailable", retryable: true, reason: "the system is busy" },
  40001: curable("the application key or secret is wrong"),
  40002: refused("the user's token has expired"),
  40003: { kind: "code-invalid", retryable: false, reason: "the code is unknown, used or expired" },
  40005: refused("the user's token is invalid"),
  40007: refused("the user has no card"),
  40008: curable("the application lacks the permission for this call"),
  40018: curable("the school has not enabled the application"),
};

const standardBaseUrl = "https://open.wecard.qq.com";

/** The campus platform's sign-in. All functions throw OutsideError. */
export function createCampusClient(given: CampusOptions): CampusClient {
  const { baseUrl = standardBaseUrl, timeoutMs = 5000 } = given;
  const options: Options = { ...given, baseUrl, timeoutMs };
  return { exchangeCode: (wxcode) => exchangeCode(options, wxcode) };
}

/** Where a person signs in, and comes back from with a `wxcode` in the query. */
export type CampusSignIn = {
  /** On a phone, inside the messaging platform. */
  phone: string;
  /** On a desk: a picture to scan. */
  desk: string;
};

/** The platform's pages for signing in; a `state`, which comes back as it is, is the caller's to add. */
export function toCampusSignIn({
  appKey,
  schoolCode,
  redirectUri,
  baseUrl = standardBaseUrl,
}: Omit<CampusOptions, "appSecret">): CampusSignIn {
  const asked = {
    app_key: appKey,
    response_type: "code",
    scope: "snsapi_base",
    ocode: schoolCode,
    redirect_uri: redirectUri,
  };
  const toPage = (path: string, more: Record<string, string> = {}) =>
    `${joinUrl(baseUrl, path).href}?${new URLSearchParams({ ...asked, ...more }).toString()}`;
  return {
    phone: toPage("/connect/oauth/authorize"),
    desk: toPage("/connect/oauth/pc-authorize", { connect: "curLogin" }),
  };
}

async function exchangeCode(options: Options, wxcode: string): Promise<CampusUser> {
  checkCode("campus", wxcode);
  const token = await retryOnce(isBusy, () => requestToken(options, wxcode));
  if (token.ocode !== undefined) checkSchool(options, token.ocode);
  const user = await requestUserOfSpentCode(options, token.access_token);
  checkSchool(options, user.ocode);
  return { cardNumber: user.card_number, phone: toPhone(user.telephone) };
}

function requestToken({ appKey, appSecret, redirectUri, baseUrl, timeoutMs }: Options, wxcode: string) {
  return requestJson({
    service: "campus",
    url: joinUrl(baseUrl, "/connect/oauth2/token"),
    body: {
      wxcode,
      app_key: appKey,
      app_secret: appSecret,
      grant_type: "authorization_code",
      redirect_uri: redirectUri,
    },
    timeoutMs,
    answer: tokenAnswer,
    toError: toCampusError,
  });
}

/**
 * The code is spent by now, so this read is the last chance: every passing failure gets the second try at once,
 * and a second failure is final, since the same code cannot be brought again.
 */
async function requestUserOfSpentCode(options: Options, accessToken: string) {
  try {
    return await retryOnce(
      (error) => error.retryable,
      () => requestUser(options, accessToken),
    );
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    const { kind, status, errcode } = error;
    throw new OutsideError("the user's data did not come, and the code is spent", {
      service: "campus",
      kind,
      retryable: false,
      status,
      errcode,
    });
  }
}

function requestUser({ baseUrl, timeoutMs }: Options, accessToken: string) {
  return requestJson({
    service: "campus",
    url: joinUrl(baseUrl, "/connect/oauth/get-user-info"),
    body: { access_token: accessToken },
    timeoutMs,
    answer: userAnswer,
    toError: toCampusError,
  });
}

/** One application may serve several schools: a card number of another one would name a different person here. */
function checkSchool({ schoolCode }: Options, ocode: string): void {
  if (ocode === schoolCode) return;
  throw new OutsideError("the user belongs to another school", {
    service: "campus",
    kind: "refused",
    retryable: false,
  });
}

/** `(+86)13800138000` to its digits; other countries' numbers keep their prefix. */
function toPhone(telephone: string | null | undefined): string | null {
  return telephone?.trim().replace(/^\(\+?86\)\s*/, "") || null;
}

function toCampusError(errcode: number): OutsideError {
  const { reason, ...facts } = meanings[errcode] ?? refused("the call was refused");
  return new OutsideError(reason, { ...facts, service: "campus", errcode });
}
