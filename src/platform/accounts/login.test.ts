import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setOperatorPassword, unlockOperator } from "#platform/accounts/operators/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { conditions } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import { type Answer, startTestApp, type TestApp, testPassword, useFullPasswordCosts } from "#test/app.ts";
import { insertAccount } from "./account-store.ts";

// The server under test trusts the tests as a proxy, so each test can choose its client address.
const settings = { TRUSTED_PROXIES: "127.0.0.1" };
const app = await startTestApp({ services: ["reporting"], settings });
const { pool } = app;
beforeEach(() => pool`delete from platform.login_failure`);

interface From {
  readonly address?: string;
  readonly at?: string;
  readonly by?: TestApp;
}

const login = (
  userName: string,
  password: string,
  { address = "198.51.100.1", at = "/reporting/user/login", by = app }: From = {},
): Promise<Answer> => by.call("POST", at, { body: { userName, password }, headers: { "x-forwarded-for": address } });
const codeOf = async (...of: Parameters<typeof login>): Promise<string> => (await login(...of)).json.code;

async function fail(userName: string, times: number, from: From = {}): Promise<void> {
  for (let time = 0; time < times; time++) assert.equal(await codeOf(userName, "wrong-horse", from), "10009");
}

const age = (minutes: number) =>
  pool`update platform.login_failure set failed_at = failed_at - make_interval(mins => ${minutes})`;
const { userName } = await app.signIn("reporting");
const operator = await app.signIn("platform");
const { token } = await app.signIn("platform");
const password = "correct-horse-9";

describe("five failures from one address", () => {
  test("lock the account there for ten minutes: the fifth is still 10009", async () => {
    await fail(userName, 5);
    const locked = await login(userName, testPassword);
    assert.deepEqual([locked.status, locked.json.code, locked.json.data], [423, "20002", null]);
    const seconds = Number(locked.headers.get("retry-after"));
    assert.ok(seconds > 590 && seconds <= 600, `${seconds}`);
    assert.equal(await codeOf(userName, "wrong-horse"), "20002");
    assert.equal(await codeOf(userName, testPassword, { address: "198.51.100.2" }), "0");
    // Attempts during the lock did not prolong it, and a login from elsewhere did not end it.
    await age(9);
    assert.equal(await codeOf(userName, testPassword), "20002");
    await age(1);
    assert.equal(await codeOf(userName, testPassword), "0");
  });

  test("count only within ten minutes of one another", async () => {
    await fail(userName, 4);
    await age(10);
    await fail(userName, 4);
    assert.equal(await codeOf(userName, testPassword), "0");
  });

  test("count anew after a login", async () => {
    await fail(userName, 4);
    assert.equal(await codeOf(userName, testPassword), "0");
    await fail(userName, 5);
    assert.equal(await codeOf(userName, testPassword), "20002");
  });

  test("lock unknown, disabled and passwordless accounts alike", async () => {
    const account = { service: "reporting", name: "x", passwordHash: null, isSuper: false };
    await insertAccount(pool, { ...account, userName: "disabled", enabled: false });
    await insertAccount(pool, { ...account, userName: "passwordless", enabled: true });
    const expected = (await login(userName, "wrong-horse")).text;
    for (const name of ["nobody", "disabled", "passwordless", "no\u{1F642}body"]) {
      const answers = [];
      for (let time = 0; time < 6; time++) answers.push(await login(name, testPassword));
      const codes = answers.map(({ json }) => json.code).join(" ");
      assert.equal(codes, "10009 10009 10009 10009 10009 20002", name);
      assert.equal(answers[0]?.text, expected);
    }
  });

  test("of one site with IPv6 count together, and of an address however it is written", async () => {
    for (const address of ["2001:db8::1", "2001:db8:0:0:1::", "2001:0db8::ffff:1", "2001:db8::2", "2001:db8::3"])
      await fail(userName, 1, { address });
    assert.equal(await codeOf(userName, testPassword, { address: "2001:db8::9" }), "20002");
    assert.equal(await codeOf(userName, testPassword, { address: "2001:db8:0:1::9" }), "0");
    for (const address of ["::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"])
      await fail(userName, 1, { address });
    assert.equal(await codeOf(userName, testPassword, { address: "192.0.2.1" }), "20002");
  });
});

test("fifty failures from everywhere lock the account for all", async () => {
  await pool`
    insert into platform.login_failure (account_key, address, failed_at)
    select ${userName}, '203.0.113.' || i, now() - interval '9 minutes' from generate_series(1, 48) as i`;
  await fail(userName, 1, { address: "198.51.100.7" });
  assert.equal(await codeOf(userName, testPassword, { address: "192.0.2.9" }), "0");
  await fail(userName, 1, { address: "198.51.100.8" });
  for (const address of ["198.51.100.1", "198.51.100.8", "2001:db8:5::1"])
    assert.equal(await codeOf(userName, testPassword, { address }), "20002");
  await age(10);
  assert.equal(await codeOf(userName, testPassword), "0");
});

test("failures count together at every login, so that no lock tells whose name it is", async () => {
  const platform = { at: "/platform/login" };
  const outcomes = new Set<string>();
  for (const name of [operator.userName, userName, "nobody"]) {
    await fail(name, 3, platform);
    await fail(name, 2);
    const there = await codeOf(name, testPassword, platform);
    outcomes.add(`${there} ${await codeOf(name, testPassword)}`);
  }
  assert.deepEqual([...outcomes], ["20002 20002"]);
});

describe("an operator whom fifty failures of others lock out", () => {
  const known = "192.0.2.40";
  const lockForAll = (name: string) => pool`
    insert into platform.login_failure (account_key, address, failed_at)
    select ${name}, '203.0.113.' || i, now() from generate_series(1, 50) as i`;

  test("still gets in from an address that succeeded before, and from there alone", async () => {
    const at = "/platform/login";
    assert.equal(await codeOf(operator.userName, testPassword, { address: known, at }), "0");
    await lockForAll(operator.userName);
    assert.equal(await codeOf(operator.userName, testPassword, { address: "192.0.2.41", at }), "20002");
    assert.equal(await codeOf(operator.userName, testPassword, { address: known }), "0");
    await fail(operator.userName, 5, { address: known });
    assert.equal(await codeOf(operator.userName, testPassword, { address: known }), "20002");
    const others = await app.signIn("platform");
    await lockForAll(others.userName);
    assert.equal(await codeOf(others.userName, testPassword, { address: known, at }), "20002");
  });

  test("gets in by the command line, which is noted", async () => {
    const name = operator.userName;
    await lockForAll(name);
    await unlockOperator(pool, { userName: name.toUpperCase() });
    assert.equal(await codeOf(name, testPassword, { address: "192.0.2.42" }), "0");
    await lockForAll(name);
    await unlockOperator(pool, { userName: name, address: "2001:db8:7::1" });
    await lockForAll(name);
    assert.equal(await codeOf(name, testPassword, { address: "2001:db8:7::9" }), "0");
    assert.equal(await codeOf(name, testPassword, { address: "2001:db8:8::9" }), "20002");
    await setOperatorPassword(pool, { userName: name, password: testPassword });
    assert.equal(await codeOf(name, testPassword, { address: "192.0.2.43" }), "0");
    await assert.rejects(unlockOperator(pool, { userName }), { problem: "notFound" });
    await assert.rejects(unlockOperator(pool, { userName: name, address: "anywhere" }), { problem: "badFormat" });
    const lines = await pool`select user_name, detail from platform.audit where action = 'unlockOperator' order by id`;
    assert.deepEqual(
      lines.map(({ user_name, detail }) => [user_name, detail]),
      [
        ["command line", { userName: name, from: null }],
        ["command line", { userName: name, from: "2001:db8:7:0::/64" }],
      ],
    );
  });
});

test("a name is locked however it is written", async () => {
  const twin = userName.replace("o", "\u043E");
  for (const name of [userName, userName.toUpperCase(), `${userName} `, twin, `\u200B${userName}`]) await fail(name, 1);
  assert.equal(await codeOf(userName, testPassword), "20002");
});

test("all processes count together", async () => {
  const second = await startTestApp({ services: ["reporting"], settings, beside: app });
  await fail(userName, 3);
  await fail(userName, 2, { by: second });
  for (const by of [app, second]) assert.equal(await codeOf(userName, testPassword, { by }), "20002");
});

describe("many at once", () => {
  test("twenty guesses from one address get no more than five answers", async () => {
    for (const name of [userName, "nobody"]) {
      const guesses = Array.from({ length: 20 }, (_, guess) => `guess-${guess}-horse`);
      const codes = await Promise.all(guesses.map((guess) => codeOf(name, guess)));
      assert.deepEqual(codes.sort(), [...Array(5).fill("10009"), ...Array(15).fill("20002")], name);
    }
  });

  test("a right guess among them opens nothing once the five are used up", async () => {
    await fail(userName, 4);
    const wrong = Array.from({ length: 4 }, () => codeOf(userName, "wrong-horse"));
    const codes = await Promise.all([...wrong, codeOf(userName, testPassword)]);
    const right = codes.pop();
    assert.ok(right === "0" || right === "20002");
    const failures = codes.filter((code) => code === "10009").length;
    assert.ok(right === "0" ? failures >= 1 : failures === 1, codes.join());
  });

  test("two dozen logins leave lists and files answered before they are done", async (t) => {
    useFullPasswordCosts(t);
    const { token, userName } = await app.signIn("reporting");
    const { data: file } = (await app.call("POST", "/reporting/file/fileUpDown", { file: ["a.txt", "text"] })).json;
    const order: string[] = [];
    const logins = Array.from({ length: 24 }, (_, index) =>
      login(userName, testPassword, { address: `203.0.113.${index}` }).then(({ json }) =>
        order.push(`login ${json.code}`),
      ),
    );
    await Promise.race(logins);
    // Node reads files on the same threads that hash passwords.
    const reads = [file, ...Array<string>(5).fill("/reporting/informationReporting/list")].map((place) =>
      app.call("GET", place, { token }).then(({ status }) => order.push(`read ${status}`)),
    );
    await Promise.all([...logins, ...reads]);
    assert.deepEqual([...new Set(order)].sort(), ["login 0", "read 200"]);
    const after = order.length - 1 - order.lastIndexOf("read 200");
    assert.ok(after > 6, `only ${after} logins ended after the last read`);
  });
});

test("each login has its line in the audit log, good or bad", async () => {
  const [last] = await pool`select max(id) as id from platform.audit`;
  await fail(userName, 5, { address: "192.0.2.77" });
  await login(userName, testPassword, { address: "192.0.2.77" });
  await login(userName, testPassword, { address: "192.0.2.78" });
  await login("nobody", testPassword, { address: "192.0.2.78" });
  const lines =
    await pool`select user_name, outcome, detail->>'problem' as problem, address, account_id is not null as known from platform.audit where action = 'login' and service = 'reporting' and id > ${last?.["id"]} order by id`;
  assert.deepEqual(
    lines.map((line) => Object.values(line)),
    [
      ...Array.from({ length: 5 }, () => [userName, "failed", "loginFailed", "192.0.2.77", false]),
      [userName, "failed", "accountLocked", "192.0.2.77", false],
      [userName, "done", null, "192.0.2.78", true],
      ["nobody", "failed", "loginFailed", "192.0.2.78", false],
    ],
  );
  const text = JSON.stringify([app.logged, await pool`select * from platform.audit`]);
  for (const word of [testPassword, "wrong-horse"]) assert.ok(!text.includes(word));
});

const add = async (userName: string) =>
  (await app.call("POST", "/reporting/user/add", { token, body: { userName, name: "x", password } })).json.code;
const saveOperator = async (userName: string) =>
  (await app.call("POST", "/platform/operator/save", { token, body: { userName, password } })).json.code;
const alike = [
  "LIBRARY",
  "library ",
  "\u3000library",
  "ｌｉｂｒａｒｙ",
  "libr\u0430ry",
  "lib\u200Brary",
  "\u{1D425}ibrary",
];

describe("names that look alike", () => {
  test("are one name: a second account is refused, wherever a login would mix them up", async () => {
    assert.equal(await add("library"), "0");
    for (const name of alike) {
      assert.equal(await add(name), "10004", JSON.stringify(name));
      assert.equal(await saveOperator(name), "10004", JSON.stringify(name));
    }
    for (const name of ["library-2", "1ibrary", "lib rary", "lìbrary", "图书馆", "图书"])
      assert.equal(await add(name), "0", name);
    const [other] = await pool`select id from platform.account where user_name = 'library-2'`;
    const rename = async (userName: string) =>
      (await app.call("PUT", "/reporting/user/update", { token, body: { id: other?.["id"], userName } })).json.code;
    assert.equal(await rename("LIBRARY"), "10004");
    assert.equal(await rename("Library-2"), "0");
  });

  test("of two at once one is made", async () => {
    const codes = await Promise.all(alike.map((name) => add(name.replace(/l|ｌ|L/u, "M"))));
    assert.deepEqual(codes.sort(), ["0", ...Array<string>(alike.length - 1).fill("10004")]);
  });

  test("log in as the one", async () => {
    for (const name of ["library", ...alike]) {
      const { code, data } = (await login(name, testPassword)).json;
      assert.deepEqual([code, data?.userName], ["0", "library"], JSON.stringify(name));
    }
  });

  test("of which nothing can be seen are none", async () => {
    for (const name of ["\u200B", "\u3164\u200D", "\u2800"])
      assert.equal(await add(name), "10001", JSON.stringify(name));
    assert.equal(await add("x".repeat(256)), "10026");
    assert.equal(await add("\u0315\u0316".repeat(500_000)), "10026");
  });
});

test("a place from which somebody signs in anew is told to their sessions elsewhere", async () => {
  const { userName: owner } = await app.signIn("reporting");
  const signInFrom = async (address: string): Promise<string> =>
    (await login(owner, testPassword, { address })).json.data.token;
  const listNews = async (by: string) => {
    const { json } = await app.call("GET", "/platform/session/own", { token: by });
    return json.data.news.map(({ kind, what }: { kind: string; what: string }) => `${kind} ${what}`);
  };
  const [office, stranger] = [await signInFrom("198.51.100.7"), await signInFrom("203.0.113.9")];
  assert.ok((await listNews(office)).includes("place 203.0.113.9"));
  assert.ok(!(await listNews(stranger)).includes("place 203.0.113.9"), "who is there is not told of it");
  await pool`update platform.account_address set first_login_at = first_login_at - interval '15 days'`;
  assert.deepEqual(await listNews(await signInFrom("198.51.100.7")), []);
});

describe("sessions", () => {
  const isGood = async (by: string, headers = {}): Promise<boolean> =>
    (await app.call("GET", "/platform/session/own", { token: by, headers })).json.code === "0";
  const signInTo = async (body: object): Promise<string> =>
    (await app.call("POST", "/reporting/user/login", { body: { userName, password: testPassword, ...body } })).json.data
      .token;
  const idle = (minutes: number) =>
    pool`update platform.session set last_used_at = last_used_at - make_interval(mins => ${minutes})`;

  test("of the console are over after half an hour without a call, those of old pages are not", async () => {
    const [ofConsole, ofOldPage] = [await signInTo({ secondFactor: "later" }), await signInTo({})];
    await idle(29);
    assert.ok(await isGood(ofConsole));
    await idle(32);
    assert.equal(await isGood(ofConsole), false);
    assert.ok(await isGood(ofOldPage));
  });

  test("what a page asks by itself keeps none of them", async () => {
    const ofConsole = await signInTo({ secondFactor: "later" });
    await idle(20);
    assert.ok(await isGood(ofConsole, { "x-unattended": "1" }));
    await idle(12);
    assert.equal(await isGood(ofConsole), false);
  });

  test("of an account are as many as SESSIONS_PER_ACCOUNT: one more ends that which was used longest ago", async () => {
    const by = await startTestApp({
      services: ["reporting"],
      settings: { ...settings, SESSIONS_PER_ACCOUNT: "2" },
      beside: app,
    });
    const { userName: one } = await app.signIn("reporting");
    const signIn = async (): Promise<string> => (await login(one, testPassword, { by })).json.data.token;
    const [first, second] = [await signIn(), await signIn()];
    await pool`update platform.session set last_used_at = now() - interval '5 minutes'`;
    assert.ok(await isGood(first));
    const third = await signIn();
    assert.deepEqual([await isGood(first), await isGood(second), await isGood(third)], [true, false, true]);
  });
});

test("until SECOND_FACTOR is chosen the start and an alert say so", async () => {
  const condition = conditions.find(({ id }) => id === "platform.second-factor-unset");
  const [none, off] = await Promise.all(
    ["", "off"].map((SECOND_FACTOR) => startTestApp({ services: [], settings: { SECOND_FACTOR }, beside: app })),
  );
  const find = (given: Record<string, string>) =>
    condition?.find?.({ platform: { settings: readSettings(given) } as unknown as Platform, nowMs: 0, parts: [] });
  assert.match(none?.server.warnings.join() ?? "", /SECOND_FACTOR/);
  assert.doesNotMatch(off?.server.warnings.join() ?? "", /SECOND_FACTOR/);
  assert.deepEqual([(await find({}))?.length, (await find({ SECOND_FACTOR: "off" }))?.length], [1, 0]);
});

test("lock-outs are an alert, which names nobody", async () => {
  const condition = conditions.find(({ id }) => id === "platform.sign-in-locked");
  const find = async () => condition?.find?.({ platform: app as unknown as Platform, nowMs: Date.now(), parts: [] });
  await fail(userName, 4);
  assert.deepEqual(await find(), []);
  await fail(userName, 1);
  const [finding] = (await find()) ?? [];
  assert.deepEqual(finding?.figures, { names: 1, codes: 0 });
  assert.doesNotMatch(JSON.stringify(finding), new RegExp(`${userName}|198\\.51`));
});
