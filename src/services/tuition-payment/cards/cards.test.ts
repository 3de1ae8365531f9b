import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { after, describe, test } from "node:test";
import { SettingsError } from "#platform/contract/setting-types.ts";
import { readSettings } from "#quintet/settings.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";

const services = ["tuition-payment"] as const;
const app = await startTestApp({ services });
const startBeside = (settings: Record<string, string>) => startTestApp({ services, settings, beside: app });
const secret = "a secret of tests";

const years = (at: TestApp, headers: Record<string, string> = {}) =>
  at.call("GET", "/tuitionpayment/payableinfo/years", { headers });
const codeOf = async (at: TestApp, headers: Record<string, string> = {}): Promise<[number, string]> => {
  const { status, json } = await years(at, headers);
  return [status, json.code];
};

describe("a card number", () => {
  test("is needed", async () => {
    assert.deepEqual(await codeOf(app), [401, "10012"]);
    assert.deepEqual(await codeOf(app, { card_number: "" }), [401, "10012"]);
    assert.equal((await years(app)).json.message, "缺少必要的请求头：card_number");
  });

  test("has one spelling, so that a gateway has one to watch", async () => {
    for (const name of ["card-number", "Card-Number"])
      assert.deepEqual(await codeOf(app, { [name]: "1" }), [401, "10012"]);
    assert.deepEqual(await codeOf(app, { Card_Number: "1" }), [200, "0"]);
  });

  test("of 10,000 characters is too long, and 64 are not", async () => {
    assert.deepEqual(await codeOf(app, { card_number: "1".repeat(10_000) }), [400, "10026"]);
    assert.deepEqual(await codeOf(app, { card_number: "1".repeat(65) }), [400, "10026"]);
    assert.deepEqual(await codeOf(app, { card_number: "1".repeat(64) }), [200, "0"]);
  });

  test("that came twice, or is no number of a card, is refused", async () => {
    for (const card of ["1, 2", "1,1", "1 2", "#1", "caf\u00e9", "\u00ff"])
      assert.deepEqual(await codeOf(app, { card_number: card }), [400, "10001"], card);
  });

  test("is refused before the body is read", async () => {
    const answer = await app.call("POST", "/tuitionpayment/feedbackmsg/save", { raw: "x".repeat(2_000_000) });
    assert.deepEqual([answer.status, answer.json.code], [401, "10012"]);
  });
});

describe("STUDENT_IDENTITY=demo", () => {
  test("believes the header on a loopback host, and not when the call was forwarded", async () => {
    const demo = await startBeside({ STUDENT_IDENTITY: "demo" });
    assert.deepEqual(await codeOf(demo, { card_number: "1" }), [200, "0"]);
    for (const name of ["x-forwarded-for", "X-Forwarded-Proto", "forwarded", "via", "x-real-ip"])
      assert.deepEqual(await codeOf(demo, { card_number: "1", [name]: "10.0.0.1" }), [403, "10008"], name);
  });

  test("believes it on no other host", async () => {
    const open = await startBeside({ HOST: "0.0.0.0", STUDENT_IDENTITY: "demo" });
    assert.deepEqual(await codeOf(open, { card_number: "1" }), [403, "10008"]);
    assert.deepEqual(await codeOf(open), [401, "10012"]);
  });
});

describe("without STUDENT_IDENTITY", () => {
  test("nobody's card is believed, and the setting is named", async () => {
    const unset = await startBeside({ STUDENT_IDENTITY: "" });
    for (const headers of [{}, { card_number: "1" }, { card_number: "1", card_sign: "0", card_token: "x" }]) {
      const { status, json } = await years(unset, headers);
      assert.deepEqual([status, json.code, json.message], [503, "20004", "外部服务未配置：STUDENT_IDENTITY 未设置"]);
    }
    const { token } = await app.signIn("tuition-payment");
    assert.equal((await unset.call("GET", "/tuitionpayment/payableinfo/list", { token })).json.code, "0");
  });

  test("or with a demonstration's, production does not start", async () => {
    const start = (settings: Record<string, string>) => startBeside({ NODE_ENV: "production", ...settings });
    for (const identity of ["", "demo"])
      await assert.rejects(start({ STUDENT_IDENTITY: identity }), {
        constructor: SettingsError,
        message: /^STUDENT_IDENTITY: must be one of header, signed, campus if/,
      });
    const chosen = await start({ STUDENT_IDENTITY: "header" });
    assert.deepEqual(await codeOf(chosen, { card_number: "1", "x-forwarded-for": "10.0.0.1" }), [200, "0"]);
    const settings = { NODE_ENV: "production", STUDENT_IDENTITY: "" };
    const other = await startTestApp({ services: ["reporting"], settings, beside: app });
    assert.equal((await other.call("GET", "/livez")).status, 200);
  });
});

test("a way of proving cards that could prove none stops the start", () => {
  const check = (STUDENT_IDENTITY: string, message: RegExp, more: Record<string, string> = {}) =>
    assert.throws(() => readSettings({ STUDENT_IDENTITY, ...more }), { message });
  check("nobody", /^STUDENT_IDENTITY: must be one of header, signed, campus, demo$/);
  check("signed", /^STUDENT_IDENTITY_SECRET: is required/);
  check("signed", /16 characters/, { STUDENT_IDENTITY_SECRET: "short" });
  check("campus", /^CAMPUS_APP_KEY: is required/);
});

describe("STUDENT_IDENTITY=signed", async () => {
  const signed = await startBeside({ STUDENT_IDENTITY: "signed", STUDENT_IDENTITY_SECRET: secret });
  const now = (): string => String(Math.floor(Date.now() / 1000));
  const sign = (card: string, time: string, key = secret): Record<string, string> => ({
    card_number: card,
    card_time: time,
    card_sign: createHmac("sha256", key).update(`${card}.${time}`).digest("hex"),
  });

  test("the number alone proves nothing", async () => {
    assert.deepEqual(await codeOf(signed, { card_number: "1" }), [401, "10012"]);
    const { card_sign: _, ...unsigned } = sign("1", now());
    assert.deepEqual(await codeOf(signed, unsigned), [401, "10012"]);
  });

  test("a signature of something else is none", async () => {
    const wrong = [
      sign("1", now(), "another secret of tests"),
      { ...sign("1", now()), card_number: "2" },
      { ...sign("1", now()), card_time: String(Number(now()) - 1) },
      { ...sign("1", now()), card_sign: "0" },
      sign("1", String(Number(now()) - 310)),
      sign("1", String(Number(now()) + 310)),
    ];
    for (const headers of wrong) assert.deepEqual(await codeOf(signed, headers), [401, "10006"]);
  });

  test("a right one lets the student in, also through a proxy, its time written in either way", async () => {
    assert.deepEqual(await codeOf(signed, sign("1", String(Date.now()))), [200, "0"]);
    const form = { timeZone: "Asia/Shanghai", dateStyle: "short", timeStyle: "medium" } as const;
    const wire = new Intl.DateTimeFormat("sv-SE", form);
    assert.deepEqual(await codeOf(signed, sign("1", wire.format())), [200, "0"]);
    assert.deepEqual(await codeOf(signed, sign("1", "now")), [401, "10006"]);
    assert.deepEqual(await codeOf(signed, sign("1", now())), [200, "0"]);
    assert.deepEqual(await codeOf(signed, { ...sign("1", now()), "x-forwarded-for": "10.0.0.1" }), [200, "0"]);
  });

  test("there is no login to exchange a code at", async () => {
    const { status, json } = await signed.call("POST", "/tuitionpayment/student/login", { body: { code: "code-1" } });
    assert.deepEqual([status, json.code], [503, "20004"]);
  });

  test("secret, signature and card number reach no log", () => {
    const log = JSON.stringify(signed.logged);
    assert.ok(log.includes("/tuitionpayment/payableinfo/years"));
    assert.ok(!log.includes(secret) && !log.includes(sign("1", now())["card_sign"] ?? ""));
  });
});

describe("STUDENT_IDENTITY=campus", async () => {
  const outside = await startCampusStandIn();
  after(() => outside.close());
  const campus = await startBeside({ STUDENT_IDENTITY: "campus", ...outside.settings });
  const login = (body: unknown) => campus.call("POST", "/tuitionpayment/student/login", { body });

  test("a code that is missing, unknown or spent, and a user of another school, are refused", async () => {
    assert.equal((await login({})).json.code, "10001");
    assert.equal((await campus.call("POST", "/tuitionpayment/student/login")).json.code, "10002");
    assert.equal((await login({ code: "unknown" })).json.code, "10007");
    assert.equal((await login({ code: "code-7" })).status, 200);
    assert.equal((await login({ code: "code-7" })).json.code, "10007");
    outside.addCode("stranger", { schoolCode: "1000000002" });
    assert.deepEqual((await login({ code: "stranger" })).json.code, "10008");
  });

  test("a code becomes a token for its card, and for no other", async () => {
    const raw = new URLSearchParams({ code: "code-2026000001" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { json } = await campus.call("POST", "/tuitionpayment/student/login", { raw, headers });
    const { cardNumber, token, expireTime } = json.data;
    assert.equal(cardNumber, "2026000001");
    assert.ok(Math.abs(expireTime - Date.now() - 12 * 3_600_000) < 60_000);
    assert.deepEqual(await codeOf(campus, { card_number: cardNumber, card_token: token }), [200, "0"]);
    assert.deepEqual(await codeOf(campus, { card_number: "2026000002", card_token: token }), [401, "10006"]);
    assert.deepEqual(await codeOf(campus, { card_number: cardNumber }), [401, "10012"]);
    assert.deepEqual(await codeOf(campus, { card_number: cardNumber, card_token: "" }), [401, "10006"]);
    assert.deepEqual(await codeOf(campus, { card_number: cardNumber, card_token: "x" }), [401, "10006"]);
    const kept = await app.pool<{ hash: Buffer }[]>`select token_hash as hash from platform.card_session`;
    assert.ok(kept.every(({ hash }) => !hash.equals(Buffer.from(token))));
    assert.ok(!JSON.stringify(campus.logged).includes(token));
  });

  test("under a data key a session is the card's, and does not show it", async () => {
    const settings = { STUDENT_IDENTITY: "campus", ...outside.settings, DATA_KEY: randomBytes(32).toString("base64") };
    const sealed = await startTestApp({ services, settings });
    const body = { code: "code-99000020080101077X" };
    const { cardNumber, token } = (await sealed.call("POST", "/tuitionpayment/student/login", { body })).json.data;
    assert.deepEqual(await codeOf(sealed, { card_number: cardNumber, card_token: token }), [200, "0"]);
    const [kept] = await sealed.pool<{ stored: string }[]>`select card_number as stored from platform.card_session`;
    assert.match(kept?.stored ?? "", /^#/);
    for (const card of [kept?.stored ?? "", "2026000002"])
      assert.notEqual((await codeOf(sealed, { card_number: card, card_token: token }))[0], 200, card);
  });

  test("a token that has run out is worth nothing, and is tidied away", async () => {
    const { token } = (await login({ code: "code-9" })).json.data;
    await app.pool`update platform.card_session set expires_at = now() where card_number = '9'`;
    assert.deepEqual(await codeOf(campus, { card_number: "9", card_token: token }), [401, "10006"]);
  });

  test("a platform that is down is told as such", async () => {
    await outside.close();
    const { status, json } = await login({ code: "code-1" });
    assert.deepEqual([status, json.code], [502, "20004"]);
  });
});
