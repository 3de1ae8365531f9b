// A stand-in for WeChat's interface. Run manually, it prints its settings, and a line for each accepted subscription
// message:
//   node test/stand-ins/wechat.ts 9090

import { createHash } from "node:crypto";
import { startLoopback } from "./loopback.ts";
import type { Answer, Loopback, Received } from "./loopback.ts";
import { createTokenBook } from "./wechat-tokens.ts";
import type { TokenBook } from "./wechat-tokens.ts";

export type SentMessage = {
  openId: string;
  templateId: string;
  page: string | null;
  data: Record<string, string>;
};

export type WeChatStandInOptions = {
  port?: number;
  appId?: string;
  secret?: string;
  now?: () => number;
  templateIds?: readonly string[];
  pages?: readonly string[];
  onMessage?: (message: SentMessage) => void;
};

export type WeChatStandIn = Loopback & {
  appId: string;
  secret: string;
  messages: SentMessage[];
  tokens: TokenBook;
  openIdOf(code: string): string;
  refuseMessages(openId: string): void;
  addLoginCode(code: string, options?: { isSnapshot?: boolean }): void;
};

type Code = {
  use: "login" | "phone";
  issuedAtMs: number;
  isUsed: boolean;
  isSnapshot: boolean;
  phone: string;
};

type State = Required<Pick<WeChatStandInOptions, "appId" | "secret" | "now">> &
  Pick<WeChatStandInOptions, "templateIds" | "pages" | "onMessage"> & {
    tokens: TokenBook;
    codes: Map<string, Code>;
    refusing: Set<string>;
    messages: SentMessage[];
  };

type Operation = {
  method: "GET" | "POST";
  needs: "secret" | "token";
  run: (state: State, request: Received) => Answer;
};

class Refusal extends Error {
  readonly errcode: number;
  constructor(errcode: number, errmsg = "refused") {
    super(errmsg);
    this.errcode = errcode;
  }
}

const codeLifetimeMs = 300_000;

const operations: Record<string, Operation> = {
  "/sns/jscode2session": { method: "GET", needs: "secret", run: exchangeMiniProgramCode },
  "/sns/oauth2/access_token": { method: "GET", needs: "secret", run: exchangeWebCode },
  "/cgi-bin/stable_token": { method: "POST", needs: "secret", run: issueToken },
  "/wxa/business/getuserphonenumber": { method: "POST", needs: "token", run: givePhoneNumber },
  "/cgi-bin/message/subscribe/send": { method: "POST", needs: "token", run: takeMessage },
  "/cgi-bin/message/subscribe/bizsend": { method: "POST", needs: "token", run: takeMessage },
};

/**
 * Login codes `code-<anything>` and telephone codes `phone-<digits>` always work, once each. The openid is derived from
 * the code, and users of `code-refuses…` refuse messages.
 */
export async function startWeChatStandIn(options: WeChatStandInOptions = {}): Promise<WeChatStandIn> {
  const { port, appId = "wx00000000standin", secret = "stand-in-secret", now = Date.now, ...rest } = options;
  const tokens = createTokenBook(now);
  const state: State = {
    ...rest,
    appId,
    secret,
    now,
    tokens,
    codes: new Map(),
    refusing: new Set(),
    messages: [],
  };
  const addCode = (code: string, use: Code["use"], more: Partial<Code>) =>
    state.codes.set(code, {
      use,
      issuedAtMs: now(),
      isUsed: false,
      isSnapshot: false,
      phone: "",
      ...more,
    });
  return {
    ...(await startLoopback((request) => answer(state, request), port)),
    appId,
    secret,
    messages: state.messages,
    tokens,
    openIdOf: (code) => toOpenId(state, code),
    refuseMessages: (openId) => void state.refusing.add(openId),
    addLoginCode: (code, more = {}) => void addCode(code, "login", more),
  };
}

function answer(state: State, request: Received): Answer {
  try {
    const operation = operations[request.path];
    if (operation === undefined) throw new Refusal(40066);
    if (request.method !== operation.method) throw new Refusal(operation.method === "GET" ? 43001 : 43002);
    if (operation.method === "POST" && !isObject(request.body)) throw new Refusal(47001);
    if (operation.needs === "token") checkToken(state, request);
    else checkSecret(state, request);
    return operation.run(state, request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      body: { errcode: error.errcode, errmsg: `${error.message} rid: 00000000-00000000-00000000` },
    };
  }
}

function checkToken({ tokens }: State, { query }: Received): void {
  if (!query.access_token) throw new Refusal(41001);
  const errcode = tokens.check(query.access_token);
  if (errcode !== 0) throw new Refusal(errcode);
}

function checkSecret({ appId, secret }: State, request: Received): void {
  const {
    appid,
    secret: given,
    grant_type: grantType,
  } = request.method === "GET" ? request.query : fieldsOf(request.body);
  if (!appid) throw new Refusal(41002);
  if (appid !== appId) throw new Refusal(40013);
  if (!given) throw new Refusal(41004);
  if (given !== secret) throw new Refusal(40125);
  const expected = request.path === "/cgi-bin/stable_token" ? "client_credential" : "authorization_code";
  if (grantType !== expected) throw new Refusal(40002);
}

/** Answers without an errcode and as text/plain, as the real interface does. */
function exchangeMiniProgramCode(state: State, { query }: Received): Answer {
  spendCode(state, query.js_code, "login");
  return {
    type: "text/plain",
    body: { session_key: "c3RhbmQtaW4ta2V5LTAwMA==", openid: toOpenId(state, query.js_code) },
  };
}

function exchangeWebCode(state: State, { query }: Received): Answer {
  const { isSnapshot } = spendCode(state, query.code, "login");
  return {
    type: "text/plain",
    body: {
      access_token: "user-level-token",
      expires_in: 7200,
      refresh_token: "user-level-refresh-token",
      openid: toOpenId(state, query.code),
      scope: "snsapi_base",
      ...(isSnapshot ? { is_snapshotuser: 1 } : {}),
    },
  };
}

function issueToken({ tokens }: State, { body }: Received): Answer {
  const issued = tokens.issue(fieldsOf(body).force_refresh === true);
  if (issued === null) throw new Refusal(45009);
  return { body: { access_token: issued.value, expires_in: issued.expiresInSeconds } };
}

function givePhoneNumber(state: State, { body }: Received): Answer {
  const { phone } = spendCode(state, fieldsOf(body).code, "phone");
  const watermark = { timestamp: Math.floor(state.now() / 1000), appid: state.appId };
  const numbers = { phoneNumber: phone, purePhoneNumber: phone, countryCode: 86, watermark };
  return { body: { errcode: 0, errmsg: "ok", phone_info: numbers } };
}

function takeMessage(state: State, { body }: Received): Answer {
  const { touser, template_id: templateId, page, data } = fieldsOf(body);
  if (typeof touser !== "string" || !isOwnOpenId(state, touser)) throw new Refusal(40003);
  if (typeof templateId !== "string" || !isKnown(state.templateIds, templateId)) throw new Refusal(40037);
  if (typeof page === "string" && !isKnown(state.pages, page)) throw new Refusal(41030);
  if (state.refusing.has(touser)) throw new Refusal(43101);
  const message = {
    openId: touser,
    templateId,
    page: typeof page === "string" ? page : null,
    data: readData(data),
  };
  state.messages.push(message);
  state.onMessage?.(message);
  return { body: { errcode: 0, errmsg: "ok" } };
}

function readData(data: unknown): Record<string, string> {
  if (!isObject(data)) throw new Refusal(47003, "argument invalid! data must be an object");
  return Object.fromEntries(Object.entries(data).map(([key, field]) => [key, readValue(key, field)]));
}

function readValue(key: string, field: unknown): string {
  const value = fieldsOf(field).value;
  if (value === "" || value === undefined) throw new Refusal(47003, `argument invalid! data.${key}.value is empty`);
  if (typeof value === "string" && fitsField(key, value)) return value;
  throw new Refusal(47003, `argument invalid! data.${key}.value invalid`);
}

/**
 * WeChat's rules for template fields are written independently of the code that shapes values, so that each checks the
 * other.
 */
const patterns: Record<string, RegExp> = {
  thing: /^.{1,20}$/u,
  character_string: /^[\x20-\x7e]{1,32}$/,
  time: /^(\d{4}年\d{1,2}月\d{1,2}日 )?\d{2}:\d{2}(:\d{2})?$/,
  date: /^\d{4}年\d{1,2}月\d{1,2}日( \d{2}:\d{2}(:\d{2})?)?$/,
  phrase: /^\p{Script=Han}{1,5}$/u,
};

export function fitsField(key: string, value: string): boolean {
  return value.trim() !== "" && patterns[key.replace(/\d+$/, "")]?.test(value) === true;
}

function spendCode(state: State, code: unknown, use: Code["use"]): Code {
  if (typeof code !== "string" || code === "") throw new Refusal(41008);
  const known = state.codes.get(code) ?? inventCode(state, code);
  if (known === null || known.use !== use || state.now() - known.issuedAtMs > codeLifetimeMs) throw new Refusal(40029);
  if (known.isUsed) throw new Refusal(40163);
  state.codes.set(code, { ...known, isUsed: true });
  return known;
}

function inventCode(state: State, code: string): Code | null {
  const fresh = { issuedAtMs: state.now(), isUsed: false, isSnapshot: false };
  if (code.startsWith("code-refuses")) state.refusing.add(toOpenId(state, code));
  if (code.startsWith("code-")) return { ...fresh, use: "login", phone: "" };
  const phone = /^phone-(\d+)$/.exec(code)?.[1];
  return phone === undefined ? null : { ...fresh, use: "phone", phone };
}

/**
 * The openid has 28 characters; its last six prove that it belongs to this application, so that the stand-in recognizes
 * it after a restart.
 */
function toOpenId(state: Pick<State, "appId">, code: unknown): string {
  const body = digest(`code ${state.appId} ${String(code)}`, 21);
  return `o${body}${digest(`check ${state.appId} ${body}`, 6)}`;
}

function isOwnOpenId({ appId }: State, openId: string): boolean {
  return openId.length === 28 && openId.endsWith(digest(`check ${appId} ${openId.slice(1, 22)}`, 6));
}

function digest(content: string, length: number): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, length);
}

function isKnown(known: readonly string[] | undefined, value: string): boolean {
  return value !== "" && (known === undefined || known.includes(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

if (import.meta.main) {
  const { url, appId, secret } = await startWeChatStandIn({
    port: Number(process.argv[2] ?? 9090),
    onMessage: ({ openId, data }) => console.log(`message to ${openId}: ${JSON.stringify(data)}`),
  });
  const template =
    "WECHAT_TEMPLATE_ID=verdict WECHAT_TEMPLATE_FIELDS=phrase1=verdict,thing2=ps,thing3=entryName,time4=time";
  console.log(`export WECHAT_BASE_URL=${url} WECHAT_APP_ID=${appId} WECHAT_SECRET=${secret} ${template}`);
}
