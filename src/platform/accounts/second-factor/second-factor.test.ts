import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { lacksFactor } from "#platform/accounts/login-requirements.ts";
import { expiredLogins } from "#platform/accounts/login.ts";
import { resetOperatorFactors } from "#platform/accounts/operators/index.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { sql } from "#platform/database/index.ts";
import { startTestApp, type TestApp, testPassword } from "#test/app.ts";
import { postByHost } from "#test/call.ts";
import { type Authenticator, makeAuthenticator } from "#test/stand-ins/authenticator.ts";

const origin = "https://console.example.edu";
const rpId = "console.example.edu";
const DATA_KEY = Buffer.alloc(32, 7).toString("base64");
const app = await startTestApp({ services: ["reporting"], settings: { PUBLIC_URL: origin, DATA_KEY } });
const settings = { SECOND_FACTOR: "all", DATA_KEY };
const strict = await startTestApp({ services: ["reporting"], settings, beside: app });
const { pool } = app;

const passwordHash = await hashPassword(testPassword);
let names = 0;

interface Person {
  readonly id: number;
  readonly userName: string;
  readonly at: string;
}

async function makePerson(service = "platform", { isSuper = true, services = null as string[] | null } = {}) {
  const userName = `person-${++names}`;
  const account = { service, userName, name: "", passwordHash, isSuper, enabled: true, services };
  const id = await insertAccount(pool, account);
  return { id, userName, at: service === "platform" ? "/platform/login" : "/reporting/user/login" } satisfies Person;
}

async function logIn({ userName, at }: Person, { on = app, later = true } = {}): Promise<string> {
  const body = { userName, password: testPassword, ...(later && { secondFactor: "later" }) };
  const { json } = await on.call("POST", at, { body });
  return json.data?.token ?? json.code;
}

const ask = async (token: string, method: string, place: string, body?: unknown, on: TestApp = app) =>
  (await on.call(method, place, { token, body })).json;
const codeOf = async (...given: Parameters<typeof ask>): Promise<string> => (await ask(...given)).code;
const english = async (token: string, place: string, body: unknown): Promise<string> => {
  const { json } = await app.call("POST", place, { token, body, headers: { "accept-language": "en" } });
  return json.message;
};
const stateOf = async (token: string, on = app): Promise<string> =>
  (await ask(token, "GET", "/platform/session/own", undefined, on)).data.secondFactor;
const show = (token: string, code: string): Promise<string> =>
  codeOf(token, "POST", "/platform/factor/show/code", { code });

const codeAt = (secret: string, timestamp = Date.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
async function nextCode(secret: string): Promise<string> {
  await pool`update platform.factor set counter = 0 where kind = 'totp'`;
  return codeAt(secret);
}
const wrong = (secret: string): string => {
  const near = Array.from({ length: 60 }, (_, index) => codeAt(secret, Date.now() + (index - 30) * 30_000));
  return ["000000", "111111", "222222", "333333"].find((code) => !near.includes(code)) ?? "";
};

const beginTotp = async (token: string, name = "phone"): Promise<string> =>
  (await ask(token, "POST", "/platform/factor/totp/begin", { name })).data.secret;
const confirm = (token: string, code: string) => ask(token, "POST", "/platform/factor/totp/confirm", { code });

async function enrolTotp(person: Person) {
  const token = await logIn(person);
  const secret = await beginTotp(token);
  const firstCode = codeAt(secret);
  const { code, data } = await confirm(token, firstCode);
  assert.equal(code, "0");
  const recoveryCodes: string[] = data.recoveryCodes;
  return { ...person, token, secret, firstCode, recoveryCodes };
}

async function lastAudit(action: string) {
  const [row] = await pool<{ outcome: string; detail: Record<string, unknown> | null; records: string[] }[]>`
    select outcome, detail, records from platform.audit where action = ${action} order by id desc limit 1`;
  return row;
}

test("what a session may do follows from the settings, the operation and what it has shown", () => {
  const person = { service: "reporting", isSuper: false, hasFactor: false, factorAgeSeconds: null, mustChoose: false };
  const enrolled = { ...person, hasFactor: true };
  const chief = { ...person, isSuper: true };
  const [fresh, stale] = [599, 601].map((factorAgeSeconds) => ({ ...enrolled, factorAgeSeconds }));
  const operations = [
    {},
    { own: true },
    { secondFactor: "again" },
    { own: true, secondFactor: "first" },
    { own: true, secondFactor: "later" },
  ] as const;
  for (const [SECOND_FACTOR, SECOND_FACTOR_FOR, caller, lacks] of [
    ["off", "everybody", person, "....."],
    ["off", "everybody", enrolled, ".xxx."],
    ["off", "everybody", fresh, "....."],
    ["off", "everybody", stale, "..xx."],
    ["console", "everybody", person, ".xx.."],
    ["console", "super", person, "....."],
    ["console", "super", chief, ".xx.."],
    ["all", "everybody", person, "xxx.."],
    ["all", "everybody", enrolled, "xxxx."],
    ["all", "super", person, "....."],
    ["all", "super", enrolled, "xxxx."],
  ] as const) {
    const settings = { SECOND_FACTOR, SECOND_FACTOR_FOR, SECOND_FACTOR_MINUTES: 10 };
    const judged = operations.map((operation) => (lacksFactor(settings, operation, caller ?? person) ? "x" : "."));
    assert.equal(judged.join(""), lacks, JSON.stringify([settings, caller]));
  }
});

describe("one-time codes", () => {
  test("from the first code on they are asked for, and open the session that shows one", async () => {
    const admin = await makePerson("reporting");
    const before = await logIn(admin);
    const token = await logIn(admin);
    assert.equal((await confirm(token, "123456")).code, "10007");
    const secret = await beginTotp(token);
    for (const code of [wrong(secret), "１２３４５６", "\u{1F511}abcd"])
      assert.equal((await confirm(token, code)).code, "20012");
    assert.equal(await stateOf(token), "none");
    const { data } = await confirm(token, codeAt(secret));
    assert.equal(data.recoveryCodes.length, 10);
    assert.deepEqual([await stateOf(token), await stateOf(before)], ["shown", "show"]);
    // A page that does not support second factors keeps working, but may neither create accounts nor call operations
    // that only the console uses.
    assert.equal(await codeOf(before, "GET", "/reporting/user/list"), "0");
    const body = { userName: "x", name: "x", password: "a-good-password" };
    assert.equal(await codeOf(before, "POST", "/reporting/user/add", body), "20011");
    assert.equal(await codeOf(before, "POST", "/reporting/informationReporting/downloadTicket"), "20011");
    assert.equal(await codeOf(before, "POST", "/platform/factor/totp/begin", { name: "another" }), "20011");
    assert.equal(await show(before, await nextCode(secret)), "0");
    assert.equal(await stateOf(before), "shown");
    assert.equal((await lastAudit("showCode"))?.outcome, "done");
  });

  test("a code is good once, also when two bring it at once", async () => {
    const person = await enrolTotp(await makePerson());
    const [one, other] = await Promise.all([logIn(person), logIn(person)]);
    assert.equal(await show(one, person.firstCode), "20012", "the code by which it was set up");
    const code = await nextCode(person.secret);
    assert.deepEqual((await Promise.all([show(one, code), show(other, code)])).toSorted(), ["0", "20012"]);
    assert.match(await english(other, "/platform/factor/show/code", { code }), /already been used/);
    assert.match(JSON.stringify((await lastAudit("showCode"))?.detail), /already been used/);
  });

  test("a code of five minutes before or after is wrong", async () => {
    const person = await enrolTotp(await makePerson());
    const token = await logIn(person);
    await nextCode(person.secret);
    for (const offMs of [-300_000, 300_000])
      assert.equal(await show(token, codeAt(person.secret, Date.now() + offMs)), "20012");
  });

  test("guesses lock, many at once too, and a right password does not open the lock", async () => {
    const person = await enrolTotp(await makePerson());
    const token = await logIn(person);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => show(token, wrong(person.secret))));
    assert.equal(guesses.filter((code) => code === "20012").length, 5);
    assert.equal(guesses.filter((code) => code === "20002").length, 7);
    const again = await logIn(person);
    const right = await nextCode(person.secret);
    assert.equal(await show(again, right), "20002");
    assert.equal(await show(again, person.recoveryCodes[0] ?? ""), "20002");
    await pool`delete from platform.login_failure`;
    assert.equal(await show(again, right), "0", "a code that was not looked at is not used up");
  });

  test("thirty wrong ones in a day lock for the rest of it, however slowly they come", async () => {
    const person = await enrolTotp(await makePerson());
    const token = await logIn(person);
    for (let time = 0; time < 30; time++) {
      assert.equal(await show(token, wrong(person.secret)), "20012", `${time}`);
      if (time % 4 === 3) await pool`update platform.login_failure set failed_at = failed_at - interval '20 minutes'`;
      for (const { table, isExpired } of expiredLogins) await pool`delete from ${sql.raw(table)} where ${isExpired}`;
    }
    await pool`update platform.login_failure set failed_at = failed_at - interval '20 hours'`;
    const right = await nextCode(person.secret);
    assert.equal(await show(await logIn(person), right), "20002");
    await pool`update platform.login_failure set failed_at = failed_at - interval '2 hours'`;
    assert.equal(await show(await logIn(person), right), "0", "the first of them is a day old");
  });

  test("a new one is told to its owner's sessions, and to none that a password alone has opened", async () => {
    const person = await enrolTotp(await makePerson());
    const other = await logIn(person);
    const listNews = async () => (await ask(other, "GET", "/platform/session/own")).data.news;
    assert.deepEqual(await listNews(), []);
    assert.equal(await show(other, await nextCode(person.secret)), "0");
    const [{ time, ...one }] = await listNews();
    assert.deepEqual(one, { kind: "factor", what: "phone" });
    assert.match(time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test("a new phone takes the place of the old one when its first code comes", async () => {
    const person = await enrolTotp(await makePerson());
    const secret = await beginTotp(person.token, "new phone");
    const token = await logIn(person);
    assert.equal(await show(token, await nextCode(person.secret)), "0");
    const { data } = await confirm(person.token, codeAt(secret));
    assert.deepEqual(data.recoveryCodes, [], "those there are stay");
    assert.equal(await show(await logIn(person), await nextCode(person.secret)), "20012");
    assert.equal(await show(await logIn(person), await nextCode(secret)), "0");
  });
});

describe("recovery codes", () => {
  test("each is good once, however it is typed, and is kept as a hash", async () => {
    const person = await enrolTotp(await makePerson());
    const [one = "", two = ""] = person.recoveryCodes;
    for (const code of person.recoveryCodes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(?:-[0-9a-hjkmnp-tv-z]{4}){5}$/);
    const kept = await pool`select row_to_json(code) as row from platform.recovery_code as code`;
    assert.ok(!JSON.stringify(kept).includes(one));
    const token = await logIn(person);
    const code = one.replaceAll("-", " ").toUpperCase();
    const shown = await ask(token, "POST", "/platform/factor/show/code", { code });
    assert.deepEqual(shown.data, { recoveryCodes: 9 });
    assert.equal(await show(await logIn(person), one), "20012");
    const { data: fresh } = await ask(token, "POST", "/platform/factor/recoveryCodes");
    assert.equal(fresh.length, 10);
    assert.equal(await show(await logIn(person), two), "20012", "those before are worth nothing");
    const other = await enrolTotp(await makePerson());
    assert.equal(await show(await logIn(other), fresh[0]), "20012", "nor is another's");
  });

  test("are ten, also when they are renewed several times at once", async () => {
    const { token } = await enrolTotp(await makePerson());
    await Promise.all(Array.from({ length: 5 }, () => ask(token, "POST", "/platform/factor/recoveryCodes")));
    assert.equal((await ask(token, "GET", "/platform/factor/own")).data.recoveryCodes, 10);
  });
});

test("a password alone changes nothing by which one signs in, once there is a second factor", async () => {
  const [operator, clerk] = [await enrolTotp(await makePerson()), await enrolTotp(await makePerson("reporting"))];
  const changes = [
    ["PUT", "/updatePassword"],
    ["POST", "/factor/totp/begin"],
    ["POST", "/factor/totp/confirm"],
    ["POST", "/factor/passkey/begin"],
    ["POST", "/factor/passkey/save"],
    ["PUT", "/factor/update"],
    ["DELETE", "/factor/delete"],
    ["POST", "/factor/recoveryCodes"],
    ["POST", "/factor/reset"],
    ["POST", "/serviceAccount/key/save"],
    ["POST", "/serviceAccount/key/rotate"],
    ["PUT", "/serviceAccount/key/revoke"],
    ["POST", "/sign-on/identity/save"],
    ["DELETE", "/sign-on/identity/delete"],
    ["POST", "/operator/save"],
    ["PUT", "/operator/update"],
    ["DELETE", "/operator/delete"],
  ] as const;
  const token = await logIn(operator, { later: false });
  for (const [method, path] of changes)
    assert.equal(await codeOf(token, method, `/platform${path}`, {}), "20011", path);
  const [ofClerk, fresh] = [await logIn(clerk, { later: false }), await logIn(await makePerson("reporting"))];
  const change = (by: string) => codeOf(by, "PUT", "/reporting/user/updatePassword", {});
  assert.equal(await change(ofClerk), "20011");
  assert.equal(await change(fresh), "10001", "who has none is asked for none");
  assert.equal(await show(ofClerk, await nextCode(clerk.secret)), "0");
  assert.equal(await change(ofClerk), "10001", "it has been shown");
});

test("what is dangerous asks again after ten minutes, and not before", async () => {
  const { token, secret } = await enrolTotp(await makePerson());
  const add = () => {
    const body = { userName: `made-${++names}`, password: "a-good-password" };
    return codeOf(token, "POST", "/platform/operator/save", body);
  };
  assert.equal(await add(), "0");
  await pool`update platform.session set factor_at = factor_at - interval '11 minutes'`;
  assert.equal(await add(), "20011");
  const identity = { provider: "cas", identity: "y", service: "reporting", userName: "y" };
  for (const [method, place, body] of [
    ["DELETE", "/platform/operator/delete", [1]],
    ["POST", "/reporting/user/add", { userName: "y", name: "y", password: "a-good-password" }],
    ["POST", "/platform/factor/recoveryCodes", undefined],
    ["POST", "/platform/factor/totp/begin", { name: "another" }],
    ["DELETE", "/platform/factor/delete", { id: 1 }],
    ["POST", "/platform/factor/reset", { id: 1 }],
    ["POST", "/platform/sign-on/identity/save", identity],
  ] as const)
    assert.equal(await codeOf(token, method, place, body), "20011", place);
  assert.equal(await codeOf(token, "GET", "/platform/operator/list"), "0");
  assert.equal(await show(token, await nextCode(secret)), "0");
  assert.equal(await add(), "0");
});

describe("passkeys", () => {
  const begin = async (token: string, what: "show/passkey" | "passkey" = "show/passkey"): Promise<string> =>
    (await ask(token, "POST", `/platform/factor/${what}/begin`)).data.challenge;
  const present = (token: string, response: object) =>
    codeOf(token, "POST", "/platform/factor/show/passkey", { response });
  async function enrol(person: Person) {
    const token = await logIn(person);
    const key = makeAuthenticator();
    const response = key.create({ challenge: await begin(token, "passkey"), rpId, origin });
    const saved = await ask(token, "POST", "/platform/factor/passkey/save", { name: "key", response });
    assert.equal(saved.code, "0", saved.message);
    return key;
  }
  const sign = async (key: Authenticator, token: string, place = { rpId, origin }) =>
    key.show({ challenge: await begin(token), ...place });

  test("a page of another origin, another host, another session and an old challenge are refused", async () => {
    const person = await makePerson();
    const key = await enrol(person);
    const [token, other] = await Promise.all([logIn(person), logIn(person)]);
    for (const foreign of [{ origin: "https://console.example.com" }, { rpId: "example.com" }])
      assert.equal(await present(token, await sign(key, token, { rpId, origin, ...foreign })), "20012");
    const signed = await sign(key, token);
    assert.equal(await present(other, signed), "10007", "the other session asked for nothing");
    await begin(other);
    assert.equal(await present(other, signed), "20012", "nor for this");
    assert.equal(await present(token, signed), "0");
    assert.equal(await present(token, signed), "10007", "a challenge is good once");
    const failed = await sign(key, token, { rpId, origin: "https://evil.example" });
    assert.equal(await present(token, failed), "20012");
    assert.equal(await present(token, failed), "10007", "whatever came of it");
    const late = await sign(key, token);
    await pool`update platform.factor_challenge set created_at = created_at - interval '6 minutes'`;
    assert.equal(await present(token, late), "10007", "and for five minutes");
  });

  test("a counter that goes back is refused and told", async () => {
    const person = await makePerson();
    const key = await enrol(person);
    const token = await logIn(person);
    key.counter = 7;
    assert.equal(await present(token, await sign(key, token)), "0");
    key.counter = 3;
    const response = await sign(key, token);
    assert.match(
      await english(token, "/platform/factor/show/passkey", { response }),
      /counter of this passkey did not increase/,
    );
    assert.match(JSON.stringify(await lastAudit("showPasskey")), /failed.*counter of this passkey did not increase/);
    assert.ok(app.logged.some(({ msg }) => /may have been cloned/.test(String(msg))));
  });

  test("another's passkey opens nothing, and nobody has one twice", async () => {
    const [one, two] = [await makePerson(), await makePerson()];
    const key = await enrol(one);
    await enrol(two);
    const token = await logIn(two);
    assert.equal(await present(token, await sign(key, token)), "20012");
    const fresh = await makePerson();
    const own = await logIn(fresh);
    const response = key.create({ challenge: await begin(own, "passkey"), rpId, origin });
    assert.equal(await codeOf(own, "POST", "/platform/factor/passkey/save", { name: "copy", response }), "10004");
  });

  test("an account has at most 20 passkeys, whatever else it has", async () => {
    const { id, token } = await enrolTotp(await makePerson());
    await pool`
      insert into platform.factor (account_id, kind, name, rp_id, credential_id, public_key, transports, confirmed_at)
      select ${id}, 'passkey', 'key', ${rpId}, 'credential ' || number, '', '{}', now() from generate_series(1, 19) as number`;
    const save = async () => {
      const response = makeAuthenticator().create({ challenge: await begin(token, "passkey"), rpId, origin });
      return codeOf(token, "POST", "/platform/factor/passkey/save", { name: "one more", response });
    };
    assert.deepEqual([await save(), await save()], ["0", "10007"]);
  });

  test("without PUBLIC_URL a call does not say of which host one is", async () => {
    const token = await logIn(await makePerson());
    const begin = (host: string) => postByHost(strict.url, host, "/platform/factor/passkey/begin", { token, body: {} });
    assert.equal((await begin("console.example.edu")).code, "10007");
    assert.equal((await begin("localhost")).data.rp.id, "localhost");
  });

  test("a host in digits has none", async () => {
    const token = await logIn(await makePerson(), { on: strict });
    assert.equal(await codeOf(token, "POST", "/platform/factor/passkey/begin", undefined, strict), "10007");
  });
});

describe("taking it away", () => {
  test("one's own: with the last one go the recovery codes, and nothing is asked any more", async () => {
    const person = await enrolTotp(await makePerson());
    const { id } = (await ask(person.token, "GET", "/platform/factor/own")).data.factors[0];
    assert.equal(await codeOf(person.token, "PUT", "/platform/factor/update", { id, name: "old phone" }), "0");
    const stranger = await enrolTotp(await makePerson());
    assert.equal(await codeOf(stranger.token, "DELETE", "/platform/factor/delete", { id }), "10005");
    assert.equal(await codeOf(stranger.token, "PUT", "/platform/factor/update", { id, name: "mine" }), "10005");
    const kept = await ask(person.token, "DELETE", "/platform/factor/delete", { id }, strict);
    assert.equal(kept.code, "10007", "who must have one keeps the last");
    assert.equal(await codeOf(person.token, "DELETE", "/platform/factor/delete", { id }), "0");
    assert.equal(await stateOf(await logIn(person)), "none");
    assert.deepEqual(await pool`select 1 from platform.recovery_code where account_id = ${person.id}`, []);
  });

  test("another's: by whom may manage them, which signs them out and is written down", async () => {
    const lost = await enrolTotp(await makePerson());
    const admin = await enrolTotp(await makePerson("reporting", { isSuper: false }));
    const reset = async (by: Person, id: number) => codeOf(await logIn(by), "POST", "/platform/factor/reset", { id });
    for (const [by, id] of [
      [await makePerson("platform", { services: ["reporting"] }), lost.id],
      [await makePerson("reporting"), lost.id],
      [await makePerson("reporting", { isSuper: false }), admin.id],
    ] as const)
      assert.equal(await reset(by, id), "10008");
    assert.equal(await codeOf(lost.token, "POST", "/platform/factor/reset", { id: lost.id }), "10008");
    assert.equal(await reset(await makePerson("reporting"), admin.id), "0");
    const helper = await makePerson();
    assert.equal(await reset(helper, lost.id), "0");
    assert.equal(await reset(helper, lost.id), "10005", "nothing is left");
    assert.equal(await codeOf(lost.token, "GET", "/platform/session/own"), "10006");
    assert.equal(await stateOf(await logIn(lost)), "none");
    assert.deepEqual((await lastAudit("resetFactors"))?.records, [String(lost.id)]);
  });

  test("the command line helps the operator of last resort", async () => {
    const person = await enrolTotp(await makePerson());
    await resetOperatorFactors(pool, person.userName);
    assert.equal(await codeOf(person.token, "GET", "/platform/session/own"), "10006");
    assert.equal(await stateOf(await logIn(person)), "none");
    assert.equal((await lastAudit("resetFactors"))?.detail?.["userName"], person.userName);
  });

  test("who has one is listed for super administrators", async () => {
    const { id: accountId, token } = await enrolTotp(await makePerson("reporting"));
    const list = (by: string, service: string) => ask(by, "GET", `/platform/factor/holders?service=${service}`);
    const { data } = await list(token, "reporting");
    const listed = data.find((one: { accountId: number }) => one.accountId === accountId);
    assert.deepEqual(listed, { accountId, totp: true, passkeys: 0, recoveryCodes: 10 });
    assert.equal((await list(token, "platform")).code, "10008");
    const other = await logIn(await makePerson("reporting", { isSuper: false }));
    assert.equal((await list(other, "reporting")).code, "10008");
  });
});

describe("SECOND_FACTOR=all", () => {
  test("a login that knows nothing of it is refused by a code of its own", async () => {
    const person = await makePerson("reporting", { isSuper: false });
    const enrolled = await enrolTotp(await makePerson("reporting"));
    for (const one of [person, enrolled]) assert.equal(await logIn(one, { on: strict, later: false }), "20011");
    const answer = await app.call("POST", person.at, { body: { userName: person.userName, password: testPassword } });
    assert.equal(answer.status, 200, "where it is not set, nothing changes");
    assert.equal(await codeOf(answer.json.data.token, "GET", "/reporting/user/list", undefined, strict), "20011");
  });

  test("who has none sets one up before anything else", async () => {
    const person = await makePerson("reporting", { isSuper: false });
    const token = await logIn(person, { on: strict });
    assert.equal(await stateOf(token, strict), "enrol");
    assert.equal(await codeOf(token, "GET", "/reporting/user/list", undefined, strict), "20011");
    const { data } = await ask(token, "POST", "/platform/factor/totp/begin", { name: "phone" }, strict);
    const code = codeAt(data.secret);
    assert.equal(await codeOf(token, "POST", "/platform/factor/totp/confirm", { code }, strict), "0");
    assert.equal(await codeOf(token, "GET", "/reporting/user/list", undefined, strict), "0");
  });
});

test("no log line, audit line or column has a secret, a code or a seed in clear", async () => {
  const person = await enrolTotp(await makePerson());
  const seeds = await pool<{ seed: string }[]>`select seed from platform.factor where account_id = ${person.id}`;
  assert.equal(seeds.length, 1);
  assert.ok(!seeds[0]?.seed.includes(person.secret));
  const token = await logIn(person);
  const code = await nextCode(person.secret);
  await show(token, code);
  await show(token, person.recoveryCodes[3] ?? "");
  const audit = await pool`select detail, records from platform.audit`;
  const told = JSON.stringify([app.logged, audit]);
  for (const secret of [person.secret, `"${code}"`, ...person.recoveryCodes, token]) assert.ok(!told.includes(secret));
});
