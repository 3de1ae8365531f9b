import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { type Answer, startTestApp } from "#test/app.ts";
import { startCasStandIn } from "#test/stand-ins/cas.ts";
import { startOidcStandIn } from "#test/stand-ins/oidc.ts";

const oidc = await startOidcStandIn();
const cas = await startCasStandIn();
const SIGN_ON_ROLES =
  "memberOf: ops = platform/super; head = reporting/super; clerk = reporting/administrator/reporting.read; teller = attendance/administrator";
const settings = { PUBLIC_URL: "http://127.0.0.1:9", ...oidc.settings, ...cas.settings, OUTSIDE_TIMEOUT_MS: "20000" };
const services = ["reporting", "attendance"] as const;
const app = await startTestApp({ services: [...services], settings: { ...settings, SIGN_ON_ROLES } });
const head = await app.signIn("platform", { userName: "head" });
afterEach(() => {
  oidc.lies = {};
  cas.memberOf = [];
});

async function signOnBy(
  provider: "oidc" | "cas",
  user: string,
  { at = app, service = "reporting" } = {},
): Promise<Answer> {
  const begun = await at.call("POST", "/platform/sign-on/begin", { body: { provider, service } });
  assert.equal(begun.json.code, "0", begun.text);
  const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
  const query = await (provider === "oidc" ? oidc : cas).visit(begun.json.data.address, user);
  return at.call("POST", "/platform/sign-on/finish", { body: { query }, headers: { cookie } });
}
const byCas = (user: string) => signOnBy("cas", user);

async function signOn(sub: string, memberOf?: unknown, place: Parameters<typeof signOnBy>[2] = {}): Promise<Answer> {
  oidc.lies = {
    paths: { "/userinfo": JSON.stringify({ sub }), ...oidc.lies.paths },
    claims: (claims) => ({ ...claims, sub, name: `Name of ${sub}`, ...(memberOf !== undefined && { memberOf }) }),
  };
  return signOnBy("oidc", "li", place);
}

const findAccounts = (userName: string) => app.pool<
  { id: number; service: string; name: string; isSuper: boolean; rights: string[] | null; fromSignOn: boolean }[]
>`
  select id, service, name, super as "isSuper", rights, from_sign_on as "fromSignOn" from platform.account
  where user_name = ${userName} order by id`;

const stateOf = async (userName: string) =>
  (await findAccounts(userName)).map(({ service, isSuper, rights }) => [service, isSuper, rights]);

const isOpen = async (token: string): Promise<boolean> =>
  (await app.call("GET", "/platform/session/own", { token })).json.code === "0";

const makeByHand = (userName: string) => {
  const standard = { service: "reporting", name: "", passwordHash: null, isSuper: false, enabled: true, rights: [] };
  return insertAccount(app.pool, { ...standard, userName });
};

test("what the claim says makes an account, changes it, and takes its rights and sessions away again", async () => {
  const first = await signOn("clerk-1", ["other", "clerk"]);
  assert.deepEqual([first.json.code, first.json.data.service], ["0", "reporting"], first.text);
  const [made] = await findAccounts("clerk-1");
  assert.ok(made?.fromSignOn);
  assert.deepEqual([made.name, made.isSuper, made.rights], ["Name of clerk-1", false, ["reporting.read"]]);
  const { token } = first.json.data;
  const listReports = await app.call("GET", "/reporting/informationReporting/list", { token });
  assert.equal(listReports.json.code, "0");
  const exported = await app.call("GET", "/reporting/informationReporting/download", { token });
  assert.equal(exported.json.code, "10008");

  assert.equal((await signOn("clerk-1", "clerk")).json.code, "0");
  assert.ok(await isOpen(token));

  const raised = await signOn("clerk-1", ["clerk", "head"]);
  assert.deepEqual(await stateOf("clerk-1"), [["reporting", true, null]]);
  assert.equal(await isOpen(token), false);

  const gone = await signOn("clerk-1", []);
  assert.deepEqual([gone.status, gone.json.code], [403, "10008"]);
  assert.match(gone.json.message, /尚未开通账号/);
  assert.deepEqual(await stateOf("clerk-1"), [["reporting", false, []]]);
  assert.equal(await isOpen(raised.json.data.token), false);

  assert.equal((await signOn("clerk-1", ["clerk"])).json.code, "0");
  assert.deepEqual(await findAccounts("clerk-1"), [made]);
  const lines = await app.pool<{ roles: string; records: string[]; changes: { of: { fields: unknown[] }[] } }[]>`
    select detail ->> 'roles' as roles, records, changes from platform.audit
    where action = 'finishSignOn' and detail ? 'roles' and user_name = 'clerk-1' order by id`;
  const administrator = "reporting/administrator/reporting.read";
  const told = lines.map(({ roles }) => roles);
  assert.deepEqual(told, [administrator, "reporting/super", "", administrator]);
  const fields = JSON.stringify(lines[1]?.changes.of[0]?.fields);
  assert.match(fields, /"super"/);
  assert.deepEqual(lines[1]?.records, [String(made.id)]);
});

test("a claim that is no text and no list of them, is missing or is longer than any gives nothing", async () => {
  const texts = ["", "CLERK", "clerk ", "x".repeat(9000)];
  for (const memberOf of [undefined, null, 7, true, { clerk: true }, [["clerk"]], [7], ...texts]) {
    const { status, json } = await signOn("nobody-1", memberOf);
    assert.deepEqual([status, json.code], [403, "10008"], String(memberOf).slice(0, 40));
  }
  assert.deepEqual(await findAccounts("nobody-1"), []);
  assert.equal((await signOn("nobody-2", "clerk")).json.code, "0");
  assert.equal((await signOn("nobody-2", 7)).json.code, "10008");
  assert.deepEqual(await stateOf("nobody-2"), [["reporting", false, []]]);
  for (const sub of ["li\u200b", "x".repeat(256), "\u2800"])
    assert.notEqual((await signOn(sub, "head")).json.code, "0", sub);
});

test("an account made by hand is never raised: one of the name, one that is listed, a disabled one", async () => {
  const id = await makeByHand("by-hand");
  for (const sub of ["by-hand", "BY-HAND"]) {
    const { json } = await signOn(sub, ["head"]);
    assert.deepEqual([json.code, /手工创建/.test(json.message)], ["10008", true]);
  }
  // An operator's name counts as taken too, because operators can also sign in at the login of a service.
  assert.equal((await signOn("head", ["clerk"])).json.code, "10008");
  const body = { provider: "oidc", identity: "by-hand", service: "reporting", userName: "by-hand" };
  const listed = await app.call("POST", "/platform/sign-on/identity/save", { body, token: head.token });
  assert.equal(listed.json.code, "0");
  assert.equal((await signOn("by-hand", ["head"])).json.code, "0");
  assert.deepEqual(await stateOf("by-hand"), [["reporting", false, []]]);
  await app.pool`update platform.account set enabled = false where id = ${id}`;
  assert.equal((await signOn("by-hand", ["head"])).json.code, "10008");
  assert.equal((await signOn("by-hand", [])).json.code, "10008");
  assert.equal((await findAccounts("by-hand")).length, 1);
  // An account created by OpenID Connect does not belong to a CAS user of the same name.
  assert.equal((await signOn("li", ["clerk"])).json.code, "0");
  assert.equal((await byCas("li")).json.code, "10008");
  await makeByHand("same");
});

test("somebody may be several, but an operator alone; one who was another before is that no more", async () => {
  const { json } = await signOn("many", ["clerk", "teller"], { service: "attendance" });
  assert.equal(json.data.service, "attendance");
  assert.deepEqual((await stateOf("many")).toSorted(), [
    ["attendance", false, null],
    ["reporting", false, ["reporting.read"]],
  ]);
  const operator = await signOn("many", ["clerk", "teller", "ops"]);
  assert.equal(operator.json.data.service, "platform");
  assert.deepEqual(await stateOf("many"), [["platform", true, null]]);
  // The last super administrator created by hand cannot be deleted, because campus accounts do not count as super
  // administrators.
  const others = await app.pool<{ id: number }[]>`
    select id from platform.account where service = 'platform' and not from_sign_on and user_name <> 'head'`;
  const { token } = operator.json.data;
  const deletion = { token, body: [...others.map(({ id }) => id), head.id] };
  assert.equal((await app.call("DELETE", "/platform/operator/delete", deletion)).json.code, "10008");
  assert.equal((await signOn("many", ["teller"])).json.data.service, "attendance");
  assert.deepEqual(await stateOf("many"), [["attendance", false, null]]);
  assert.equal(await isOpen(token), false);
});

test("what the campus says is not changed by hand, nor given a password; disabled it stays, whatever the claim says", async () => {
  assert.equal((await signOn("made", ["clerk"])).json.code, "0");
  const [{ id } = { id: 0 }] = await findAccounts("made");
  const change = (body: object) =>
    app.call("PUT", "/reporting/user/update", { body: { id, ...body }, token: head.token });
  for (const body of [{ password: "a long password" }, { userName: "other" }, { adminType: 1 }, { rights: null }]) {
    const { json } = await change(body);
    assert.deepEqual([json.code, /由统一身份认证开通/.test(json.message)], ["10008", true], JSON.stringify(body));
  }
  const body = { provider: "oidc", identity: "another", service: "reporting", userName: "made" };
  const listed = await app.call("POST", "/platform/sign-on/identity/save", { body, token: head.token });
  assert.equal(listed.json.code, "10008");
  const unchanged = { userName: "made", adminType: 2, rights: ["reporting.read"] };
  assert.equal((await change({ ...unchanged, status: 0 })).json.code, "0");
  assert.equal((await signOn("made", ["head"])).json.code, "10008");
  assert.equal((await change({ status: 1 })).json.code, "0");
  assert.equal((await signOn("made", ["head"])).json.code, "0");
  const { json } = await app.call("GET", "/reporting/user/list", { token: head.token });
  const row = json.data.list.find(({ userName }: { userName: string }) => userName === "made");
  assert.deepEqual([row.fromSignOn, row.adminType], [true, 1]);
  assert.equal("fromSignOn" in json.data.list.find(({ userName }: { userName: string }) => userName === "same"), false);
});

test("a claim that is told elsewhere counts; where it cannot be asked for, nothing is taken away", async () => {
  assert.equal((await signOn("asked", ["clerk"])).json.code, "0");
  oidc.lies = { paths: { "/userinfo": JSON.stringify({ sub: "asked", memberOf: ["head"] }) } };
  assert.equal((await signOn("asked")).json.code, "0");
  assert.deepEqual(await stateOf("asked"), [["reporting", true, null]]);
  oidc.lies = { paths: { "/userinfo": "down" } };
  assert.notEqual((await signOn("asked")).json.code, "0");
  assert.deepEqual(await stateOf("asked"), [["reporting", true, null]]);
  oidc.lies = { paths: { "/userinfo": JSON.stringify({ sub: "other", memberOf: ["head"] }) } };
  assert.equal((await signOn("asked-2")).json.code, "10009");
});

test("without the setting what it has made loses its rights at the next sign-on", async () => {
  assert.equal((await signOn("left", ["head"])).json.code, "0");
  const at = await startTestApp({ services: [...services], settings, beside: app });
  assert.equal((await signOn("left", ["head"], { at })).json.code, "10008");
  assert.deepEqual(await stateOf("left"), [["reporting", false, []]]);
});

test("two who come at once with the same claim are one account", async () => {
  for (const { json } of await Promise.all([1, 2, 3].map(() => signOn("twice", ["clerk"]))))
    assert.equal(json.code, "0");
  assert.equal((await findAccounts("twice")).length, 1);
});

test("CAS: attributes count as claims do, each time that they stand", async () => {
  cas.memberOf = ["x", "clerk"];
  assert.equal((await byCas("wang")).json.code, "0");
  const [made] = await findAccounts("wang");
  assert.deepEqual([made?.name, made?.rights], ["Person wang", ["reporting.read"]]);
  assert.equal((await signOn("wang", ["head"])).json.code, "10008");
  cas.memberOf = [];
  assert.equal((await byCas("wang")).json.code, "10008");
  assert.deepEqual(await stateOf("wang"), [["reporting", false, []]]);
});
