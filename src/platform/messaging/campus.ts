import { z } from "zod";
import { joinUrl } from "#platform/outbound/request.ts";
import {
  badCode,
  callOutside,
  checkCode,
  misconfigured,
  isBusy,
  type Kind,
  OutsideError,
  type OutsideFacts,
  refused,
  retryOnce,
  unavailable,
} from "./outside-call.ts";

export type CampusOptions = {
  appKey: string;
  appSecret: string;
  schoolCode: string;
  redirectUri: string;
  /** The address may include a path prefix: private deployments use `/kong`. */
  baseUrl: string;
  /** The limit applies to each request; a call makes two, each retried once if useful. */
  timeoutMs: number;
};

export type CampusUser = {
  cardNumber: string;
  phone: string | null;
};

export type CampusClient = ReturnType<typeof createCampusClient>;

const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4096),
  ocode: z.coerce.string().optional(),
});
const userAnswer = z.object({
  ocode: z.union([z.string(), z.number()]).transform(String),
  card_number: z.union([z.string().min(1).max(64), z.number().int()]).transform(String),
  // The field contact_phone belongs to somebody else.
  telephone: z.string().max(64).nullish(),
});

const meanings: Record<number, [Kind, reason: string]> = {
  [-1]: [unavailable, "the system is busy"],
  40001: [misconfigured, "the application key or secret is wrong"],
  40002: [refused, "the user's token has expired"],
  40003: [badCode, "the code is unknown, used or expired"],
  40005: [refused, "the user's token is invalid"],
  40007: [refused, "the user has no card"],
  40008: [misconfigured, "the application lacks the permission for this call"],
  40018: [misconfigured, "the school has not enabled the application"],
};

export const createCampusClient = (options: CampusOptions) => ({
  /** A `wxcode` is single-use and valid for five minutes. */
  async exchangeCode(wxcode: string): Promise<CampusUser> {
    checkCode("campus", wxcode);
    const { appKey: app_key, appSecret: app_secret, redirectUri: redirect_uri } = options;
    const body = { wxcode, app_key, app_secret, grant_type: "authorization_code", redirect_uri };
    const token = await retryOnce(isBusy, () => post(options, "/connect/oauth2/token", body, tokenAnswer));
    if (token.ocode !== undefined) checkSchool(options, token.ocode);
    const user = await requestUserOfSpentCode(options, token.access_token);
    checkSchool(options, user.ocode);
    // The prefix (+86) is stripped; numbers of other countries keep theirs.
    const phone = user.telephone?.trim().replace(/^\(\+?86\)\s*/, "") || null;
    return { cardNumber: user.card_number, phone };
  },
});

export type CampusSignIn = ReturnType<typeof toCampusSignIn>;

/**
 * Both pages return with a `wxcode`: `phone` inside the messaging platform, `desk` with a QR code. The caller may add a
 * `state`.
 */
export function toCampusSignIn(options: Pick<CampusOptions, "appKey" | "schoolCode" | "redirectUri" | "baseUrl">) {
  const asked = {
    app_key: options.appKey,
    response_type: "code",
    scope: "snsapi_base",
    ocode: options.schoolCode,
    redirect_uri: options.redirectUri,
  };
  const toPage = (path: string, more: Record<string, string> = {}) =>
    `${joinUrl(options.baseUrl, path).href}?${new URLSearchParams({ ...asked, ...more }).toString()}`;
  return {
    phone: toPage("/connect/oauth/authorize"),
    desk: toPage("/connect/oauth/pc-authorize", { connect: "curLogin" }),
  };
}

/** The code is already consumed, so a transient failure is retried immediately and a second one is final. */
async function requestUserOfSpentCode(options: CampusOptions, accessToken: string) {
  try {
    return await retryOnce(
      (error) => error.retryable,
      () => post(options, "/connect/oauth/get-user-info", { access_token: accessToken }, userAnswer),
    );
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    const { kind, status, errcode } = error;
    throw fail("the user data could not be read and the code is consumed", { kind, retryable: false, status, errcode });
  }
}

const post = <Answer>(
  { baseUrl, timeoutMs }: CampusOptions,
  path: string,
  body: object,
  answer: z.ZodType<Answer>,
): Promise<Answer> =>
  callOutside({
    service: "campus",
    url: joinUrl(baseUrl, path),
    body,
    timeoutMs,
    answer,
    toError(errcode) {
      const [kind, reason] = meanings[errcode] ?? [refused, "the call was refused"];
      return fail(reason, { ...kind, errcode });
    },
  });

/** An application may serve several schools, where a card number denotes a different person. */
function checkSchool({ schoolCode }: CampusOptions, ocode: string): void {
  if (ocode !== schoolCode) throw fail("the user belongs to another school", refused);
}

const fail = (reason: string, facts: Omit<OutsideFacts, "service">): OutsideError =>
  new OutsideError(reason, { ...facts, service: "campus" });
