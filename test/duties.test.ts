import assert from "node:assert/strict";
import { test } from "node:test";
import type { Duty } from "#platform/contract/caller.ts";
import { listRights } from "#platform/contract/rights.ts";
import { serviceNames } from "#quintet/app.ts";
import { type SignedIn, startTestApp, testPassword } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { findWronglyAnswered } from "#test/every-operation.ts";

// The standard 等保 2.0 requires separate system, security and audit administrators.

const app = await startTestApp({ settings: { SEPARATE_DUTIES: "1" } });
const security = await app.signIn("platform");
const all = listRights(["platform", ...serviceNames]);
const dutyOf = (right: string): Duty =>
  right.endsWith(".accounts") ? "security" : right.endsWith(".audit") ? "audit" : "system";
const rightsOf = (duty: Duty) => all.filter((right) => dutyOf(right) === duty);

async function hold(rights: readonly string[] | null): Promise<SignedIn> {
  const who = await app.signIn("platform");
  await app.pool`update platform.account set rights = ${rights} where id = ${who.id}`;
  return who;
}

let names = 0;
const save = async (by: SignedIn, more: object, path = "/platform/operator") => {
  const body = { userName: `dutiful-${++names}`, password: testPassword, ...more };
  return (await app.call("POST", `${path}/save`, { token: by.token, body })).json;
};
const readOwn = async ({ token }: SignedIn) => (await app.call("GET", "/platform/session/own", { token })).json.data;

test("every operation answers an account of one duty what is of that, and nothing else", async (t) => {
  const some = atLength.skip ? { each: 6, from: 1 } : undefined;
  const accounts = [
    ["system", await hold(rightsOf("system")), undefined],
    ["security", await hold(rightsOf("security")), undefined],
    ["audit", await hold(rightsOf("audit")), undefined],
    // An account with unrestricted rights, or with several duties assigned before SEPARATE_DUTIES was set, keeps only
    // the security duty.
    ["security", security, some],
    ["security", await hold([...rightsOf("security"), ...rightsOf("audit")]), some],
    ["security", await hold(all), some],
  ] as const;
  for (const [duty, who, part] of accounts) {
    const { asked, wrong } = await findWronglyAnswered(app, who, (right) => dutyOf(right) === duty, part);
    t.diagnostic(`${duty}: ${wrong.length} of ${asked} answers are wrong`);
    assert.deepEqual(wrong, [], duty);
    const { status } = await app.call("GET", "/metrics", { token: who.token });
    assert.equal(status, duty === "system" ? 200 : 403);
    const own = await readOwn(who);
    assert.deepEqual([own.duty, own.rights.toSorted()], [duty, rightsOf(duty).toSorted()]);
  }
});

test("who has the duty of security gives any other, and several to nobody", async () => {
  for (const rights of [rightsOf("system"), ["platform.audit"], ["reporting.accounts"], ["attendance.read"], null])
    assert.equal((await save(security, { rights })).code, "0", JSON.stringify(rights));
  for (const rights of [["platform.audit", "platform.read"], ["platform.accounts", "platform.audit"], all.slice(1)])
    assert.equal((await save(security, { rights })).code, "10008", JSON.stringify(rights));
  const program = { rights: ["platform.audit", "reporting.export"], password: undefined };
  assert.equal((await save(security, program, "/platform/serviceAccount")).code, "10008");
  const { data: id } = await save(security, { rights: ["platform.audit"] });
  const update = async (body: object) =>
    (await app.call("PUT", "/platform/operator/update", { token: security.token, body: { id: Number(id), ...body } }))
      .json.code;
  assert.equal(await update({ rights: ["platform.audit", "platform.write"] }), "10008");
  assert.equal(await update({ rights: ["platform.read", "platform.write"] }), "0");
  assert.equal(await update({ name: "another name" }), "0");
  const own = { token: security.token, body: { id: security.id, rights: ["platform.audit"] } };
  assert.equal((await app.call("PUT", "/platform/operator/update", own)).json.code, "10008", "nor oneself another");
});

test("of a service, super administrators look after its accounts, and others after its data", async () => {
  const boss = await app.signIn("reporting", { isSuper: true });
  const list = "/reporting/informationReporting/list";
  const call = async (token: string, path: string) => (await app.call("GET", path, { token })).json.code;
  assert.equal(await call(boss.token, list), "10008");
  assert.equal(await call(boss.token, "/reporting/user/list"), "0");
  const clerk = { userName: "clerk", password: testPassword, name: "N", adminType: 2 };
  const made = await app.call("POST", "/reporting/user/add", { token: boss.token, body: clerk });
  assert.equal(made.json.code, "0");
  const [row] = await app.pool`select rights from platform.account where user_name = 'clerk'`;
  assert.deepEqual({ ...row }, { rights: null }, "left out: all that the role has");
  const { json } = await app.call("POST", "/reporting/user/login", {
    body: { userName: "clerk", password: testPassword },
  });
  assert.equal(await call(json.data.token, list), "0");
  assert.equal(await call(json.data.token, "/reporting/user/list"), "10008");
  const both = { ...clerk, userName: "both", adminType: 1, rights: ["reporting.read", "reporting.accounts"] };
  const refused = await app.call("POST", "/reporting/user/add", { token: boss.token, body: both });
  assert.equal(refused.json.code, "10008");
});

test("health and the start say who combines duties, and which duty nobody has", async () => {
  const system = await hold(rightsOf("system"));
  const readPart = async () => {
    const { json } = await app.call("GET", "/platform/health", { token: system.token });
    return json.data.parts.find(({ name }: { name: string }) => name === "duties");
  };
  const combining = await hold(["platform.read", "platform.audit"]);
  const part = await readPart();
  assert.ok(part.figures.combining > 0 && part.state === "degraded", JSON.stringify(part));
  const beside = await startTestApp({ settings: { SEPARATE_DUTIES: "1" }, beside: app });
  assert.match(beside.server.warnings.join("\n"), new RegExp(`SEPARATE_DUTIES: .*${combining.userName}`));
  await app.pool`update platform.account set rights = '{platform.audit}' where platform.account.id <> ${security.id}
    and rights && '{platform.audit}'`;
  const { figures, state } = await readPart();
  assert.deepEqual([figures.combining, state], [0, "ok"]);
  await app.pool`update platform.account set enabled = false where rights = '{platform.audit}'`;
  assert.equal((await readPart()).state, "degraded", "there is no audit without an auditor");
});

test("who signs on by the campus is given one duty too", async () => {
  const settings = {
    SEPARATE_DUTIES: "1",
    PUBLIC_URL: "https://quintet.example",
    CAS_URL: "https://cas.example",
    SIGN_ON_ROLES: "groups: it = platform/super/platform.read+platform.audit",
  };
  await assert.rejects(startTestApp({ settings }), /SIGN_ON_ROLES/);
});
