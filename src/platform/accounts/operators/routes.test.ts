import assert from "node:assert/strict";
import { constants, createHash, createPublicKey, publicEncrypt } from "node:crypto";
import { beforeEach, describe, test } from "node:test";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { overSessions, startSession } from "#platform/accounts/session.ts";
import { removeOver } from "#platform/process/removal.ts";
import { serviceNames } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { clearAudit } from "#test/database.ts";

const secret = "unspeakable-secret";
const app = await startTestApp({ services: [], settings: { OPERATOR_PASSWORD: secret } });
const { pool } = app;

interface Answer {
  readonly status: number;
  readonly code: string;
  // What each test expects of it differs; a wrong shape fails its assertion.
  readonly data: never;
  readonly headers: Headers;
}

async function call(method: string, place: string, options: Parameters<typeof app.call>[2] = {}): Promise<Answer> {
  const { status, headers, json } = await app.call(method, place, options);
  const { code, data } = json as Pick<Answer, "code" | "data">;
  return { status, code, data, headers };
}

const password = "correct-horse";
const passwordHash = await hashPassword(password);

interface Person {
  readonly id: number;
  readonly token: string;
}

async function makePerson(
  userName: string,
  {
    of = "platform",
    services = null,
    isSuper = true,
  }: { of?: string; services?: string[] | null; isSuper?: boolean } = {},
): Promise<Person> {
  const id = await insertAccount(pool, {
    service: of,
    userName,
    name: `name of ${userName}`,
    passwordHash,
    isSuper,
    enabled: true,
    services,
  });
  const { token } = await startSession(pool, {
    accountId: id,
    address: "198.51.100.1",
    userAgent: "a browser",
    hours: 12,
  });
  return { id, token };
}

const codeOf = async (answer: Promise<Answer>): Promise<string> => (await answer).code;
const isSignedIn = async ({ token }: Person): Promise<boolean> =>
  (await call("GET", "/platform/session/own", { token })).code === "0";
const publicKey = createPublicKey({
  key: Buffer.from((await call("GET", "/platform/publicKey")).data, "base64"),
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
  test("as JSON and as form, with the token in body and header", async () => {
    const json = await call("POST", "/platform/login", { body: { userName: "root", password } });
    const form = await call("POST", "/platform/login", {
      raw: `userName=root&password=${password}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    for (const { code, data, headers } of [json, form]) {
      assert.equal(code, "0");
      const { userName, token, expireTime } = data as { userName: string; token: string; expireTime: number };
      assert.deepEqual(Object.keys(data).toSorted(), ["expireTime", "token", "userName"]);
      assert.equal(userName, "root");
      assert.equal(headers.get("admin_token"), token);
      assert.ok(Math.abs(expireTime - Date.now() - 12 * 3_600_000) < 60_000);
      assert.equal(await codeOf(call("GET", "/platform/settings", { token })), "0");
    }
  });

  test("an operator of few services still runs the platform, signs out and changes the password", async () => {
    const limited = await makePerson("limited", { services: [] });
    assert.ok(await isSignedIn(limited));
    const body = { id: limited.id, password: encrypt(password), newPassword: encrypt("another-password") };
    assert.equal(
      await codeOf(
        call("PUT", "/platform/updatePassword", {
          token: limited.token,
          body: { ...body, password: encrypt("wrong-password") },
        }),
      ),
      "10007",
    );
    const undecryptable = await call("PUT", "/platform/updatePassword", {
      token: limited.token,
      body: { ...body, newPassword: "AAAA" },
    });
    assert.equal(undecryptable.code, "10007");
    assert.equal(await codeOf(call("PUT", "/platform/updatePassword", { token: root.token, body })), "10008");
    assert.equal((await readLastAudit())["outcome"], "refused");
    assert.equal(await codeOf(call("PUT", "/platform/updatePassword", { token: limited.token, body })), "0");
    assert.ok(!(await isSignedIn(limited)));
    const again = await call("POST", "/platform/login", {
      body: { userName: "limited", password: "another-password" },
    });
    const { token } = again.data as { token: string };
    assert.equal(await codeOf(call("POST", "/platform/logout", { token })), "0");
    assert.equal(await codeOf(call("POST", "/platform/logout", { token })), "10006");
  });
});

describe("operators", () => {
  const save = (body: object, token = root.token, headers = {}) =>
    call("POST", "/platform/operator/save", { token, body, headers });
  const update = (body: object, token = root.token) => call("PUT", "/platform/operator/update", { token, body });
  const remove = (body: unknown, token = root.token) => call("DELETE", "/platform/operator/delete", { token, body });
  const list = async (query = "") =>
    (await call("GET", `/platform/operator/list${query}`, { token: root.token })).data as {
      totalCount: number;
      currPage: number;
      list: { id: number; userName: string }[];
    };

  test("a new one is listed as it was made, without a password", async () => {
    const made = await save({
      id: 5,
      userName: "second",
      name: "二号",
      password: "a-good-password",
      services: ["push-relay", "reporting"],
      extra: 1,
    });
    assert.deepEqual([made.status, made.code], [200, "0"]);
    assert.match(made.data, /^\d+$/);
    const page = await list();
    const [newest] = page.list;
    const { createTime, ...record } = newest as unknown as { createTime: string };
    assert.match(createTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual(record, {
      id: Number(made.data),
      userName: "second",
      name: "二号",
      services: ["reporting", "push-relay"],
      status: "1",
    });
    assert.equal(page.totalCount, 2);
    assert.equal(
      await codeOf(call("POST", "/platform/login", { body: { userName: "second", password: "a-good-password" } })),
      "0",
    );
    assert.deepEqual(await readLastAudit().then(({ action }) => action), "login");
    const [line] =
      await pool`select records, detail, user_name from platform.audit where action = 'createOperator' and outcome = 'done' order by id desc limit 1`;
    assert.deepEqual({ ...line }, { records: [made.data], detail: { userName: "second" }, user_name: "root" });
  });

  test("a wrong new one is refused and none is made", async () => {
    await makePerson("clerk", { of: "reporting" });
    const good = { userName: "second", password: "a-good-password" };
    assert.equal(await codeOf(save({ ...good, userName: "root" })), "10004");
    assert.equal(await codeOf(save({ ...good, userName: "clerk" })), "10004");
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
    ]) {
      assert.equal(await codeOf(save({ ...good, ...wrong })), "10001", JSON.stringify(wrong));
    }
    assert.equal(await codeOf(save({ ...good, userName: "x".repeat(256) })), "10026");
    assert.equal(await codeOf(call("POST", "/platform/operator/save", { token: root.token })), "10002");
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
    for (const [query, code] of [
      ["?orderField=password", "10007"],
      ["?order=up", "10001"],
      ["?pageSize=1001", "10001"],
      ["?curPage=0", "10001"],
    ] as const) {
      assert.equal(await codeOf(call("GET", `/platform/operator/list${query}`, { token: root.token })), code);
    }
  });

  test("a change keeps what is left out, and ends sessions only when it takes something away", async () => {
    const second = await makePerson("second", { services: ["reporting"] });
    assert.equal((await update({ id: second.id, name: "二号" })).data, "1");
    assert.equal(
      (await update({ id: second.id, services: ["reporting"], status: "1", password: "", userName: "second" })).data,
      "1",
    );
    assert.ok(await isSignedIn(second));
    const record = (await list()).list.find(({ id }) => id === second.id);
    assert.deepEqual(record, { ...record, userName: "second", name: "二号", status: "1", services: ["reporting"] });
    assert.equal((await update({ id: second.id, name: "" })).code, "0");
    assert.equal(((await list()).list.find(({ id }) => id === second.id) as { name?: string } | undefined)?.name, "");
    assert.equal(await codeOf(call("POST", "/platform/login", { body: { userName: "second", password } })), "0");
  });

  for (const change of [{ password: "another-password" }, { services: ["attendance"] }, { status: "0" }]) {
    test(`a change of ${Object.keys(change).join()} ends the sessions of that operator alone`, async () => {
      const [second, third] = [await makePerson("second"), await makePerson("third")];
      assert.equal((await update({ id: second.id, ...change })).code, "0");
      assert.deepEqual(
        [await isSignedIn(second), await isSignedIn(third), await isSignedIn(root)],
        [false, true, true],
      );
    });
  }

  test("a change of nobody, of nothing there, or onto another's name is refused", async () => {
    const clerk = await makePerson("clerk", { of: "reporting" });
    const second = await makePerson("second");
    assert.equal(await codeOf(update({ name: "x" })), "10023");
    assert.equal(await codeOf(update({ id: null })), "10023");
    assert.equal(await codeOf(update({ id: 0 })), "10001");
    assert.equal(await codeOf(update({ id: 999_999 })), "10005");
    assert.equal(await codeOf(update({ id: clerk.id, status: "0" })), "10005");
    assert.equal(await codeOf(update({ id: second.id, userName: "root" })), "10004");
    assert.equal(await codeOf(update({ id: second.id, userName: "clerk" })), "10004");
    assert.equal(await codeOf(update({ id: second.id, password: "short" })), "10001");
  });

  test("deleting signs out, counts, and leaves others alone", async () => {
    const [second, third] = [await makePerson("second"), await makePerson("third")];
    const clerk = await makePerson("clerk", { of: "reporting" });
    assert.equal((await remove([second.id, second.id, 999_999, clerk.id])).data, "1");
    assert.deepEqual([await isSignedIn(second), await isSignedIn(third)], [false, true]);
    assert.deepEqual((await readLastAudit())["records"], [String(second.id)]);
    assert.equal(await codeOf(remove([])), "10023");
    assert.equal(await codeOf(remove([999_999, clerk.id])), "10005");
    assert.equal(await codeOf(remove({ ids: [third.id] })), "10001");
    assert.equal(await codeOf(call("DELETE", "/platform/operator/delete", { token: root.token })), "10002");
  });

  test("neither oneself nor the last enabled one is taken away, and the refusal is noted", async () => {
    const second = await makePerson("second");
    for (const refused of [
      remove([root.id, second.id]),
      update({ id: root.id, status: "0" }),
      update({ id: root.id, services: [] }),
    ]) {
      assert.equal(await codeOf(refused), "10008");
    }
    assert.equal((await readLastAudit())["outcome"], "refused");
    assert.equal((await list()).totalCount, 2);
    assert.equal((await update({ id: root.id, password: "another-password" })).code, "0");
    assert.ok(!(await isSignedIn(root)));
  });

  test("of two who disable one another at once, one stays", async () => {
    const second = await makePerson("second");
    const codes = await Promise.all([
      codeOf(update({ id: second.id, status: "0" }, root.token)),
      codeOf(update({ id: root.id, status: "0" }, second.token)),
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
    assert.equal(await codeOf(save(good, token)), "10008");
    assert.equal(await codeOf(save({ ...good, services: ["push-relay"] }, token)), "10008");
    assert.equal(await codeOf(save({ ...good, services: ["reporting"] }, token)), "0");
    assert.equal(await codeOf(update({ id: root.id, password: "another-password" }, token)), "10008");
    assert.equal(await codeOf(update({ id: limited.id, services: [...serviceNames] }, token)), "10008");
    assert.equal(await codeOf(update({ id: peer.id, services: ["push-relay"] }, token)), "10008");
    assert.equal(await codeOf(update({ id: peer.id, services: ["reporting"] }, token)), "0");
    assert.equal(await codeOf(remove([root.id], token)), "10008");
    assert.equal(await codeOf(remove([peer.id], token)), "0");
  });
});

describe("sessions", () => {
  type Session = { id: number; userName: string; service: string; current: boolean };
  const list = async (query = "") =>
    (await call("GET", `/platform/session/list${query}`, { token: root.token })).data as {
      totalCount: number;
      list: Session[];
    };

  test("those of all services are listed, with who, where and since when", async () => {
    await makePerson("clerk", { of: "reporting" });
    const gone = await makePerson("gone", { of: "reporting" });
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
    assert.deepEqual(
      found.map(({ current }) => current),
      [false, true],
    );
    assert.deepEqual(
      (await list("?service=reporting")).list.map(({ userName }) => userName),
      ["clerk"],
    );
    assert.deepEqual(
      (await list("?userName=OO")).list.map(({ userName }) => userName),
      ["root"],
    );
    assert.equal(JSON.stringify(found).includes(root.token), false);
    assert.equal(await codeOf(call("GET", "/platform/session/list?orderField=token", { token: root.token })), "10007");
  });

  test("ended ones are worth nothing and counted", async () => {
    const second = await makePerson("second");
    const { list: found } = await list("?userName=second");
    const end = (body: unknown) => call("DELETE", "/platform/session/delete", { token: root.token, body });
    assert.equal((await end([found[0]?.id, 999_999])).data, "1");
    assert.ok(!(await isSignedIn(second)));
    assert.deepEqual((await readLastAudit())["detail"], { userNames: "second" });
    assert.equal(await codeOf(end([found[0]?.id])), "10005");
    assert.equal(await codeOf(end([])), "10023");
    const own = (await list()).list.find(({ current }) => current);
    assert.equal((await end([own?.id])).data, "1");
    assert.ok(!(await isSignedIn(root)));
  });

  test("those of whom one may not manage are not ended, and the refusal is noted", async () => {
    const none = await makePerson("none", { services: [] });
    const some = await makePerson("some", { services: ["reporting", "attendance"] });
    const clerk = await makePerson("clerk", { of: "reporting" });
    const student = await makePerson("student-office", { of: "tuition-payment" });
    const { list: found } = await list();
    const idOf = (name: string) => found.find(({ userName }) => userName === name)?.id;
    const end = (who: Person, ...names: string[]) =>
      codeOf(call("DELETE", "/platform/session/delete", { token: who.token, body: names.map(idOf) }));

    for (const name of ["root", "some", "clerk"]) assert.equal(await end(none, name), "10008", name);
    for (const name of ["root", "student-office"]) assert.equal(await end(some, name), "10008", name);
    assert.equal(await end(some, "clerk", "root"), "10008");
    const { action, outcome, user_name } = await readLastAudit();
    assert.deepEqual([action, outcome, user_name], ["deleteSessions", "refused", "some"]);
    for (const person of [root, some, clerk, student]) assert.ok(await isSignedIn(person));

    const seen = (await call("GET", "/platform/session/list", { token: some.token })).data as {
      list: { userName: string; endable: boolean }[];
    };
    const endable = seen.list.filter((session) => session.endable).map(({ userName }) => userName);
    assert.deepEqual(endable.sort(), ["clerk", "none", "some"]);
    assert.equal(await end(some, "clerk", "none", "some"), "0");
    for (const person of [none, some, clerk]) assert.ok(!(await isSignedIn(person)));
  });
});

describe("one's own session", () => {
  const read = (token?: string) => call("GET", "/platform/session/own", { token });

  test("tells whoever is signed in, at whichever service, who they are and what they may use", async () => {
    const operator = await makePerson("own-operator", { services: ["reporting", "attendance"] });
    const { expireTime, ...own } = (await read(operator.token)).data as { expireTime: number };
    assert.deepEqual(own, {
      accountId: operator.id,
      service: "platform",
      userName: "own-operator",
      name: "name of own-operator",
      isSuper: true,
      services: ["reporting", "attendance"],
      secondFactor: "none",
      mustChoosePassword: false,
    });
    assert.ok(Math.abs(expireTime - Date.now() - 12 * 3_600_000) < 60_000);

    const administrator = await makePerson("own-administrator", { of: "reporting", isSuper: false });
    const theirs = (await read(administrator.token)).data as { service: string; isSuper: boolean; services: string[] };
    assert.deepEqual([theirs.service, theirs.isSuper, theirs.services], ["reporting", false, ["reporting"]]);
  });
});

describe("where one is signed in oneself", () => {
  const list = "/platform/session/own/list";
  const end = "/platform/session/own/delete";

  test("is refused without a token, and told to an administrator of any service, of nobody else", async () => {
    assert.equal(await codeOf(call("GET", list)), "10012");
    assert.equal(await codeOf(call("DELETE", end, { body: [1] })), "10012");
    const clerk = await makePerson("clerk", { of: "reporting", isSuper: false });
    await startSession(pool, { accountId: clerk.id, address: "203.0.113.7", userAgent: "another", hours: 1 });
    const { data } = await call("GET", list, { token: clerk.token });
    const own = data as { id: number; current: boolean; address: string; userAgent: string }[];
    assert.deepEqual(
      own.map(({ current, address, userAgent }) => [current, address, userAgent]),
      [
        [true, "198.51.100.1", "a browser"],
        [false, "203.0.113.7", "another"],
      ],
    );
    const fields = ["address", "createTime", "current", "expireTime", "id", "lastUseTime", "userAgent"];
    assert.deepEqual(Object.keys(own[0] ?? {}).toSorted(), fields);
  });

  test("ends one's own and nobody else's, with a line in the audit log", async () => {
    const [one, other] = [await makePerson("one", { of: "reporting" }), await makePerson("other", { of: "reporting" })];
    const { token } = await startSession(pool, { accountId: one.id, address: "::1", userAgent: "lost", hours: 1 });
    const idOf = async (of: string) => ((await call("GET", list, { token: of })).data as { id: number }[])[0]?.id;
    const [lost, strangers] = [await idOf(token), await idOf(other.token)];
    for (const [body, code] of [
      [[], "10023"],
      [[strangers], "10005"],
      [[0], "10001"],
      ["x", "10001"],
    ] as const)
      assert.equal(await codeOf(call("DELETE", end, { token: one.token, body })), code, JSON.stringify(body));
    assert.ok(await isSignedIn(other));
    assert.equal((await call("DELETE", end, { token: one.token, body: [lost, strangers] })).data, "1");
    assert.equal(await isSignedIn({ id: one.id, token }), false);
    assert.ok((await isSignedIn(one)) && (await isSignedIn(other)));
    const line = await readLastAudit();
    assert.deepEqual([line["action"], line["records"]], ["deleteOwnSessions", [String(lost)]]);
  });
});

describe("a session that nobody uses", () => {
  const idleFor = (token: string, seconds: number) =>
    pool`update platform.session set last_used_at = now() - make_interval(secs => ${seconds})
      where token_hash = ${createHash("sha256").update(token).digest()}`;

  test("is over after TOKEN_IDLE_MINUTES and the minute in which uses are not written; not before, nor without it", async () => {
    const at = await startTestApp({ services: [], settings: { TOKEN_IDLE_MINUTES: "5" }, beside: app });
    const isGood = async () => (await at.call("GET", "/platform/session/own", { token: root.token })).json.code === "0";
    await idleFor(root.token, 355);
    assert.ok(await isGood());
    // That was a use.
    const [{ seconds } = { seconds: -1 }] = await pool<{ seconds: number }[]>`
      select extract(epoch from now() - max(last_used_at))::float8 as seconds from platform.session`;
    assert.ok(seconds >= 0 && seconds < 60);
    await idleFor(root.token, 365);
    assert.equal(await isGood(), false);
    assert.ok(await isSignedIn(root), "without the setting it lasts");
    await idleFor(root.token, 365);
    const removeOld = async (TOKEN_IDLE_MINUTES: number) => {
      for (const rows of overSessions({ TOKEN_IDLE_MINUTES })) await removeOver(pool, rows);
    };
    const count = async () =>
      (await pool<{ count: number }[]>`select count(*) as count from platform.session`)[0]?.count;
    await removeOld(0);
    assert.equal(await count(), 1);
    await removeOld(5);
    assert.equal(await count(), 0);
  });
});

describe("insight", () => {
  test("the audit log tells who did what, and filters", async () => {
    await clearAudit(pool);
    const second = await makePerson("second");
    await call("PUT", "/platform/operator/update", { token: root.token, body: { id: second.id, name: "x" } });
    await call("POST", "/platform/login", { body: { userName: "nobody", password } });
    const audit = async (query = "") =>
      (await call("GET", `/platform/audit${query}`, { token: root.token })).data as {
        totalCount: number;
        list: { id: number; time: string; userName: string }[];
      };
    const { totalCount, list } = await audit();
    assert.equal(totalCount, 2);
    const [failed, done] = list;
    assert.match(failed?.time ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual(failed, {
      id: failed?.id,
      time: failed?.time,
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
      id: done?.id,
      time: done?.time,
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
    const count = async (query: string) => (await audit(query)).totalCount;
    assert.equal(await count("?userName=NOBOD"), 1);
    assert.equal(await count("?action=updateOperator&service=platform"), 1);
    assert.equal(await count("?action=updateOp"), 0);
    assert.equal(await count("?service=reporting"), 0);
    const time = encodeURIComponent(list[0]?.time ?? "");
    assert.equal(await count(`?startTime=${time}&endTime=${time}&userName=nobody`), 1);
    assert.equal(await count("?endTime=2020-01-01%2000:00:00"), 0);
    assert.equal(await count("?startTime=2020-01-01%2000:00:00"), 2);
    assert.deepEqual(
      (await audit("?order=asc&pageSize=1")).list.map(({ userName }) => userName),
      ["root"],
    );
    for (const [query, code] of [
      ["?startTime=2026-02-30%2000:00:00", "10001"],
      ["?endTime=2026", "10001"],
      ["?orderField=action", "10007"],
      ["?service=library", "10001"],
      ["?pageSize=0", "10001"],
    ] as const) {
      assert.equal(await codeOf(call("GET", `/platform/audit${query}`, { token: root.token })), code);
    }
  });

  test("the settings are all told, secrets only as set or not set", async () => {
    const { data } = await call("GET", "/platform/settings", { token: root.token });
    const settings = data as { key: string; description: string; value: string; secret: boolean }[];
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
