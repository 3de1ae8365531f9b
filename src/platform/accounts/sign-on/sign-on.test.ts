import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { warnOfNoPassword } from "#platform/accounts/login.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { type Answer, startTestApp, type TestApp, testPassword } from "#test/app.ts";
import { postByHost } from "#test/call.ts";
import { respond, startCasStandIn } from "#test/stand-ins/cas.ts";
import {
  type Lies,
  signByPublicKey,
  signByStranger,
  signByUnknown,
  signNothing,
  startOidcStandIn,
} from "#test/stand-ins/oidc.ts";

const oidc = await startOidcStandIn();
const cas = await startCasStandIn();
const PUBLIC_URL = "http://127.0.0.1:9";
const settings = { PUBLIC_URL, ...oidc.settings, ...cas.settings, OUTSIDE_TIMEOUT_MS: "20000" };
const app = await startTestApp({ services: ["reporting"], settings });
const beside = (more: Record<string, string>) =>
  startTestApp({ services: ["reporting"], settings: { ...settings, ...more }, beside: app });
/**
 * The calls from this server to the providers time out early. The server is only for calls that are meant to fail,
 * since a busy machine may answer others too late.
 */
const impatient = await beside({ OUTSIDE_TIMEOUT_MS: "400" });
const operator = await app.signIn("platform", { userName: "head" });
afterEach(() => {
  oidc.lies = {};
  cas.lie = undefined;
});

type Kind = "oidc" | "cas";

interface Begun {
  readonly address: string;
  readonly cookie: string;
}

async function begin(provider: Kind, { at = app, service = "platform" } = {}): Promise<Begun> {
  const answer = await at.call("POST", "/platform/sign-on/begin", { body: { provider, service } });
  assert.equal(answer.json.code, "0", answer.text);
  const cookie = answer.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^sign_on=[\w-]{43}; Max-Age=600; Path=\/platform\/sign-on\/; HttpOnly; SameSite=Lax$/);
  return { address: answer.json.data.address, cookie: cookie.split(";")[0] ?? "" };
}

const finish = (query: string, { cookie }: Pick<Begun, "cookie">, at: TestApp = app): Promise<Answer> =>
  at.call("POST", "/platform/sign-on/finish", { body: { query }, headers: cookie === "" ? {} : { cookie } });

const visit = (provider: Kind, address: string, who: string) =>
  provider === "oidc" ? oidc.visit(address, who) : cas.visit(address, who);

async function signOn(provider: Kind, who: string, options: Parameters<typeof begin>[1] = {}): Promise<Answer> {
  const begun = await begin(provider, options);
  return finish(await visit(provider, begun.address, who), begun, options.at);
}

const makeAccount = async (service: string, userName: string, isSuper = service === "platform"): Promise<number> =>
  insertAccount(app.pool, {
    service,
    userName,
    name: "",
    passwordHash: await hashPassword(testPassword),
    isSuper,
    enabled: true,
  });

const save = async (body: object, token?: string) =>
  (await app.call("POST", "/platform/sign-on/identity/save", { body, token })).json;
async function list(provider: Kind, identity: string, service: string, userName: string): Promise<string> {
  const { code, data, message } = await save({ provider, identity, service, userName }, operator.token);
  assert.equal(code, "0", message);
  return data;
}
const remove = async (ids: unknown[], token = operator.token) =>
  (await app.call("DELETE", "/platform/sign-on/identity/delete", { body: ids, token })).json;

await makeAccount("reporting", "li-of-reporting");
await makeAccount("platform", "zhang-operator");
await list("oidc", "li", "reporting", "li-of-reporting");
await list("cas", "zhang", "platform", "zhang-operator");

const lastLine = async () => {
  const [line] = await app.pool<{ userName: string; outcome: string; detail: Record<string, unknown> }[]>`
    select user_name as "userName", outcome, detail from platform.audit where action = 'finishSignOn' order by id desc limit 1`;
  return line;
};

for (const [provider, who, service, userName] of [
  ["oidc", "li", "reporting", "li-of-reporting"],
  ["cas", "zhang", "platform", "zhang-operator"],
] as const)
  test(`${provider}: a listed identity opens its account, whose session is the usual one`, async () => {
    const { json, headers } = await signOn(provider, who);
    assert.deepEqual([json.code, json.data.service, json.data.userName], ["0", service, userName]);
    assert.equal(headers.get("admin_token"), json.data.token);
    assert.match(headers.get("set-cookie") ?? "", /^sign_on=; Max-Age=0; Path=\/platform\/sign-on\/;/);
    const own = await app.call("GET", "/platform/session/own", { token: json.data.token });
    assert.equal(own.json.data.userName, userName);
    assert.match(json.data.endAddress, new RegExp(`/logout\\?.*${encodeURIComponent(`${PUBLIC_URL}/console/`)}`));
    const line = await lastLine();
    assert.deepEqual([line?.outcome, line?.detail["identity"]], ["done", who]);
    const logs = JSON.stringify(app.logged);
    assert.equal(logs.includes(json.data.token), false);
  });

test("an identity that opens no account is refused, and nobody is made", async () => {
  const [before] = await app.pool`select count(*) from platform.account`;
  for (const provider of ["oidc", "cas"] as const) {
    const { json, status } = await signOn(provider, "wang");
    assert.deepEqual([status, json.code], [403, "10008"]);
    assert.match(json.message, /尚未开通账号/);
    const line = await lastLine();
    assert.deepEqual([line?.userName, line?.outcome], ["wang", "refused"]);
  }
  const [after] = await app.pool`select count(*) from platform.account`;
  assert.deepEqual(after, before);
});

test("what one issuer says of an identity is nothing of another's: CAS does not open what OpenID Connect does", async () => {
  assert.equal((await signOn("cas", "li")).json.code, "10008");
});

test("a disabled account is not opened, nor one whose identity is taken away; its sessions end", async () => {
  await makeAccount("reporting", "wang-1");
  const id = await list("oidc", "wang", "reporting", "wang-1");
  const first = await signOn("oidc", "wang");
  assert.equal(first.json.code, "0");
  await app.pool`update platform.account set enabled = false where user_name = 'wang-1'`;
  assert.equal((await signOn("oidc", "wang")).json.code, "10008");
  await app.pool`update platform.account set enabled = true where user_name = 'wang-1'`;
  assert.equal((await remove([Number(id)])).data, "1");
  const { token } = first.json.data;
  assert.equal((await app.call("GET", "/platform/session/own", { token })).json.code, "10006");
  assert.equal((await signOn("oidc", "wang")).json.code, "10008");
});

test("of several accounts the one that is meant is opened; where none is, the question goes back", async () => {
  await makeAccount("reporting", "zhang-of-reporting");
  const id = await list("cas", "zhang", "reporting", "zhang-of-reporting");
  const opened = await signOn("cas", "zhang", { service: "reporting" });
  assert.equal(opened.json.data.userName, "zhang-of-reporting");
  for (const service of ["tuition-payment", ""]) {
    const { json } = await signOn("cas", "zhang", { service });
    assert.deepEqual([json.code, json.data], ["20014", { provider: "cas", accounts: ["platform", "reporting"] }]);
  }
  await remove([Number(id)]);
});

test("an attempt belongs to the browser that began it, and is finished once", async () => {
  for (const [provider, who] of [
    ["oidc", "li"],
    ["cas", "zhang"],
  ] as const) {
    const [mine, other] = [await begin(provider), await begin(provider)];
    const query = await visit(provider, mine.address, who);
    const refused = { no: { cookie: "" }, anothers: other, made: { cookie: `sign_on=${"A".repeat(43)}` } };
    for (const [what, browser] of Object.entries(refused)) {
      const { json, status } = await finish(query, browser);
      assert.deepEqual([status, json.code], [401, "10009"], `${provider}: ${what} cookie`);
    }
    assert.equal((await finish(query, mine)).json.code, "0");
    assert.equal((await finish(query, mine)).json.code, "10009");
    const third = await begin(provider);
    assert.equal((await finish(query, third)).json.code, "10009");
  }
});

test("of two who finish one attempt at once one gets in; after ten minutes nobody does", async () => {
  const begun = await begin("oidc");
  const query = await oidc.visit(begun.address, "li");
  const codes = (await Promise.all([finish(query, begun), finish(query, begun)])).map(({ json }) => json.code);
  assert.deepEqual(codes.toSorted(), ["0", "10009"]);
  const late = await begin("oidc");
  await app.pool`update platform.sign_on set expires_at = now() - interval '1 second'`;
  assert.equal((await finish(await oidc.visit(late.address, "li"), late)).json.code, "10009");
});

test("a code replayed into another attempt of the same browser is refused, under its own state or the other's", async () => {
  const [first, second] = [await begin("oidc"), await begin("oidc")];
  const [spent, unspent] = [await oidc.visit(first.address, "li"), await oidc.visit(second.address, "li")];
  const mixed = new URLSearchParams(unspent);
  mixed.set("code", new URLSearchParams(spent).get("code") ?? "");
  const { json } = await finish(mixed.toString(), second);
  assert.equal(json.code, "10009");
  assert.equal((await lastLine())?.detail["why"], "the code was rejected: invalid_grant");
});

const seconds = () => Math.floor(Date.now() / 1000);
const lies: Readonly<Record<string, { lie: Lies; why: RegExp; says?: RegExp }>> = {
  "another nonce": { lie: { claims: (claims) => ({ ...claims, nonce: "x" }) }, why: /nonce/ },
  "no nonce": { lie: { claims: (claims) => ({ ...claims, nonce: undefined }) }, why: /nonce|INVALID_RESPONSE/ },
  "another issuer": { lie: { claims: (claims) => ({ ...claims, iss: "https://other.example" }) }, why: /iss/ },
  "another audience": { lie: { claims: (claims) => ({ ...claims, aud: "other" }) }, why: /aud/ },
  "several audiences and another's party": {
    lie: { claims: (claims) => ({ ...claims, aud: ["quintet", "other"], azp: "other" }) },
    why: /azp|CLAIM/,
  },
  "no subject": { lie: { claims: (claims) => ({ ...claims, sub: undefined }) }, why: /OAUTH_INVALID_RESPONSE|sub/ },
  "a subject that cannot be seen": {
    lie: { claims: (claims) => ({ ...claims, sub: "li\u200b" }) },
    why: /no valid sub/,
  },
  "alg none": { lie: { sign: signNothing }, why: /OAUTH_/ },
  "HS256 by the public key": { lie: { sign: signByPublicKey }, why: /OAUTH_/ },
  "another key of the same name": { lie: { sign: signByStranger }, why: /OAUTH_/ },
  "a clock five minutes behind": {
    lie: { claims: (claims) => ({ ...claims, iat: seconds() - 600, exp: seconds() - 300 }) },
    why: /not valid at this time/,
    says: /时钟/,
  },
  "a clock five minutes ahead": {
    lie: { claims: (claims) => ({ ...claims, iat: seconds() + 300, exp: seconds() + 600 }) },
    why: /future/,
    says: /时钟/,
  },
};

for (const [what, { lie, why, says = /校验失败/ }] of Object.entries(lies))
  test(`an ID token is refused: ${what}`, async () => {
    oidc.lies = lie;
    const { status, json } = await signOn("oidc", "li");
    assert.deepEqual([status, json.code], [401, "10009"]);
    assert.match(json.message, says);
    assert.match(String((await lastLine())?.detail["why"]), why);
  });

test("who signs on right after the provider changed its keys gets in; keys that it does not show prove nothing", async () => {
  assert.equal((await signOn("oidc", "li")).json.code, "0");
  oidc.rotateKeys();
  assert.equal((await signOn("oidc", "li")).json.code, "0");
  oidc.lies = { sign: signByUnknown };
  assert.equal((await signOn("oidc", "li")).json.code, "10009");
  oidc.lies = {};
  assert.equal((await signOn("oidc", "li")).json.code, "0");
});

test("the provider's own refusal is told as one, and its words are not repeated", async () => {
  const begun = await begin("oidc");
  const state = new URL(begun.address).searchParams.get("state") ?? "";
  const query = new URLSearchParams({ error: "access_denied", error_description: "<b>gone</b>", state });
  const { json, text } = await finish(query.toString(), begun);
  assert.equal(json.code, "10009");
  assert.match(json.message, /拒绝了/);
  assert.equal(text.includes("gone"), false);
});

const huge = JSON.stringify({ filling: "x".repeat(300 * 1024) });
for (const [what, answer] of Object.entries({ down: "down", silent: "silent", huge, garbage: "<html>", empty: "{}" }))
  test(`a provider that is ${what} fails the call and nothing else: a password still opens`, async () => {
    const begun = await begin("oidc");
    const query = await oidc.visit(begun.address, "li");
    oidc.lies = { paths: { "/token": answer, "/.well-known/openid-configuration": answer } };
    const { json, status } = await finish(query, begun, what === "silent" ? impatient : app);
    assert.deepEqual([status, json.code], what === "garbage" || what === "empty" ? [401, "10009"] : [502, "20004"]);
    const body = { provider: "oidc", service: "platform" };
    const fresh = await impatient.call("POST", "/platform/sign-on/begin", { body });
    assert.deepEqual([fresh.status, fresh.json.code], [502, "20004"]);
    const login = await app.call("POST", "/platform/login", { body: { userName: "head", password: testPassword } });
    assert.equal(login.json.code, "0");
  });

const bomb = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
const user = (inside: string) => respond(`<cas:authenticationSuccess>${inside}</cas:authenticationSuccess>`);
const casLies: Readonly<Record<string, { lie: string; code: string }>> = {
  "an entity bomb": { lie: `${bomb}${user("<cas:user>&b;</cas:user>")}`, code: "20004" },
  "an outside entity": {
    lie: `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>${user("<cas:user>&x;</cas:user>")}`,
    code: "20004",
  },
  "no XML": { lie: "yes\nzhang\n", code: "20004" },
  "two users": { lie: user("<cas:user>zhang</cas:user><cas:user>li</cas:user>"), code: "20004" },
  "a success and a failure": {
    lie: respond(
      `<cas:authenticationFailure code="X"/><cas:authenticationSuccess><cas:user>zhang</cas:user></cas:authenticationSuccess>`,
    ),
    code: "20004",
  },
  "another namespace": { lie: user("<cas:user>zhang</cas:user>").replace("yale", "example"), code: "20004" },
  "a comment in the user": { lie: user("<cas:user>zh<!-- -->ang-x</cas:user>"), code: "10008" },
  nobody: { lie: user("<cas:user> </cas:user>"), code: "10009" },
  "too deep": { lie: user(`${"<a>".repeat(30_000)}${"</a>".repeat(30_000)}`), code: "20004" },
  huge: { lie: user(`<cas:user>${"z".repeat(300 * 1024)}</cas:user>`), code: "20004" },
  silence: { lie: "silent", code: "20004" },
};

for (const [what, { lie, code }] of Object.entries(casLies))
  test(`CAS: an answer is refused: ${what}`, async () => {
    cas.lie = lie;
    const at = lie === "silent" ? impatient : app;
    assert.equal((await signOn("cas", "zhang", { at })).json.code, code);
  });

test("CAS: a ticket for another service, of another state, or of another kind is refused", async () => {
  const [mine, other] = [await begin("cas"), await begin("cas")];
  const [query, others] = [await cas.visit(mine.address, "zhang"), await cas.visit(other.address, "zhang")];
  const mixed = new URLSearchParams(query);
  mixed.set("ticket", new URLSearchParams(others).get("ticket") ?? "");
  assert.equal((await finish(mixed.toString(), mine)).json.code, "10009");
  assert.equal((await lastLine())?.detail["why"], "the ticket was rejected: INVALID_SERVICE");
  for (const ticket of ["", "PT-1-abc", "ST-1-abc&service=x", "ST-<x>"]) {
    const begun = await begin("cas");
    const state = new URL(new URL(begun.address).searchParams.get("service") ?? "").searchParams.get("state") ?? "";
    assert.equal((await finish(new URLSearchParams({ state, ticket }).toString(), begun)).json.code, "10009", ticket);
  }
});

test("where it must be fresh, the provider is asked anew, and a proof that is missing, old or remembered is refused", async () => {
  const fresh = await beside({ SIGN_ON_FRESH_MINUTES: "30" });
  const { address } = await begin("oidc", { at: fresh });
  assert.equal(new URL(address).searchParams.get("max_age"), "1800");
  const now = () => Math.floor(Date.now() / 1000);
  const signOnProved = async (auth_time: number | undefined, at = fresh) => {
    oidc.lies = { claims: (claims) => ({ ...claims, auth_time }) };
    return (await signOn("oidc", "li", { at })).json;
  };
  assert.equal((await signOnProved(now() - 29 * 60)).code, "0");
  const stale = await signOnProved(now() - 32 * 60);
  assert.deepEqual([stale.code, /未重新验证身份/.test(stale.message)], ["10009", true]);
  assert.equal((await lastLine())?.detail["why"], "the provider did not re-authenticate");
  assert.equal((await signOnProved(undefined)).code, "10009");
  for (const auth_time of [undefined, 1]) assert.equal((await signOnProved(auth_time, app)).code, "0");
  // CAS cannot be asked for the age of a sign-on, so the platform makes CAS ask for the password every time.
  assert.equal((await signOn("cas", "zhang", { at: fresh })).json.code, "0");
  const begun = await begin("cas", { at: fresh });
  const remembered = begun.address.replace("&renew=true", "");
  assert.notEqual(remembered, begun.address);
  assert.equal((await finish(await cas.visit(remembered, "zhang"), begun, fresh)).json.code, "10009");
});

test("identities are listed by operators alone, once each, for accounts that there are and that they manage", async () => {
  const body = { provider: "oidc", identity: "li", service: "reporting", userName: "li-of-reporting" };
  const administrator = await app.signIn("reporting");
  const narrow = await app.signIn("platform", { services: ["attendance"] });
  for (const [by, change, code] of [
    [undefined, {}, "10012"],
    [administrator, {}, "10008"],
    [operator, {}, "10004"],
    [operator, { userName: "nobody" }, "10005"],
    [operator, { userName: "head" }, "10005"],
    [operator, { identity: "x".repeat(256) }, "10026"],
    [narrow, { identity: "narrow" }, "10008"],
    [narrow, { identity: "narrow", service: "platform", userName: "head" }, "10008"],
  ] as const)
    assert.equal((await save({ ...body, ...change }, by?.token)).code, code, JSON.stringify(change));
  const query = { identity: "LI", service: "reporting" };
  const list = ({ token }: typeof operator) =>
    app.call("GET", "/platform/sign-on/identity/list", { query, token }).then(({ json }) => json.data);
  assert.equal((await list(narrow)).totalCount, 0, "of another service");
  const {
    totalCount,
    list: [row],
  } = await list(operator);
  assert.deepEqual(
    [totalCount, row.identity, row.userName, row.inUse, row.changeable],
    [1, "li", "li-of-reporting", true, true],
  );
  assert.match(row.lastUseTime, /^\d{4}-/);
  assert.equal((await remove([row.id], narrow.token)).code, "10008");
});

test("where no provider is set nobody signs on; where few have passwords, those who are listed do", async () => {
  await makeAccount("platform", "staff-li");
  await makeAccount("reporting", "staff-zhang");
  await list("oidc", "staff-li", "platform", "staff-li");
  await list("cas", "staff-zhang", "reporting", "staff-zhang");
  const claims = { OIDC_CLAIM: "staff_number", CAS_ATTRIBUTE: "employeeNumber" };
  const named = await beside({ ...claims, PASSWORD_LOGIN_ONLY: "Head, another" });
  assert.equal((await signOn("oidc", "li", { at: named })).json.data.userName, "staff-li");
  assert.equal((await signOn("cas", "zhang", { at: named })).json.data.userName, "staff-zhang");
  const login = (userName: string, path = "/platform/login") =>
    named.call("POST", path, { body: { userName, password: testPassword } });
  assert.equal((await login("head")).json.code, "0");
  const refused = await login("staff-li");
  assert.deepEqual([refused.status, refused.json.code], [403, "10008"]);
  assert.match(refused.json.message, /统一身份认证/);
  assert.equal((await login("staff-zhang", "/reporting/user/login")).json.code, "10008");
  const wrong = { body: { userName: "staff-li", password: "wrong" } };
  assert.equal((await named.call("POST", "/platform/login", wrong)).json.code, "10009");
  const health = await named.call("GET", "/platform/health", { token: operator.token });
  const part = health.json.data.parts.find(({ name }: { name: string }) => name === "sign-on");
  assert.deepEqual(named.server.warnings, []);
  assert.match(
    (await warnOfNoPassword(app.pool, { PASSWORD_LOGIN_ONLY: ["staff-zhang", "nobody"] })).join(),
    /nobody can sign in/,
  );
  assert.deepEqual([part.state, part.figures], ["ok", { oidcReached: true, casReached: true }]);
});

test("a browser is sent back to our own console alone, whatever the call says", async () => {
  for (const [provider, parameter] of [
    ["oidc", "redirect_uri"],
    ["cas", "service"],
  ] as const) {
    const body = { provider, service: "platform" };
    const { data } = await postByHost(app.url, "evil.example", "/platform/sign-on/begin", { body });
    const back = new URL(new URL(data.address).searchParams.get(parameter) ?? "");
    assert.equal(back.origin + back.pathname, `${PUBLIC_URL}/console/sign-on`);
  }
  const beginAt = (service: unknown) => {
    const body = { provider: "oidc", service, returnTo: "https://evil.example/" };
    return app.call("POST", "/platform/sign-on/begin", { body });
  };
  assert.equal((await beginAt("platform")).text.includes("evil.example"), false);
  for (const service of ["nothing", 7]) assert.equal((await beginAt(service)).json.code, "10001");
});

for (const [SECOND_FACTOR, before] of [
  ["console", ["console", "danger"]],
  ["all", ["documented", "console", "danger"]],
] as const)
  test(`SECOND_FACTOR=${SECOND_FACTOR}: a session by the campus may do what one by password may, until a factor is shown`, async () => {
    const at = await beside({ SECOND_FACTOR });
    const userName = `asked-${SECOND_FACTOR}`;
    await makeAccount("reporting", userName, true);
    await list("oidc", userName, "reporting", userName);
    const signOnWithFactor = async (): Promise<string> => {
      const begun = await begin("oidc", { at, service: "reporting" });
      oidc.lies = { claims: (claims) => ({ ...claims, sub: userName, amr: ["pwd", "otp", "mfa", "hwk"] }) };
      const { json, text } = await finish(await visit("oidc", begun.address, "li"), begun, at);
      assert.equal(json.code, "0", text);
      return json.data.token;
    };
    const body = { userName, password: testPassword, secondFactor: "later" };
    const byPassword = (await at.call("POST", "/reporting/user/login", { body })).json.data.token;
    const listClosed = async (token: string): Promise<string[]> => {
      const calls = {
        documented: ["GET", "/reporting/informationReporting/list"],
        console: ["GET", "/platform/factor/holders?service=reporting"],
        enrolling: ["GET", "/platform/factor/own"],
        danger: ["POST", "/reporting/user/add"],
      } as const;
      const codes = await Promise.all(
        Object.entries(calls).map(async ([kind, [method, path]]) => {
          const { json } = await at.call(method, path, { token, ...(method === "POST" && { body: {} }) });
          return json.code === "20011" ? [kind] : [];
        }),
      );
      return codes.flat();
    };
    const stateOf = async (token: string): Promise<string> =>
      (await at.call("GET", "/platform/session/own", { token })).json.data.secondFactor;

    const token = await signOnWithFactor();
    assert.equal((await lastLine())?.detail["factors"], "pwd,otp,mfa,hwk");
    assert.deepEqual([await stateOf(token), await listClosed(token)], ["enrol", before]);
    assert.deepEqual(await listClosed(byPassword), before);
    const begun = await at.call("POST", "/platform/factor/totp/begin", { token, body: { name: "phone" } });
    const code = new TOTP({ secret: Secret.fromBase32(begun.json.data.secret) }).generate();
    const { json } = await at.call("POST", "/platform/factor/totp/confirm", { token, body: { code } });
    assert.deepEqual(await listClosed(token), []);

    const next = await signOnWithFactor();
    assert.deepEqual([await stateOf(next), await listClosed(next)], ["show", before]);
    const shown = { code: json.data.recoveryCodes[0] };
    assert.equal((await at.call("POST", "/platform/factor/show/code", { token: next, body: shown })).json.code, "0");
    assert.deepEqual([await stateOf(next), await listClosed(next)], ["shown", []]);
  });
