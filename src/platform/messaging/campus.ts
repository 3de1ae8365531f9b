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
  /** The address may have a path: private deployments use `/kong`. */
  baseUrl: string;
  /** The limit for each request. Signing in takes two requests, each of which may be retried once. */
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
  // The user's own number is `telephone`; the field `contact_phone` contains somebody else's.
  telephone: z.string().max(64).nullish(),
});

const meanings: Record<number, [Kind, reason: string]> = {
  [-1]: [unavailable, "the system is busy"],
  40001: [misconfigured, "the application key or secret is wrong"],
  40002: [refused, "the user's token has expired"],
  40003: [badCode, "the code is unknown, already used or expired"],
  40005: [refused, "the user's token is invalid"],
  40007: [refused, "the user has no card"],
  40008: [misconfigured, "the application lacks the permission for this call"],
  40018: [misconfigured, "the school has not enabled the application"],
};

export const createCampusClient = (options: CampusOptions) => ({
  /** @param wxcode can be used once, within five minutes */
  async exchangeCode(wxcode: string): Promise<CampusUser> {
    checkCode("campus", wxcode);
    const { appKey: app_key, appSecret: app_secret, redirectUri: redirect_uri } = options;
    const body = { wxcode, app_key, app_secret, grant_type: "authorization_code", redirect_uri };
    const token = await retryOnce(isBusy, () => post(options, "/connect/oauth2/token", body, tokenAnswer));
    if (token.ocode !== undefined) checkSchool(options, token.ocode);
    const user = await requestUserOfSpentCode(options, token.access_token);
    checkSchool(options, user.ocode);
    // The prefix of Chinese numbers, "(+86)" or "(86)", is removed; numbers of other countries keep their prefix.
    const phone = user.telephone?.trim().replace(/^\(\+?86\)\s*/, "") || null;
    return { cardNumber: user.card_number, phone };
  },
});

export type CampusSignIn = ReturnType<typeof toCampusSignIn>;

/**
 * Returns the addresses of the campus platform's sign-in pages: `phone` works inside its app, `desk` shows a QR code.
 * Both send the user back to the redirect address with a `wxcode`. The caller may add a `state`.
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

/**
 * The code is already consumed, so the user cannot repeat the sign-in with it. A transient failure is therefore retried
 * once, and a second one is final.
 */
async function requestUserOfSpentCode(options: CampusOptions, accessToken: string) {
  try {
    return await retryOnce(
      (error) => error.retryable,
      () => post(options, "/connect/oauth/get-user-info", { access_token: accessToken }, userAnswer),
    );
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    const { kind, status, errcode } = error;
    throw fail("the user data could not be read, and the code can no longer be used", {
      kind,
      retryable: false,
      status,
      errcode,
    });
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
      const [kind, reason] = meanings[errcode] ?? [refused, "the call was rejected"];
      return fail(reason, { ...kind, errcode });
    },
  });

/** An application may serve several schools, at each of which a card number belongs to a different person. */
function checkSchool({ schoolCode }: CampusOptions, ocode: string): void {
  if (ocode !== schoolCode) throw fail("the user belongs to another school", refused);
}

const fail = (reason: string, facts: Omit<OutsideFacts, "service">): OutsideError =>
  new OutsideError(reason, { ...facts, service: "campus" });
