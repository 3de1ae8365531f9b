import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SignedIn, startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp();
const operator = await app.signIn("platform");
const stranger = await app.signIn("reporting", { isSuper: true });

const kinds = [
  {
    service: "tuition-payment",
    at: "/tuitionpayment/admininfo",
    loginFields: ["userName", "token", "expireTime"],
    userTypes: [undefined, undefined],
  },
  {
    service: "disease-command",
    at: "/disease-command/adminInfo",
    loginFields: ["userName", "userType", "token", "expireTime"],
    userTypes: ["0", "1"],
  },
] as const;

let names = 0;
const sample = (change: object = {}) => ({
  userName: `新管理员-${++names}`,
  password: testPassword,
  adminType: "1",
  status: "1",
  ...change,
});

const wrong: readonly (readonly [change: object, code: string])[] = [
  ...[undefined, null, "", "1234567", "x".repeat(129)].map((password) => [{ password }, "10001"] as const),
  ...[undefined, "", 7].map((userName) => [{ userName }, "10001"] as const),
  ...[undefined, 1, "2"].map((adminType) => [{ adminType }, "10001"] as const),
  ...[undefined, null, "2"].map((status) => [{ status }, "10001"] as const),
  [{ userName: "x".repeat(256) }, "10026"],
];

for (const { service, at, loginFields, userTypes } of kinds) {
  const boss = await app.signIn(service, { isSuper: true });
  const clerk = await app.signIn(service);
  const call = async (method: string, operation: string, by?: SignedIn, body?: unknown, query = {}) =>
    (await app.call(method, `${at}/${operation}`, { token: by?.token, body, query })).json;
  const codeOf = async (...given: Parameters<typeof call>): Promise<string> => (await call(...given)).code;
  const login = (userName: string, password = testPassword) => call("POST", "login", undefined, { userName, password });
  const list = async (query = {}) =>
    (await call("GET", "list", clerk, undefined, { pageSize: 1000, ...query })).data.list;
  const isOut = async (who: SignedIn) => assert.equal(await codeOf("GET", "list", who), "10006");
  const make = async (change = {}) => {
    const body = sample(change);
    const { code, data, message } = await call("POST", "save", boss, body);
    assert.equal(code, "0", message);
    return { ...body, id: Number(data) };
  };

  describe(`administrators of ${service}`, () => {
    test("log in by a form and by JSON, operators too, and are told until when", async () => {
      const raw = new URLSearchParams({ userName: clerk.userName, password: testPassword }).toString();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const byForm = await app.call("POST", `${at}/login`, { raw, headers });
      assert.equal(byForm.headers.get("admin_token"), byForm.json.data.token);
      for (const [{ data }, userType] of [
        [byForm.json, userTypes[1]],
        [await login(boss.userName), userTypes[0]],
        [await login(operator.userName), userTypes[0]],
      ] as const) {
        assert.deepEqual([Object.keys(data), data.userType], [loginFields, userType]);
        assert.ok(Math.abs(data.expireTime - Date.now() - 12 * 3_600_000) < 60_000);
      }
    });

    test("are refused alike for a wrong password, an unknown name, another service's account and a frozen one", async () => {
      const frozen = await make({ status: "0" });
      for (const [userName, password] of [
        [clerk.userName, "wrong-password"],
        ["nobody", testPassword],
        [stranger.userName, testPassword],
        [frozen.userName, testPassword],
      ] as const)
        assert.equal((await login(userName, password)).code, "10009", userName);
      for (const body of [{}, { userName: "a" }, { userName: "", password: "x" }, { userName: 1, password: "x" }])
        assert.equal(await codeOf("POST", "login", undefined, body), "10001");
      assert.equal(await codeOf("POST", "login"), "10002");
    });

    test("lose their token by the logout, by being frozen, demoted or deleted, and with the password", async () => {
      const ends: ((who: SignedIn) => Promise<{ data: string }>)[] = [
        (who) => call("POST", "logout", who),
        (who) => call("PUT", "update", boss, { id: who.id, status: "0" }),
        (who) => call("PUT", "update", boss, { id: who.id, adminType: "1" }),
        (who) => call("PUT", "update", boss, { id: who.id, password: "another-horse-9" }),
        (who) => call("DELETE", `delete/${who.id}`, boss),
      ];
      for (const end of ends) {
        const who = await app.signIn(service, { isSuper: true });
        assert.equal((await end(who)).data, "1");
        await isOut(who);
      }
    });

    test("are made with a name that nobody has, a password, a type and a state", async () => {
      for (const [change, code] of wrong)
        assert.equal(await codeOf("POST", "save", boss, sample(change)), code, JSON.stringify(change).slice(0, 60));
      const { id, userName } = await make({ id: 1 });
      const found = (await list()).find((row: { id: number }) => row.id === id);
      assert.deepEqual(found, { id, userName, password: null, adminType: "1", status: "1" });
      assert.equal((await login(userName)).code, "0");
      for (const taken of [userName, clerk.userName, operator.userName])
        assert.equal(await codeOf("POST", "save", boss, sample({ userName: taken })), "10004");
      assert.equal(await codeOf("PUT", "update", boss, { id, userName: clerk.userName }), "10004");
      assert.equal(await codeOf("PUT", "update", boss, { id, userName }), "0");
      const options = { token: boss.token, body: sample(), headers: { "Idempotency-Key": `once-${service}` } };
      const [one, again] = await Promise.all([1, 2].map(() => app.call("POST", `${at}/save`, options)));
      assert.deepEqual([one?.status, one?.json.data], [200, again?.json.data]);
    });

    test("are changed and deleted by those of their service, who cannot take away the last, nor themselves", async () => {
      for (const id of [stranger.id, operator.id]) {
        assert.equal(await codeOf("PUT", "update", boss, { id, status: "0" }), "10005");
        assert.equal(await codeOf("DELETE", `delete/${id}`, boss), "10005");
      }
      await app.pool`
        update platform.account set super = false where service = ${service} and id <> ${boss.id}`;
      for (const by of [boss, operator]) {
        for (const change of [{ status: "0" }, { adminType: "1" }])
          assert.equal(await codeOf("PUT", "update", by, { id: boss.id, ...change }), "10008");
        assert.equal(await codeOf("DELETE", `delete/${boss.id}`, by), "10008");
      }
      const { id } = await make();
      assert.equal((await call("DELETE", `delete/${id}`, boss)).data, "1");
      const audit = { token: operator.token, query: { service, action: "deleteAdministrator" } };
      const { json } = await app.call("GET", "/platform/audit", audit);
      assert.ok(json.data.list.some(({ records }: { records: string[] }) => records.includes(String(id))));
    });

    test("are listed in pages, sorted as the wire has them", async () => {
      for (const orderField of ["userName", "adminType", "status", "id"]) {
        const values = (await list({ orderField, order: "asc" })).map((row: Record<string, never>) => row[orderField]);
        const byNumber = (a: number, b: number) => a - b;
        assert.deepEqual(values, orderField === "id" ? values.toSorted(byNumber) : values.toSorted(), orderField);
      }
      const { data } = await call("GET", "list", clerk, undefined, { curPage: "2", pageSize: "2", order: "DESC" });
      assert.deepEqual([data.pageSize, data.currPage, data.list.length], [2, 2, 2]);
    });
  });
}
