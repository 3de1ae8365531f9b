// A stand-in for the campus platform's sign-in. Run manually, it prints its settings, and a line for each user who
// signs in:
//   node test/stand-ins/campus.ts 9091

import { randomBytes } from "node:crypto";
import { startLoopback } from "./loopback.ts";
import type { Answer, Loopback, Received } from "./loopback.ts";

export type CampusStandInOptions = {
  port?: number;
  appKey?: string;
  appSecret?: string;
  schoolCode?: string;
  redirectUri?: string;
  now?: () => number;
  onSignIn?: (cardNumber: string) => void;
};

export type CampusStandIn = Loopback & {
  appKey: string;
  appSecret: string;
  schoolCode: string;
  redirectUri: string;
  settings: Record<string, string>;
  setVisitor(cardNumber: string): void;
  addCode(wxcode: string, user?: Partial<StandInUser>): void;
};

/** A user in the platform's format; a null telephone is left out, as after a basic sign-in. */
export type StandInUser = { cardNumber: string; telephone: string | null; schoolCode: string };

type Code = { user: StandInUser; issuedAtMs: number; isUsed: boolean };

type State = Required<Omit<CampusStandInOptions, "port" | "onSignIn">> & {
  visitor: string;
  onSignIn: ((cardNumber: string) => void) | undefined;
  codes: Map<string, Code>;
  users: Map<string, { user: StandInUser; expiresAtMs: number }>;
};

const codeLifetimeMs = 300_000;
const tokenLifetimeMs = 7200_000;

class Refusal extends Error {
  readonly errcode: number;
  constructor(errcode: number, errmsg: string) {
    super(errmsg);
    this.errcode = errcode;
  }
}

/**
 * Codes `code-<card number>` always work, once each. The telephone numbers of their users begin with 100, which no
 * subscriber has.
 */
export async function startCampusStandIn(options: CampusStandInOptions = {}): Promise<CampusStandIn> {
  const { port, onSignIn, ...given } = options;
  const state: State = {
    appKey: "0A1B2C3D4E5F6071",
    appSecret: "00112233445566778899AABBCCDDEEFF",
    schoolCode: "1000000001",
    redirectUri: "https://campus.example/return",
    now: Date.now,
    ...given,
    onSignIn,
    visitor: "20260001",
    codes: new Map(),
    users: new Map(),
  };
  const { appKey, appSecret, schoolCode, redirectUri } = state;
  const addCode = (wxcode: string, user: Partial<StandInUser> = {}) =>
    void state.codes.set(wxcode, {
      user: { ...inventUser(state, "20260001"), ...user },
      issuedAtMs: state.now(),
      isUsed: false,
    });
  const server = await startLoopback((request) => answer(state, request), port);
  const setVisitor = (cardNumber: string) => void (state.visitor = cardNumber);
  const settings = {
    CAMPUS_APP_KEY: appKey,
    CAMPUS_APP_SECRET: appSecret,
    CAMPUS_SCHOOL_CODE: schoolCode,
    CAMPUS_REDIRECT_URI: redirectUri,
    CAMPUS_BASE_URL: server.url,
  };
  return { ...server, appKey, appSecret, schoolCode, redirectUri, settings, setVisitor, addCode };
}

function answer(state: State, request: Received): Answer {
  try {
    const location = sendBack(state, request);
    return location === undefined ? { body: route(state, request) } : { body: "", location };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { body: { errcode: error.errcode, errmsg: error.message } };
  }
}

function sendBack(state: State, { method, path, query }: Received): string | undefined {
  if (method !== "GET" || path !== "/connect/oauth/authorize") return undefined;
  const { app_key: appKey, ocode, response_type: type, redirect_uri: redirectUri } = query;
  if (appKey !== state.appKey) throw new Refusal(40001, "invalid app_key");
  if (ocode !== state.schoolCode || type !== "code" || redirectUri !== state.redirectUri)
    throw new Refusal(40010, "invalid ocode, response_type or redirect_uri");
  const back = new URLSearchParams({ wxcode: `visit-${randomBytes(8).toString("hex")}`, state: query["state"] ?? "" });
  const user = inventUser(state, state.visitor);
  state.codes.set(back.get("wxcode") ?? "", { user, issuedAtMs: state.now(), isUsed: false });
  return `${redirectUri}?${back.toString()}`;
}

function route(state: State, { method, path, body }: Received): object {
  const fields = typeof body === "object" && body !== null ? ({ ...body } as Record<string, unknown>) : {};
  if (method !== "POST") throw new Refusal(40010, "POST expected");
  if (path === "/connect/oauth2/token") return issueToken(state, fields);
  if (path === "/connect/oauth/get-user-info") return giveUser(state, fields);
  throw new Refusal(40010, "unknown path");
}

function issueToken(state: State, fields: Record<string, unknown>): object {
  for (const name of ["wxcode", "app_key", "app_secret", "grant_type", "redirect_uri"]) {
    if (!fields[name]) throw new Refusal(40009, `missing ${name}`);
  }
  if (fields.app_key !== state.appKey || fields.app_secret !== state.appSecret)
    throw new Refusal(40001, "invalid app_key or app_secret");
  if (fields.grant_type !== "authorization_code") throw new Refusal(40010, "invalid grant_type");
  if (fields.redirect_uri !== state.redirectUri) throw new Refusal(40010, "invalid redirect_uri");
  const user = spendCode(state, String(fields.wxcode));
  const token = randomBytes(32).toString("hex");
  state.users.set(token, { user, expiresAtMs: state.now() + tokenLifetimeMs });
  return {
    refresh_token: randomBytes(32).toString("hex"),
    access_token: token,
    token_type: "bearer",
    expires_in: tokenLifetimeMs / 1000,
    ocode: user.schoolCode,
  };
}

function spendCode(state: State, wxcode: string): StandInUser {
  const cardNumber = /^code-(.+)$/.exec(wxcode)?.[1];
  const invented = cardNumber && {
    user: inventUser(state, cardNumber),
    issuedAtMs: state.now(),
    isUsed: false,
  };
  const known = state.codes.get(wxcode) ?? invented;
  if (!known || known.isUsed || state.now() - known.issuedAtMs > codeLifetimeMs)
    throw new Refusal(40003, "invalid wxcode");
  state.codes.set(wxcode, { ...known, isUsed: true });
  return known.user;
}

function giveUser(state: State, fields: Record<string, unknown>): object {
  const found = state.users.get(String(fields.access_token));
  if (found === undefined) throw new Refusal(40005, "invalid access_token");
  if (found.expiresAtMs <= state.now()) throw new Refusal(40002, "access_token expired");
  const { cardNumber, telephone, schoolCode } = found.user;
  state.onSignIn?.(cardNumber);
  return {
    errcode: 0,
    errmsg: "success",
    ocode: schoolCode,
    card_number: cardNumber,
    ...(telephone === null ? {} : { telephone, contact_phone: "(+86)10000000000" }),
  };
}

function inventUser({ schoolCode }: State, cardNumber: string): StandInUser {
  const digits = cardNumber.replaceAll(/\D/g, "").slice(-8).padStart(8, "0");
  return { cardNumber, telephone: `(+86)100${digits}`, schoolCode };
}

if (import.meta.main) {
  const { url, appKey, appSecret, schoolCode, redirectUri } = await startCampusStandIn({
    port: Number(process.argv[2] ?? 9091),
    onSignIn: (cardNumber) => console.log(`signed in: ${cardNumber}`),
  });
  console.log(
    `CAMPUS_BASE_URL=${url} CAMPUS_APP_KEY=${appKey} CAMPUS_APP_SECRET=${appSecret} ` +
      `CAMPUS_SCHOOL_CODE=${schoolCode} CAMPUS_REDIRECT_URI=${redirectUri}`,
  );
}
