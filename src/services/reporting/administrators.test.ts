import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SignedIn, startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp();
const boss = await app.signIn("reporting", { isSuper: true });
const clerk = await app.signIn("reporting");
const operator = await app.signIn("platform");

const call = async (method: string, operation: string, by: SignedIn | undefined, body?: unknown, query = {}) =>
  (await app.call(method, `/reporting/user/${operation}`, { token: by?.token, body, query })).json;
const login = async (userName: string, password: string, at = "/reporting/user/login") =>
  (await app.call("POST", at, { body: { userName, password } })).json;
const isSignedIn = async (who: SignedIn): Promise<boolean> => (await call("GET", "list", who)).code === "0";

let names = 0;
const newName = (): string => `made-${++names}`;
async function make(given: Record<string, unknown> = {}): Promise<{ id: number; userName: string }> {
  const userName = newName();
  const body = { userName, name: "测试员", password: testPassword, ...given };
  const { code, data, message } = await call("POST", "add", boss, body);
  assert.equal(code, "0", message);
  return { id: Number(data), userName };
}

async function findOne(id: number) {
  const { data } = await call("GET", "list", boss, undefined, { pageSize: 1000 });
  return data.list.find((row: { id: number }) => row.id === id);
}

describe("roles", () => {
  test("an operator is super administrator where they run the service, and nothing elsewhere", async () => {
    const elsewhere = await app.signIn("platform", { services: ["attendance"] });
    const here = await app.signIn("platform", { services: ["reporting"] });
    assert.equal((await call("POST", "add", here, { userName: newName(), name: "x" })).code, "0");
    assert.equal((await call("GET", "list", elsewhere)).code, "10008");
    assert.equal((await login(elsewhere.userName, testPassword)).code, "10008");
    const { data } = await login(here.userName, testPassword);
    assert.deepEqual([data.adminType, data.status, data.password, data.userName], [1, 1, null, here.userName]);
    assert.equal((await call("GET", "list", { ...here, token: data.token })).code, "0");
  });

  test("the last enabled super administrator and oneself stay, whoever asks", async () => {
    const { id: disabled } = await make({ adminType: 1, status: 0 });
    for (const by of [boss, operator]) {
      for (const change of [{ status: 0 }, { adminType: 2 }])
        assert.equal((await call("PUT", "update", by, { id: boss.id, ...change })).code, "10008");
      assert.equal((await call("DELETE", "delete", by, { ids: [disabled, boss.id] })).code, "10008");
    }
    assert.ok(await findOne(disabled));
    const second = await app.signIn("reporting", { isSuper: true });
    assert.equal((await call("PUT", "update", second, { id: second.id, adminType: 2 })).code, "10008");
    assert.equal((await call("DELETE", "delete", second, { ids: [second.id] })).code, "10008");
    assert.equal(
      (await call("PUT", "update", second, { id: second.id, name: "自己", adminType: 1, status: 1 })).code,
      "0",
    );
    assert.equal((await call("PUT", "update", boss, { id: second.id, adminType: 2 })).code, "0");
    assert.equal(await isSignedIn(second), false);
  });
});

describe("accounts", () => {
  test("one without a password is there, and nobody can log in to it", async () => {
    for (const password of [undefined, "", null]) {
      const { id, userName } = await make({ password });
      const { time, ...rest } = await findOne(id);
      assert.deepEqual(rest, { id, userName, name: "测试员", password: null, adminType: 2, status: 1 });
      assert.match(time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      assert.equal((await login(userName, testPassword)).code, "10009");
      await call("PUT", "update", boss, { id, password: testPassword });
      assert.equal((await login(userName, testPassword)).code, "0");
    }
  });

  test('an update keeps what is left out, and "" the password', async () => {
    const { id, userName } = await make({ adminType: 1 });
    for (const change of [{}, { password: "" }, { password: null, name: null, adminType: null }])
      assert.equal((await call("PUT", "update", boss, { id, ...change })).data, "1");
    assert.equal((await findOne(id)).adminType, 1);
    assert.equal((await login(userName, testPassword)).code, "0");
    await call("PUT", "update", boss, { id, name: "新名", userName: `${userName}-b` });
    const { name, userName: changed } = await findOne(id);
    assert.deepEqual([name, changed], ["新名", `${userName}-b`]);
    assert.deepEqual(
      [(await login(userName, testPassword)).code, (await login(changed, testPassword)).code],
      ["10009", "0"],
    );
  });

  const wrong: [string, string, unknown, string][] = [
    ["POST", "add", { name: "x" }, "10001"],
    ["POST", "add", { userName: "", name: "x" }, "10001"],
    ["POST", "add", { userName: "x".repeat(256), name: "x" }, "10026"],
    ["POST", "add", { userName: "y", name: "x", adminType: 3 }, "10001"],
    ["POST", "add", { userName: "y", name: "x", status: "1" }, "10001"],
    ["PUT", "update", { id: operator.id, name: "x" }, "10005"],
    ["DELETE", "delete", { ids: [operator.id] }, "10005"],
  ];
  for (const [method, operation, body, code] of wrong) {
    test(`${operation} ${JSON.stringify(body).slice(0, 60)} is ${code}`, async () =>
      assert.equal((await call(method, operation, boss, body)).code, code));
  }

  test("the list filters by name, user name and time", async () => {
    const { id } = await make({ name: "100%_特别" });
    await app.pool`update platform.account set created_at = '2020-02-29T15:59:59Z' where id = ${id}`;
    const times = ["2020-02", "2020-02-29 23:59:59", "2020,2020-03"].map((time) => ({ time }));
    for (const query of [{ name: "0%" }, { name: "特" }, ...times]) {
      const { data } = await call("GET", "list", clerk, undefined, query);
      assert.deepEqual([data.totalCount, data.list[0]?.id], [1, id], JSON.stringify(query));
    }
    for (const query of [{ time: "2020-03" }, { userName: "%" }, { name: "0_" }])
      assert.equal((await call("GET", "list", clerk, undefined, query)).data.totalCount, 0);
    const byType = { orderField: "adminType", order: "asc", pageSize: 1000 };
    const { list } = (await call("GET", "list", clerk, undefined, byType)).data;
    const types = list.map((row: { adminType: number }) => row.adminType);
    assert.deepEqual(types, types.toSorted());
  });
});
