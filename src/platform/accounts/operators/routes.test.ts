import assert from "node:assert/strict";
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import { beforeEach, describe, test } from "node:test";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { expiredSessions, startSession } from "#platform/accounts/session.ts";
import { deleteExpired } from "#platform/process/removal.ts";
import { serviceNames } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import { type CallOptions, startTestApp } from "#test/app.ts";
import { clearAudit } from "#test/database.ts";

const secret = "unspeakable-secret";
const app = await startTestApp({ services: [], settings: { OPERATOR_PASSWORD: secret } });
const { pool } = app;

async function call(method: string, place: string, options: CallOptions = {}) {
  const { status, headers, json } = await app.call(method, `/platform${place}`, options);
  return { status, code: json.code, data: json.data, headers };
}
const codeOf = async (...of: Parameters<typeof call>): Promise<string> => (await call(...of)).code;

const password = "correct-horse";
const passwordHash = await hashPassword(password);

interface Person {
  readonly id: number;
  readonly token: string;
}

interface Of {
  readonly service?: string;
  readonly services?: string[] | null;
  readonly isSuper?: boolean;
}
async function makePerson(userName: string, of: Of = {}): Promise<Person> {
  const standard = { service: "platform", services: null, isSuper: true, enabled: true };
  const id = await insertAccount(pool, { ...standard, ...of, userName, name: `name of ${userName}`, passwordHash });
  const from = { address: "198.51.100.1", userAgent: "a browser" };
  const { token } = await startSession(pool, { accountId: id, ...from, settings: readSettings({}) });
  return { id, token };
}

const isSignedIn = async ({ token }: Person): Promise<boolean> =>
  (await codeOf("GET", "/session/own", { token })) === "0";
const publicKey = createPublicKey({
  key: Buffer.from((await call("GET", "/publicKey")).data, "base64"),
  format: "der",
  type: "spki",
});
const encrypt = (text: string): string =>
  publicEncrypt(
    { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" },
    Buffer.from(text),
  ).toString("base64");

async function readLastAudit(): Promise<Record<string, unknown>> {
  const [row] =
    await pool`select service, user_name, action, outcome, records, detail from platform.audit order by id desc limit 1`;
  return { ...row };
}

let root: Person;
beforeEach(async () => {
  await pool`delete from platform.account`;
  await pool`delete from platform.login_failure`;
  root = await makePerson("root");
});

describe("signing in", () => {
  test("an operator of few services still runs the platform, signs out and changes the password", async () => {
    const limited = await makePerson("limited", { services: [] });
    assert.ok(await isSignedIn(limited));
    const body = { id: limited.id, password: encrypt(password), newPassword: encrypt("another-pass-phrase") };
    const change = (by: Person, changed = {}) =>
      codeOf("PUT", "/updatePassword", { token: by.token, body: { ...body, ...changed } });
    assert.equal(await change(limited, { password: encrypt("wrong-password") }), "10007");
    assert.equal(await change(limited, { newPassword: "AAAA" }), "10007");
    assert.equal(await change(root), "10008");
    assert.equal((await readLastAudit())["outcome"], "refused");
    assert.equal(await change(limited), "0");
    assert.ok(!(await isSignedIn(limited)));
    const again = { userName: "limited", password: "another-pass-phrase" };
    const { token } = (await call("POST", "/login", { body: again })).data;
    for (const code of ["0", "10006"]) assert.equal(await codeOf("POST", "/logout", { token }), code);
  });
});

describe("operators", () => {
  const save = (body?: object, token = root.token) => codeOf("POST", "/operator/save", { token, body });
  const update = (body: object, token = root.token) => codeOf("PUT", "/operator/update", { token, body });
  const remove = (body: unknown, token = root.token) => codeOf("DELETE", "/operator/delete", { token, body });
  interface Operator {
    readonly id: number;
    readonly userName: string;
    readonly name: string;
  }
  const list = async (query = ""): Promise<{ totalCount: number; list: Operator[] }> =>
    (await call("GET", `/operator/list${query}`, { token: root.token })).data;
  const logIn = (userName: string, given: string) => codeOf("POST", "/login", { body: { userName, password: given } });

  test("a new one is listed as it was made, without a password", async () => {
    const named = { userName: "second", name: "二号" };
    const given = { ...named, id: 5, password: "a-good-password", services: ["push-relay", "reporting"], extra: 1 };
    const made = await call("POST", "/operator/save", { token: root.token, body: given });
    assert.deepEqual([made.status, made.code], [200, "0"]);
    assert.match(made.data, /^\d+$/);
    const page = await list();
    const { createTime, ...record } = page.list[0] as unknown as { createTime: string };
    assert.match(createTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const services = ["reporting", "push-relay"];
    assert.deepEqual(record, { id: Number(made.data), ...named, services, status: "1" });
    assert.equal(page.totalCount, 2);
    assert.equal(await logIn("second", "a-good-password"), "0");
    assert.equal((await readLastAudit())["action"], "login");
    const [line] =
      await pool`select records, detail, user_name from platform.audit where action = 'createOperator' and outcome = 'done' order by id desc limit 1`;
    assert.deepEqual({ ...line }, { records: [made.data], detail: { userName: "second" }, user_name: "root" });
  });

  test("a wrong new one is refused and none is made", async () => {
    await makePerson("clerk", { service: "reporting" });
    const good = { userName: "second", password: "a-good-password" };
    for (const taken of ["root", "clerk"]) assert.equal(await save({ ...good, userName: taken }), "10004");
    for (const wrong of [
      { password: undefined },
      { password: "" },
      { password: null },
      { password: "short" },
      { password: "x".repeat(129) },
      { userName: "" },
      { userName: undefined },
      { status: "2" },
      { status: 1 },
      { services: ["library"] },
      { services: "reporting" },
    ])
      assert.equal(await save({ ...good, ...wrong }), "10001", JSON.stringify(wrong));
    assert.equal(await save({ ...good, userName: "x".repeat(256) }), "10026");
    assert.equal(await save(), "10002");
    assert.equal((await list()).totalCount, 1);
  });

  test("a list is filtered, sorted and paged", async () => {
    for (const userName of ["anna_1", "ANNA%2", "berta"]) await makePerson(userName);
    const names = async (query: string) => (await list(query)).list.map(({ userName }) => userName);
    assert.deepEqual(
      await names("?userName=anna&orderField=userName&order=ASC"),
      (await names("?userName=anna")).toSorted(),
    );
    assert.deepEqual(await names("?userName=%25"), ["ANNA%2"]);
    assert.deepEqual(await names("?name=OF%20bert"), ["berta"]);
    assert.deepEqual(await names("?userName="), ["berta", "ANNA%2", "anna_1", "root"]);
    assert.deepEqual(await names("?curPage=2&pageSize=3&orderField=id&order=asc"), ["berta"]);
    const beyond = await list("?curPage=9&pageSize=3");
    assert.deepEqual(beyond, { totalCount: 4, pageSize: 3, totalPage: 2, currPage: 9, list: [] });
  });

  test("a change keeps what is left out, and ends sessions only when it takes something away", async () => {
    const second = await makePerson("second", { services: ["reporting"] });
    const { id } = second;
    const same = { services: ["reporting"], status: "1", userName: "second" };
    for (const change of [{ name: "二号" }, { ...same, password: "" }]) {
      const body = { id, ...change };
      assert.equal((await call("PUT", "/operator/update", { token: root.token, body })).data, "1");
    }
    assert.ok(await isSignedIn(second));
    const find = async () => (await list()).list.find((one) => one.id === id);
    assert.partialDeepStrictEqual(await find(), { ...same, name: "二号" });
    assert.equal(await update({ id, name: "" }), "0");
    assert.equal((await find())?.name, "");
    assert.equal(await logIn("second", password), "0");
  });

  for (const change of [{ password: "another-pass-phrase" }, { services: ["attendance"] }, { status: "0" }]) {
    test(`a change of ${Object.keys(change).join()} ends the sessions of that operator alone`, async () => {
      const [second, third] = [await makePerson("second"), await makePerson("third")];
      assert.equal(await update({ id: second.id, ...change }), "0");
      const signedIn = await Promise.all([second, third, root].map(isSignedIn));
      assert.deepEqual(signedIn, [false, true, true]);
    });
  }

  test("a change of another kind of account, or onto another's name is refused", async () => {
    const clerk = await makePerson("clerk", { service: "reporting" });
    const { id } = await makePerson("second");
    for (const [change, code] of [
      [{ id: clerk.id, status: "0" }, "10005"],
      [{ id, userName: "root" }, "10004"],
      [{ id, userName: "clerk" }, "10004"],
      [{ id, password: "short" }, "10001"],
    ] as const)
      assert.equal(await update(change), code, JSON.stringify(change));
  });

  test("deleting signs out, counts, and leaves others alone", async () => {
    const [second, third] = [await makePerson("second"), await makePerson("third")];
    const clerk = await makePerson("clerk", { service: "reporting" });
    const body = [second.id, second.id, 999_999, clerk.id];
    assert.equal((await call("DELETE", "/operator/delete", { token: root.token, body })).data, "1");
    assert.deepEqual([await isSignedIn(second), await isSignedIn(third)], [false, true]);
    assert.deepEqual((await readLastAudit())["records"], [String(second.id)]);
    assert.equal(await remove([999_999, clerk.id]), "10005");
    assert.equal(await remove({ ids: [third.id] }), "10001");
    assert.equal(await remove(undefined), "10002");
  });

  test("neither oneself nor the last enabled one is taken away, and the refusal is noted", async () => {
    const second = await makePerson("second");
    assert.equal(await remove([root.id, second.id]), "10008");
    for (const change of [{ status: "0" }, { services: [] }])
      assert.equal(await update({ id: root.id, ...change }), "10008");
    assert.equal((await readLastAudit())["outcome"], "refused");
    assert.equal((await list()).totalCount, 2);
    assert.equal(await update({ id: root.id, password: "another-pass-phrase" }), "0");
    assert.ok(!(await isSignedIn(root)));
  });

  test("of two who disable one another at once, one stays", async () => {
    const second = await makePerson("second");
    const codes = await Promise.all([
      update({ id: second.id, status: "0" }, root.token),
      update({ id: root.id, status: "0" }, second.token),
    ]);
    assert.deepEqual(codes.toSorted(), ["0", "10006"]);
    const enabled = await pool`select 1 from platform.account where enabled`;
    assert.equal(enabled.length, 1);
  });

  test("nobody reaches beyond the services that they run", async () => {
    const limited = await makePerson("limited", { services: ["reporting", "attendance"] });
    const peer = await makePerson("peer", { services: ["attendance"] });
    const { token } = limited;
    const good = { userName: "new", password: "a-good-password" };
    assert.equal(await save(good, token), "10008");
    assert.equal(await save({ ...good, services: ["push-relay"] }, token), "10008");
    assert.equal(await save({ ...good, services: ["reporting"] }, token), "0");
    assert.equal(await update({ id: root.id, password: "another-pass-phrase" }, token), "10008");
    assert.equal(await update({ id: limited.id, services: [...serviceNames] }, token), "10008");
    assert.equal(await update({ id: peer.id, services: ["push-relay"] }, token), "10008");
    assert.equal(await update({ id: peer.id, services: ["reporting"] }, token), "0");
    assert.equal(await remove([root.id], token), "10008");
    assert.equal(await remove([peer.id], token), "0");
  });
});

describe("sessions", () => {
  interface Session {
    readonly id: number;
    readonly userName: string;
    readonly current: boolean;
    readonly endable: boolean;
  }
  const list = async (query = "", { token } = root): Promise<{ totalCount: number; list: Session[] }> =>
    (await call("GET", `/session/list${query}`, { token })).data;

  test("those of all services are listed, with who, where and since when", async () => {
    await makePerson("clerk", { service: "reporting" });
    const gone = await makePerson("gone", { service: "reporting" });
    await pool`update platform.session set expires_at = now() where account_id = ${gone.id}`;
    const { totalCount, list: found } = await list("?orderField=userName&order=asc");
    assert.equal(totalCount, 2);
    const { id, createTime, lastUseTime, expireTime, ...clerk } = found[0] as unknown as Record<string, unknown>;
    assert.deepEqual(clerk, {
      service: "reporting",
      userName: "clerk",
      name: "name of clerk",
      address: "198.51.100.1",
      userAgent: "a browser",
      current: false,
      endable: true,
    });
    assert.ok(Number.isInteger(id) && Number(expireTime) > Date.now());
    for (const time of [createTime, lastUseTime]) assert.match(String(time), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual([found[0]?.current, found[1]?.current], [false, true]);
    for (const [query, userName] of [
      ["?service=reporting", "clerk"],
      ["?userName=OO", "root"],
    ]) {
      const { list: some } = await list(query);
      assert.deepEqual([some.length, some[0]?.userName], [1, userName]);
    }
    assert.equal(JSON.stringify(found).includes(root.token), false);
  });

  test("ended ones are worth nothing and counted", async () => {
    const second = await makePerson("second");
    const { list: found } = await list("?userName=second");
    const end = (body: unknown) => call("DELETE", "/session/delete", { token: root.token, body });
    assert.equal((await end([found[0]?.id, 999_999])).data, "1");
    assert.ok(!(await isSignedIn(second)));
    assert.deepEqual((await readLastAudit())["detail"], { userNames: "second" });
    assert.equal((await end([found[0]?.id])).code, "10005");
    const own = (await list()).list.find(({ current }) => current);
    assert.equal((await end([own?.id])).data, "1");
    assert.ok(!(await isSignedIn(root)));
  });

  test("those of whom one may not manage are not ended, and the refusal is noted", async () => {
    const none = await makePerson("none", { services: [] });
    const some = await makePerson("some", { services: ["reporting", "attendance"] });
    const clerk = await makePerson("clerk", { service: "reporting" });
    const student = await makePerson("student-office", { service: "tuition-payment" });
    const { list: found } = await list();
    const idOf = (name: string) => found.find(({ userName }) => userName === name)?.id;
    const end = (who: Person, ...names: string[]) =>
      codeOf("DELETE", "/session/delete", { token: who.token, body: names.map(idOf) });

    for (const name of ["root", "some", "clerk"]) assert.equal(await end(none, name), "10008", name);
    for (const name of ["root", "student-office"]) assert.equal(await end(some, name), "10008", name);
    assert.equal(await end(some, "clerk", "root"), "10008");
    const { action, outcome, user_name } = await readLastAudit();
    assert.deepEqual([action, outcome, user_name], ["deleteSessions", "refused", "some"]);
    for (const person of [root, some, clerk, student]) assert.ok(await isSignedIn(person));

    const seen = await list("", some);
    const endable = seen.list.filter((session) => session.endable).map(({ userName }) => userName);
    assert.deepEqual(endable.sort(), ["clerk", "none", "some"]);
    assert.equal(await end(some, "clerk", "none", "some"), "0");
    for (const person of [none, some, clerk]) assert.ok(!(await isSignedIn(person)));
  });
});

test("one's own session tells whoever is signed in, at whichever service, who they are and what they may use", async () => {
  const read = async ({ token }: Person) => (await call("GET", "/session/own", { token })).data;
  const operator = await makePerson("own-operator", { services: ["reporting", "attendance"] });
  const { expireTime, ...own } = await read(operator);
  assert.deepEqual(own, {
    accountId: operator.id,
    service: "platform",
    userName: "own-operator",
    name: "name of own-operator",
    isSuper: true,
    services: ["reporting", "attendance"],
    secondFactor: "none",
    mustChoosePassword: false,
    news: [],
  });
  assert.ok(Math.abs(expireTime - Date.now() - 12 * 3_600_000) < 60_000);
  const theirs = await read(await makePerson("own-administrator", { service: "reporting", isSuper: false }));
  assert.partialDeepStrictEqual(theirs, { service: "reporting", isSuper: false, services: ["reporting"] });
});

describe("where one is signed in oneself", () => {
  const list = "/session/own/list";
  const end = "/session/own/delete";

  test("is refused without a token, and told to an administrator of any service, of nobody else", async () => {
    assert.equal(await codeOf("GET", list), "10012");
    assert.equal(await codeOf("DELETE", end, { body: [1] }), "10012");
    const clerk = await makePerson("clerk", { service: "reporting", isSuper: false });
    await startSession(pool, {
      accountId: clerk.id,
      address: "203.0.113.7",
      userAgent: "another",
      settings: readSettings({}),
    });
    const { data: own } = await call("GET", list, { token: clerk.token });
    assert.equal(own.length, 2);
    assert.partialDeepStrictEqual(own, [
      { current: true, address: "198.51.100.1", userAgent: "a browser" },
      { current: false, address: "203.0.113.7", userAgent: "another" },
    ]);
    const fields = ["address", "createTime", "current", "expireTime", "id", "lastUseTime", "userAgent"];
    assert.deepEqual(Object.keys(own[0]).toSorted(), fields);
  });

  test("ends one's own and nobody else's, with a line in the audit log", async () => {
    const service = "reporting";
    const [one, other] = [await makePerson("one", { service }), await makePerson("other", { service })];
    const { token } = await startSession(pool, {
      accountId: one.id,
      address: "::1",
      userAgent: "lost",
      settings: readSettings({}),
    });
    const idOf = async (of: string) => (await call("GET", list, { token: of })).data[0].id;
    const [lost, strangers] = [await idOf(token), await idOf(other.token)];
    assert.equal(await codeOf("DELETE", end, { token: one.token, body: [strangers] }), "10005");
    assert.ok(await isSignedIn(other));
    assert.equal((await call("DELETE", end, { token: one.token, body: [lost, strangers] })).data, "1");
    assert.equal(await isSignedIn({ id: one.id, token }), false);
    assert.ok((await isSignedIn(one)) && (await isSignedIn(other)));
    const line = await readLastAudit();
    assert.deepEqual([line["action"], line["records"]], ["deleteOwnSessions", [String(lost)]]);
  });
});

describe("a session that nobody uses", () => {
  const idleFor = (seconds: number) =>
    pool`update platform.session set last_used_at = now() - make_interval(secs => ${seconds})`;

  test("is over after TOKEN_IDLE_MINUTES and the minute in which uses are not written; not before, nor without it", async () => {
    const at = await startTestApp({ services: [], settings: { TOKEN_IDLE_MINUTES: "5" }, beside: app });
    const isGood = async () => (await at.call("GET", "/platform/session/own", { token: root.token })).json.code === "0";
    await idleFor(355);
    assert.ok(await isGood());
    const [{ seconds } = { seconds: -1 }] = await pool<{ seconds: number }[]>`
      select extract(epoch from now() - max(last_used_at))::float8 as seconds from platform.session`;
    assert.ok(seconds >= 0 && seconds < 60);
    await idleFor(365);
    assert.equal(await isGood(), false);
    assert.ok(await isSignedIn(root), "without the setting it lasts");
    await idleFor(365);
    for (const [minutes, left] of [
      [0, 1],
      [5, 0],
    ] as const) {
      for (const rows of expiredSessions({ TOKEN_IDLE_MINUTES: minutes, CONSOLE_IDLE_MINUTES: 30 }))
        await deleteExpired(pool, rows);
      assert.equal((await pool`select 1 from platform.session`).length, left);
    }
  });
});

describe("insight", () => {
  test("the audit log tells who did what, and filters", async () => {
    await clearAudit(pool);
    const second = await makePerson("second");
    await call("PUT", "/operator/update", { token: root.token, body: { id: second.id, name: "x" } });
    await call("POST", "/login", { body: { userName: "nobody", password } });
    const audit = async (query = "") => (await call("GET", `/audit${query}`, { token: root.token })).data;
    const { totalCount, list } = await audit();
    assert.equal(totalCount, 2);
    const [failed, done] = list;
    assert.match(failed.time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual(failed, {
      id: failed.id,
      time: failed.time,
      service: "platform",
      userName: "nobody",
      name: null,
      action: "login",
      outcome: "failed",
      records: [],
      detail: { problem: "loginFailed" },
      address: "127.0.0.1",
      changedRecords: 0,
      changes: [],
    });
    assert.deepEqual(done, {
      id: done.id,
      time: done.time,
      service: "platform",
      userName: "root",
      name: "name of root",
      action: "updateOperator",
      outcome: "done",
      records: [String(second.id)],
      detail: { userName: "second" },
      address: "127.0.0.1",
      changedRecords: 1,
      changes: [
        {
          what: "account",
          record: String(second.id),
          fields: [{ field: "name", before: "name of second", after: "x" }],
        },
      ],
    });
    const time = encodeURIComponent(failed.time);
    for (const [query, count] of [
      ["?userName=NOBOD", 1],
      ["?action=updateOperator&service=platform", 1],
      ["?action=updateOp", 0],
      ["?service=reporting", 0],
      [`?startTime=${time}&endTime=${time}&userName=nobody`, 1],
      ["?endTime=2020-01-01%2000:00:00", 0],
      ["?startTime=2020-01-01%2000:00:00", 2],
    ] as const)
      assert.equal((await audit(query)).totalCount, count, query);
    const { list: first } = await audit("?order=asc&pageSize=1");
    assert.deepEqual([first.length, first[0].userName], [1, "root"]);
    for (const [query, code] of [
      ["?startTime=2026-02-30%2000:00:00", "10001"],
      ["?endTime=2026", "10001"],
      ["?service=library", "10001"],
    ] as const)
      assert.equal(await codeOf("GET", `/audit${query}`, { token: root.token }), code);
  });

  test("the settings are all told, secrets only as set or not set", async () => {
    const { data } = await call("GET", "/settings", { token: root.token });
    const settings: { key: string; description: string; value: string; secret: boolean }[] = data;
    assert.ok(settings.every(({ description }) => description !== ""));
    const valueOf = (key: string) => settings.find((setting) => setting.key === key)?.value;
    assert.deepEqual(
      ["TIME_ZONE", "DATABASE_POOL", "OPERATOR_PASSWORD", "DATABASE_URL", "METRICS_TOKEN"].map(valueOf),
      ["Asia/Shanghai", "8", "set", "set", "not set"],
    );
    assert.ok(
      settings.filter((setting) => setting.secret).every(({ value }) => value === "set" || value === "not set"),
    );
    assert.ok(!JSON.stringify(data).includes(secret));
  });
});
