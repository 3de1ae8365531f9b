import assert from "node:assert/strict";
import { createPublicKey, publicEncrypt } from "node:crypto";
import { describe, test } from "node:test";
import { type SignedIn, startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp();
const boss = await app.signIn("disease-command", { isSuper: true });
const clerk = await app.signIn("disease-command");
const operator = await app.signIn("platform");

const call = async (method: string, operation: string, by: SignedIn | undefined, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command/adminInfo/${operation}`, { token: by?.token, body, query })).json;

let names = 0;
const newAdministrator = () => ({
  userName: `made-${++names}`,
  password: testPassword,
  adminType: "1",
  status: "1",
});
async function make(given: Record<string, unknown> = {}) {
  const body = { ...newAdministrator(), ...given };
  const { code, data, message } = await call("POST", "save", boss, body);
  assert.equal(code, "0", message);
  return { ...body, id: Number(data) };
}
const login = (userName: string, password = testPassword) => call("POST", "login", undefined, { userName, password });
const findOne = async (id: number) =>
  (await call("GET", "list", clerk, undefined, { pageSize: 1000 })).data.list.find(
    (row: { id: number }) => row.id === id,
  );

describe("logging in", () => {
  test("takes JSON and a form, and tells who one is", async () => {
    const form = new URLSearchParams({ userName: clerk.userName, password: testPassword });
    const byForm = await app.call("POST", "/disease-command/adminInfo/login", {
      raw: form.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    for (const [{ data }, userType] of [
      [byForm.json, "1"],
      [await login(boss.userName), "0"],
      [await login(operator.userName), "0"],
    ]) {
      assert.deepEqual(Object.keys(data), ["userName", "userType", "token", "expireTime"]);
      assert.equal(data.userType, userType);
      assert.ok(Math.abs(data.expireTime - Date.now() - 12 * 3_600_000) < 60_000);
    }
  });

  test("fails alike for a wrong password, an unknown name and a frozen account", async () => {
    const frozen = await make({ status: "0" });
    for (const [userName, password] of [
      [clerk.userName, "wrong-password"],
      ["nobody", testPassword],
      [frozen.userName, testPassword],
    ] as const)
      assert.equal((await login(userName, password)).code, "10009");
    for (const body of [{}, { userName: "a" }, { userName: "", password: "x" }, { userName: 1, password: "x" }])
      assert.equal((await call("POST", "login", undefined, body)).code, "10001");
  });

  test("goes on with a password of one's own", async () => {
    const who = await app.signIn("disease-command");
    const { data: spki } = await call("GET", "publicKey", undefined);
    const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });
    const encrypt = (text: string) => publicEncrypt({ key, oaepHash: "sha256" }, Buffer.from(text)).toString("base64");
    const change = async (id: number, password: string) =>
      call("PUT", "updatePassword", who, { id, password: encrypt(password), newPassword: encrypt("another-horse") });
    assert.equal((await change(boss.id, testPassword)).code, "10008");
    assert.equal((await change(who.id, "wrong-password")).code, "10007");
    assert.equal((await change(who.id, testPassword)).data, "1");
    assert.equal((await call("GET", "list", who)).code, "10006");
    assert.equal((await login(who.userName, "another-horse")).code, "0");
  });

  test("ends with the logout", async () => {
    const who = await app.signIn("disease-command");
    assert.equal((await call("POST", "logout", who)).data, "1");
    assert.equal((await call("GET", "list", who)).code, "10006");
  });
});

describe("an administrator", () => {
  test("is made, listed, changed and deleted", async () => {
    const { id, userName } = await make();
    assert.deepEqual(await findOne(id), { id, userName, adminType: "1", status: "1", password: null });
    assert.equal((await login(userName)).code, "0");
    assert.equal((await call("PUT", "update", boss, { id, adminType: "0", password: "" })).data, "1");
    assert.deepEqual((await findOne(id)).adminType, "0");
    assert.equal((await login(userName)).code, "0");
    assert.equal(
      (await call("PUT", "update", boss, { id, userName: `${userName}-b`, password: "another-horse" })).data,
      "1",
    );
    assert.deepEqual(
      [(await login(userName)).code, (await login(`${userName}-b`, "another-horse")).code],
      ["10009", "0"],
    );
    assert.equal((await call("DELETE", `delete/${id}`, boss)).data, "1");
    assert.equal(await findOne(id), undefined);
  });

  test("needs a name, a password, a type and a status", async () => {
    const wrong: Record<string, unknown>[] = [
      { userName: "" },
      { userName: undefined },
      { password: undefined },
      { password: "" },
      { password: "1234567" },
      { password: "x".repeat(129) },
      { adminType: undefined },
      { adminType: 1 },
      { adminType: "2" },
      { status: "2" },
      { status: null },
    ];
    for (const change of wrong)
      assert.equal(
        (await call("POST", "save", boss, { ...newAdministrator(), ...change })).code,
        "10001",
        JSON.stringify(change),
      );
    const long = { ...newAdministrator(), userName: "x".repeat(256) };
    assert.equal((await call("POST", "save", boss, long)).code, "10026");
  });

  test("has a name that nobody else has", async () => {
    const { id, userName } = await make();
    for (const taken of [clerk.userName, operator.userName]) {
      assert.equal((await call("POST", "save", boss, { ...newAdministrator(), userName: taken })).code, "10004");
      assert.equal((await call("PUT", "update", boss, { id, userName: taken })).code, "10004");
    }
    assert.equal((await call("PUT", "update", boss, { id, userName })).code, "0");
  });

  test("must exist to be changed", async () => {
    assert.equal((await call("PUT", "update", boss, { status: "1" })).code, "10023");
    for (const id of [987_654, operator.id]) {
      assert.equal((await call("PUT", "update", boss, { id, status: "0" })).code, "10005");
      assert.equal((await call("DELETE", `delete/${id}`, boss)).code, "10005");
    }
  });

  test("loses the session with the rights", async () => {
    for (const change of [{ status: "0" }, { password: "another-horse" }]) {
      const who = await app.signIn("disease-command");
      assert.equal((await call("PUT", "update", boss, { id: who.id, ...change })).code, "0");
      assert.equal((await call("GET", "list", who)).code, "10006");
    }
    const second = await app.signIn("disease-command", { isSuper: true });
    assert.equal((await call("PUT", "update", boss, { id: second.id, adminType: "1" })).code, "0");
    assert.equal((await call("GET", "list", second)).code, "10006");
  });

  test("who is the last super one, or oneself, stays", async () => {
    for (const by of [boss, operator]) {
      for (const change of [{ status: "0" }, { adminType: "1" }]) {
        const others = await app.pool`select count(*) as others from platform.account
          where service = 'disease-command' and super and enabled and id <> ${boss.id}`;
        assert.equal(others[0]?.["others"], 0);
        assert.equal((await call("PUT", "update", by, { id: boss.id, ...change })).code, "10008");
      }
      assert.equal((await call("DELETE", `delete/${boss.id}`, by)).code, "10008");
    }
  });
});

test("the list is sorted as the wire has it", async () => {
  for (const orderField of ["userName", "adminType", "status", "id"]) {
    const { data } = await call("GET", "list", clerk, undefined, { orderField, order: "asc", pageSize: 1000 });
    const values = data.list.map((row: Record<string, unknown>) => row[orderField]);
    const expected = orderField === "id" ? values.toSorted((a: number, b: number) => a - b) : values.toSorted();
    assert.deepEqual(values, expected, orderField);
  }
  assert.equal((await call("GET", "list", clerk, undefined, { orderField: "password" })).code, "10007");
});
