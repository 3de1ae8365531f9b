import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { hashPassword, passwordSemaphores } from "#platform/accounts/password.ts";
import { loginPaths, startTestApp, testPassword } from "#test/app.ts";
import { insertAccount } from "./account-store.ts";

// The server under test trusts the tests as a proxy, so each test can choose its client address.
const app = await startTestApp({ settings: { TRUSTED_PROXIES: "127.0.0.1" } });
const { pool } = app;
beforeEach(() => pool`delete from platform.login_failure`);

const kinds = ["reporting", "tuition-payment", "disease-command"];
const passwords = { reporting: testPassword, "tuition-payment": "other-horse-9", "disease-command": testPassword };

const signIn = (userName: string, password: string, rest: { account?: string; secondFactor?: "later" } = {}) =>
  app.call("POST", "/platform/sign-in", { body: { userName, password, ...rest } });
const codeOf = async (...of: Parameters<typeof signIn>): Promise<string> => (await signIn(...of)).json.code;

async function addAccount(service: string, userName: string, password: string, enabled = true): Promise<void> {
  const passwordHash = await hashPassword(password);
  await insertAccount(pool, { service, userName, name: "", passwordHash, isSuper: false, enabled });
}

await addAccount("platform", "head", testPassword);
await addAccount("tuition-payment", "bursar", testPassword);
await addAccount("reporting", "left", testPassword, false);
for (const [service, password] of Object.entries(passwords)) await addAccount(service, "everywhere", password);

describe("one sign-in", () => {
  test("opens the account that has the name and the password, of whatever kind", async () => {
    for (const [userName, service, password] of [
      ["head", "platform", testPassword],
      ["Bursar ", "tuition-payment", testPassword],
      ["everywhere", "tuition-payment", "other-horse-9"],
    ] as const) {
      const { json, headers } = await signIn(userName, password);
      assert.deepEqual([json.code, json.data?.service], ["0", service], userName);
      assert.equal(headers.get("admin_token"), json.data.token);
      const own = await app.call("GET", "/platform/session/own", { token: json.data.token });
      assert.equal(own.json.data.service, service);
    }
  });

  test("asks which one is meant if several fit, and opens the one that is then named", async () => {
    const unclear = await signIn("everywhere", testPassword);
    assert.deepEqual([unclear.status, unclear.json.code], [409, "20014"]);
    assert.deepEqual(unclear.json.data, { accounts: ["disease-command", "reporting"] });
    assert.equal(unclear.headers.get("admin_token"), null);
    const { json } = await signIn("everywhere", testPassword, { account: "reporting" });
    assert.equal(json.data.service, "reporting");
    assert.equal(await codeOf("everywhere", testPassword, { account: "tuition-payment" }), "10009");
  });

  test("keeps the rules of each login: disabled accounts, given passwords", async () => {
    assert.equal(await codeOf("left", testPassword), "10009");
    const strict = await startTestApp({ settings: { GIVEN_PASSWORD: "all" }, beside: app });
    await pool`update platform.account set given_hash = password_hash where user_name = 'bursar'`;
    const body = { userName: "bursar", password: testPassword };
    const ask = (more: object) => strict.call("POST", "/platform/sign-in", { body: { ...body, ...more } });
    assert.equal((await ask({})).json.code, "20013");
    const { token } = (await ask({ secondFactor: "later" })).json.data;
    const own = await strict.call("GET", "/platform/session/own", { token });
    assert.equal(own.json.data.mustChoosePassword, true);
    await pool`update platform.account set given_hash = null where user_name = 'bursar'`;
  });

  test("leaves a line in the audit log of the account's service, and one of failure at the platform", async () => {
    const [last] = await pool`select max(id) as id from platform.audit`;
    await codeOf("bursar", testPassword);
    await codeOf("bursar", "wrong-horse");
    await codeOf("everywhere", testPassword);
    const lines = await pool`
      select service, outcome, detail->>'problem' as problem from platform.audit
      where action = 'login' and id > ${last?.["id"]} order by id`;
    assert.deepEqual(
      lines.map((line) => Object.values(line)),
      [
        ["tuition-payment", "done", null],
        ["platform", "failed", "loginFailed"],
        ["platform", "refused", "accountUnclear"],
      ],
    );
  });
});

describe("a wrong password", () => {
  const names = ["head", "bursar", "everywhere", "left", "nobody"];

  test("counts once, whichever kinds have the name and whichever is named", async () => {
    const documented = Object.values(loginPaths).map(String);
    for (const userName of names) {
      await codeOf(userName, "wrong-horse");
      await codeOf(userName, "wrong-horse", { account: "reporting" });
      await codeOf(userName, "wrong-horse", { account: "disease-command" });
      assert.equal(await pool.value`select count(*) from platform.login_failure where account_key = ${userName}`, 3);
      const body = { userName, password: "wrong-horse" };
      for (const at of documented.slice(0, 2)) await app.call("POST", at, { body });
      for (const account of [undefined, "platform", ...kinds])
        assert.equal(await codeOf(userName, testPassword, account ? { account } : {}), "20002", userName);
      for (const at of documented)
        assert.equal((await app.call("POST", at, { body: { ...body, password: testPassword } })).json.code, "20002");
    }
  });

  test("takes equally many verifications and gives one answer, whichever kinds have the name", async (t) => {
    const { mock } = t.mock.method(passwordSemaphores.login, "run");
    const seen = new Set<string>();
    for (const userName of names)
      for (const account of [undefined, "platform", ...kinds, "attendance"]) {
        mock.resetCalls();
        const { status, text } = await signIn(userName, "wrong-horse", account === undefined ? {} : { account });
        seen.add(`${mock.callCount()} ${status} ${text}`);
        await pool`delete from platform.login_failure`;
      }
    assert.equal(seen.size, 1, [...seen].join("\n"));
    assert.match([...seen].join(), /^3 401 .*"10009"/);
    // A correct password takes as many verifications as a wrong one, so that the duration does not reveal the kind of
    // the account.
    mock.resetCalls();
    await signIn("bursar", testPassword);
    assert.equal(mock.callCount(), 3);
  });
});

test("who has one account of a name cannot guess another's without end by signing in between", async () => {
  const own = () => codeOf("everywhere", passwords["tuition-payment"]);
  for (let time = 0; time < 4; time++)
    assert.equal(await codeOf("everywhere", "wrong-horse", { account: "reporting" }), "10009");
  assert.equal(await own(), "0");
  assert.equal(await codeOf("everywhere", "wrong-horse", { account: "reporting" }), "10009");
  assert.equal(await own(), "20002");
  await pool`delete from platform.login_failure`;
  for (let time = 0; time < 4; time++) await codeOf("bursar", "wrong-horse");
  assert.equal(await codeOf("bursar", testPassword), "0");
  assert.equal(await pool.value`select count(*) from platform.login_failure`, 0);
});
