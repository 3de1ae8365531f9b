import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp({ services: ["tuition-payment", "reporting"] });
const boss = await app.signIn("tuition-payment", { isSuper: true });
const clerk = await app.signIn("tuition-payment");
const stranger = await app.signIn("reporting", { isSuper: true });
const operator = await app.signIn("platform");
const prefix = "/tuitionpayment/admininfo";
const save = (body: object, token: string = boss.token) => app.call("POST", `${prefix}/save`, { token, body });
const update = (body: object, token: string = boss.token) => app.call("PUT", `${prefix}/update`, { token, body });
const remove = (id: number | string, token: string = boss.token) =>
  app.call("DELETE", `${prefix}/delete/${id}`, { token });
const list = (query: Record<string, string> = {}, token: string = clerk.token) =>
  app.call("GET", `${prefix}/list`, { token, query });
const login = (body: object) => app.call("POST", `${prefix}/login`, { body });
const sample = (change: object = {}) => ({
  userName: "新管理员",
  password: testPassword,
  adminType: "1",
  status: "1",
  ...change,
});

describe("login", () => {
  test("answers name, token and end, for forms and JSON alike", async () => {
    const form = new URLSearchParams({ userName: boss.userName, password: testPassword }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const options of [{ raw: form, headers }, { body: { userName: boss.userName, password: testPassword } }]) {
      const { status, json, headers: answered } = await app.call("POST", `${prefix}/login`, options);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json.data), ["userName", "token", "expireTime"]);
      assert.deepEqual([json.data.userName, answered.get("admin_token")], [boss.userName, json.data.token]);
      assert.ok(Math.abs(json.data.expireTime - Date.now() - 12 * 3_600_000) < 60_000);
    }
  });

  test("refuses a wrong password, an unknown name, an empty body and another service's administrators alike", async () => {
    for (const body of [
      { userName: boss.userName, password: "wrong-password" },
      { userName: "nobody", password: testPassword },
      { userName: stranger.userName, password: testPassword },
    ]) {
      const { status, json } = await login(body);
      assert.deepEqual([status, json.code], [401, "10009"]);
    }
    assert.equal((await app.call("POST", `${prefix}/login`)).json.code, "10002");
    assert.equal((await login({ userName: boss.userName })).json.code, "10001");
  });

  test("lets operators in", async () => {
    assert.equal((await login({ userName: operator.userName, password: testPassword })).status, 200);
  });
});

describe("the token", () => {
  test("counts in every spelling, missing is 10012 and empty 10006", async () => {
    for (const name of ["admin_token", "admin-token", "Admin-Token"])
      assert.equal((await app.call("GET", `${prefix}/list`, { headers: { [name]: clerk.token } })).status, 200, name);
    assert.equal((await app.call("GET", `${prefix}/list`)).json.code, "10012");
    assert.equal((await app.call("GET", `${prefix}/list`, { token: "" })).json.code, "10006");
  });

  test("in both spellings counts while they agree; two that differ are refused, whichever is right", async () => {
    const both = (one: string, other: string) =>
      app.call("GET", `${prefix}/list`, { headers: { admin_token: one, "admin-token": other } });
    assert.equal((await both(clerk.token, clerk.token)).status, 200);
    assert.equal((await both(clerk.token, "")).status, 200);
    for (const [one, other] of [
      [clerk.token, "another"],
      ["another", clerk.token],
      [clerk.token, boss.token],
    ] as const) {
      const { status, json } = await both(one, other);
      assert.deepEqual([status, json.code], [401, "10006"]);
    }
  });

  test("of another service is refused, an operator's is not", async () => {
    assert.equal((await list({}, stranger.token)).json.code, "10008");
    assert.equal((await list({}, operator.token)).status, 200);
  });

  test("dies with a logout", async () => {
    const { token } = (await login({ userName: clerk.userName, password: testPassword })).json.data;
    assert.equal((await app.call("POST", `${prefix}/logout`, { token })).json.data, "1");
    assert.equal((await list({}, token)).json.code, "10006");
  });
});

describe("save", () => {
  test("is for super administrators", async () => {
    for (const token of [clerk.token, stranger.token]) assert.equal((await save(sample(), token)).json.code, "10008");
  });

  test("needs name, password, type and state in their form", async () => {
    const wrong = [
      sample({ password: undefined }),
      sample({ password: "" }),
      sample({ password: null }),
      sample({ password: "short" }),
      sample({ password: "x".repeat(129) }),
      sample({ userName: "" }),
      sample({ userName: 7 }),
      sample({ adminType: "2" }),
      sample({ adminType: 1 }),
      sample({ status: undefined }),
    ];
    for (const body of wrong) {
      const { status, json } = await save(body);
      assert.deepEqual([status, json.code], [400, "10001"], JSON.stringify(body));
    }
    assert.equal((await save(sample({ userName: "x".repeat(256) }))).json.code, "10026");
  });

  test("makes an administrator who can log in, once a name", async () => {
    const { json } = await save(sample({ id: 1 }));
    const { json: page } = await list({ pageSize: "100" });
    const saved = page.data.list.find(({ id }: { id: number }) => id === Number(json.data));
    assert.deepEqual(saved, {
      id: Number(json.data),
      userName: "新管理员",
      password: null,
      adminType: "1",
      status: "1",
    });
    assert.equal((await login({ userName: "新管理员", password: testPassword })).status, 200);
    assert.equal((await save(sample())).json.code, "10004");
    assert.equal((await save(sample({ userName: operator.userName }))).json.code, "10004");
  });

  test("twice with one Idempotency-Key makes one", async () => {
    const options = { token: boss.token, body: sample({ userName: "once" }), headers: { "Idempotency-Key": "k1" } };
    const [one, other] = await Promise.all([
      app.call("POST", `${prefix}/save`, options),
      app.call("POST", `${prefix}/save`, options),
    ]);
    assert.deepEqual([one.json.data, one.status], [other.json.data, 200]);
  });
});

describe("update", () => {
  test("needs a super administrator and an id that is there", async () => {
    assert.equal((await update({ id: clerk.id, status: "0" }, clerk.token)).json.code, "10008");
    assert.equal((await update({ status: "0" })).json.code, "10023");
    assert.equal((await update({ id: 999_999, status: "0" })).json.code, "10005");
    assert.equal((await update({ id: stranger.id, status: "0" })).json.code, "10005");
    assert.equal((await update({ id: "1", status: "0" })).json.code, "10001");
  });

  test("freezes: no login, and the tokens die", async () => {
    const frozen = await app.signIn("tuition-payment");
    assert.equal((await update({ id: frozen.id, status: "0" })).json.data, "1");
    assert.equal((await list({}, frozen.token)).json.code, "10006");
    assert.equal((await login({ userName: frozen.userName, password: testPassword })).json.code, "10009");
  });

  test("keeps what is left out, and an empty password keeps the old one", async () => {
    const one = await app.signIn("tuition-payment");
    assert.equal((await update({ id: one.id, userName: "umbenannt", password: "" })).json.data, "1");
    assert.equal((await login({ userName: "umbenannt", password: testPassword })).status, 200);
    assert.equal((await update({ id: one.id, password: "another-horse-9" })).json.data, "1");
    assert.equal((await list({}, one.token)).json.code, "10006");
  });

  test("never leaves nobody in charge, nor oneself without rights", async () => {
    assert.equal((await update({ id: boss.id, status: "0" })).json.code, "10008");
    assert.equal((await update({ id: boss.id, adminType: "1" })).json.code, "10008");
    assert.equal((await update({ id: boss.id, adminType: "1" }, operator.token)).json.code, "10008");
  });
});

describe("delete", () => {
  test("refuses clerks, oneself, the unknown and what is no id", async () => {
    assert.equal((await remove(clerk.id, clerk.token)).json.code, "10008");
    assert.equal((await remove(boss.id)).json.code, "10008");
    assert.equal((await remove(999_999)).json.code, "10005");
    assert.equal((await remove(stranger.id)).json.code, "10005");
    for (const id of ["0", "-1", "1.5", "abc", "9007199254740993", "%31%2F2"])
      assert.equal((await remove(id)).json.code, "10001", id);
  });

  test("removes the account and its tokens, and the audit log keeps who did it", async () => {
    const gone = await app.signIn("tuition-payment");
    assert.equal((await remove(gone.id)).json.data, "1");
    assert.equal((await list({}, gone.token)).json.code, "10006");
    assert.equal((await remove(gone.id)).json.code, "10005");
    const query = { service: "tuition-payment", action: "deleteAdministrator" };
    const { json } = await app.call("GET", "/platform/audit", { token: operator.token, query });
    assert.ok(json.data.list.some(({ records }: { records: string[] }) => records.includes(String(gone.id))));
  });
});

test("the list pages and sorts, by fields of its own only", async () => {
  const { json } = await list({ curPage: "1", pageSize: "2", orderField: "userName", order: "DESC" });
  assert.deepEqual([json.data.pageSize, json.data.currPage, json.data.list.length], [2, 1, 2]);
  assert.ok(json.data.list[0].userName >= json.data.list[1].userName);
  assert.equal((await list({ orderField: "password" })).json.code, "10007");
  assert.equal((await list({ pageSize: "1001" })).json.code, "10001");
  const byType = await list({ orderField: "adminType", pageSize: "100" });
  const types = byType.json.data.list.map(({ adminType }: { adminType: string }) => adminType);
  assert.deepEqual(types, types.toSorted());
});
