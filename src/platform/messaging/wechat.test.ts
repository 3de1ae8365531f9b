import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import type { WeChatStandIn, WeChatStandInOptions } from "#test/stand-ins/wechat.ts";
import { failOf } from "#test/stand-ins/outside-failure.ts";
import { createWeChatClient, type WeChatOptions } from "./wechat.ts";

const tokenPath = "/cgi-bin/stable_token";
const sendPath = "/cgi-bin/message/subscribe/send";
const phonePath = "/wxa/business/getuserphonenumber";
const morningMs = Date.UTC(2026, 10, 20, 2);

const started: WeChatStandIn[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((standIn) => standIn.close()));
});

async function setUp(more: WeChatStandInOptions & Partial<WeChatOptions> = {}) {
  let nowMs = morningMs;
  const now = () => nowMs;
  const { kind = "mini-program", timeoutMs = 2000, secret, ...standInOptions } = more;
  const platform = await startWeChatStandIn({ now, ...standInOptions });
  started.push(platform);
  const { appId, url: baseUrl } = platform;
  const openClient = () =>
    createWeChatClient({ appId, secret: secret ?? platform.secret, baseUrl, kind, timeoutMs, now });
  return { platform, client: openClient(), openClient, passTime: (ms: number) => (nowMs += ms) };
}

function messageTo(openId: string, data: Record<string, string> = { thing2: "资料齐全" }) {
  return { openId, templateId: "template-1", data };
}

describe("login codes", () => {
  test("a mini program's code gives the open identifier", async () => {
    const { client, platform } = await setUp();
    assert.deepEqual(await client.exchangeCode("code-a"), { openId: platform.openIdOf("code-a") });
    const { appId: appid, secret } = platform;
    const query = { appid, secret, js_code: "code-a", grant_type: "authorization_code" };
    assert.deepEqual(platform.received[0], { method: "GET", path: "/sns/jscode2session", query, body: "" });
    assert.equal(platform.countOf(tokenPath), 0);
  });

  test("a service account's code gives the open identifier", async () => {
    const { client, platform } = await setUp({ kind: "service-account" });
    assert.deepEqual(await client.exchangeCode("code-a"), { openId: platform.openIdOf("code-a") });
    assert.equal(platform.received[0]?.path, "/sns/oauth2/access_token");
  });

  test("a preview account is refused for good", async () => {
    const { client, platform } = await setUp({ kind: "service-account" });
    platform.addLoginCode("seen-in-preview", { isSnapshot: true });
    const { kind, retryable } = await failOf(client.exchangeCode("seen-in-preview"));
    assert.deepEqual([kind, retryable], ["refused", false]);
  });

  test("what cannot be a code is not sent", async () => {
    const { client, platform } = await setUp();
    for (const text of ["", "a b", "码", "x".repeat(513), "a\n"]) {
      for (const fail of [client.exchangeCode(text), client.getPhoneNumber(text)]) {
        assert.equal((await failOf(fail)).kind, "code-invalid");
      }
    }
    assert.equal(platform.received.length, 0);
  });

  test("a wrong secret is refused, and may be put right", async () => {
    const { client } = await setUp({ secret: "wrong" });
    const { kind, retryable, errcode } = await failOf(client.exchangeCode("code-a"));
    assert.deepEqual({ kind, retryable, errcode }, { kind: "refused", retryable: true, errcode: 40125 });
  });
});

describe("telephone numbers", () => {
  test("a code of the button gives the national number", async () => {
    const { client, platform } = await setUp();
    assert.deepEqual(await client.getPhoneNumber("phone-10012345678"), { phone: "10012345678" });
    assert.deepEqual(platform.received.at(-1)?.body, { code: "phone-10012345678" });
  });

  test("a service account has none, and nothing is sent", async () => {
    const { client, platform } = await setUp({ kind: "service-account" });
    assert.equal((await failOf(client.getPhoneNumber("phone-1"))).kind, "refused");
    assert.equal(platform.received.length, 0);
  });
});

describe("subscription messages", () => {
  test("a mini program's message arrives, shaped to the limits", async () => {
    const { client, platform } = await setUp();
    const openId = platform.openIdOf("code-a");
    const page = "pages/index";
    const given = { phrase1: "有效", thing2: "长".repeat(200), time3: "2026-11-20 10:00:00", thing4: "" };
    await client.sendSubscriptionMessage({ ...messageTo(openId, given), page });
    const data = { phrase1: "有效", thing2: `${"长".repeat(19)}…`, time3: "2026年11月20日 10:00", thing4: "无" };
    assert.deepEqual(platform.messages, [{ openId, templateId: "template-1", page, data }]);
    assert.equal(platform.countOf(sendPath), 1);
  });

  test("a service account's message goes its own way", async () => {
    const { client, platform } = await setUp({ kind: "service-account" });
    await client.sendSubscriptionMessage(messageTo(platform.openIdOf("code-a")));
    assert.equal(platform.countOf("/cgi-bin/message/subscribe/bizsend"), 1);
  });

  test("a user who refused, a foreign identifier, a wrong template and a wrong page are refused for good", async () => {
    const { client, platform } = await setUp({ templateIds: ["template-1"], pages: ["pages/index"] });
    const openId = platform.openIdOf("code-a");
    const refusing = platform.openIdOf("code-b");
    platform.refuseMessages(refusing);
    for (const [expected, message] of [
      [43101, messageTo(refusing)],
      [40003, messageTo(`o${"x".repeat(27)}`)],
      [40037, { ...messageTo(openId), templateId: "other" }],
      [41030, { ...messageTo(openId), page: "pages/none" }],
    ] as const) {
      const { errcode, kind, retryable } = await failOf(client.sendSubscriptionMessage(message));
      assert.deepEqual([errcode, kind, retryable], [expected, "refused", false]);
    }
    assert.equal(platform.countOf(sendPath), 4);
  });

  test("47003 names the field of the template and repeats nothing else of the platform's text", async () => {
    const { client, platform } = await setUp();
    const errmsg = "argument invalid! data.thing2.value invalid secret-text";
    platform.fail({ errcode: 47003, errmsg }, { path: sendPath });
    const { message } = await failOf(client.sendSubscriptionMessage(messageTo(platform.openIdOf("code-a"))));
    assert.equal(message, "wechat: a value does not fit the template: thing2 (errcode 47003)");
  });

  test("a busy platform is not asked twice for a message, since it may have been sent", async () => {
    const { client, platform } = await setUp();
    platform.fail({ errcode: -1 }, { path: sendPath });
    const { kind, retryable } = await failOf(client.sendSubscriptionMessage(messageTo(platform.openIdOf("code-a"))));
    assert.deepEqual([kind, retryable, platform.countOf(sendPath)], ["unavailable", true, 1]);
  });

  test("no error names whom or what it was about", async () => {
    const { client, platform } = await setUp();
    const openId = platform.openIdOf("code-a");
    for (const errcode of [-1, 40001, 40003, 40037, 43101, 47003, 45009, 45011, 12345]) {
      const times = errcode === 40001 ? 2 : 1;
      platform.fail({ errcode, errmsg: `of ${openId}` }, { path: sendPath, times });
      const { stack = "" } = await failOf(client.sendSubscriptionMessage(messageTo(openId)));
      assert.ok(![openId, platform.secret, "资料"].some((word) => stack.includes(word)), stack);
    }
  });
});

describe("what an errcode means", () => {
  const meanings: [errcode: number, kind: string, retryable: boolean, retryAfterMs: number | undefined][] = [
    [45009, "quota", true, 14 * 3600_000],
    [45011, "quota", true, 60_000],
    [40029, "code-invalid", false, undefined],
    [40163, "code-invalid", false, undefined],
    [40226, "refused", false, undefined],
    [40013, "refused", true, undefined],
    [40164, "refused", true, undefined],
    [48001, "refused", true, undefined],
    [99999, "refused", false, undefined],
  ];
  test("is in a table", async () => {
    const { client, platform } = await setUp();
    for (const [errcode, ...rest] of meanings) {
      platform.fail({ errcode });
      const { kind, retryable, retryAfterMs } = await failOf(client.exchangeCode("code-a"));
      assert.deepEqual([kind, retryable, retryAfterMs], rest, String(errcode));
    }
  });

  test("a read is asked for a second time when the platform is busy, not a third", async () => {
    const { client, platform } = await setUp();
    platform.fail({ errcode: -1 });
    assert.deepEqual(await client.exchangeCode("code-a"), { openId: platform.openIdOf("code-a") });
    platform.fail({ errcode: -1 }, { path: phonePath });
    assert.deepEqual(await client.getPhoneNumber("phone-1"), { phone: "1" });
    platform.fail({ errcode: -1 }, { times: 2 });
    const { kind, retryable, errcode } = await failOf(client.exchangeCode("code-b"));
    assert.deepEqual([kind, retryable, errcode], ["unavailable", true, -1]);
  });
});

describe("the application's token", () => {
  test("is fetched once for fifty first calls", async () => {
    const { client, platform } = await setUp();
    await Promise.all(Array.from({ length: 50 }, (_, i) => client.getPhoneNumber(`phone-${i}`)));
    assert.deepEqual([platform.countOf(tokenPath), platform.countOf(phonePath)], [1, 50]);
  });

  test("is renewed when its time is nearly over, before a call is lost on it", async () => {
    const { client, platform, passTime } = await setUp();
    await client.getPhoneNumber("phone-1");
    passTime(7200_000 - 61_000);
    await client.getPhoneNumber("phone-2");
    assert.equal(platform.countOf(tokenPath), 1);
    passTime(2000);
    await client.getPhoneNumber("phone-3");
    assert.deepEqual([platform.countOf(tokenPath), platform.countOf(phonePath)], [2, 3]);
  });

  for (const [title, spoil] of [
    ["expired", (platform: WeChatStandIn) => platform.tokens.expireAll()],
    ["replaced elsewhere", (platform: WeChatStandIn) => platform.tokens.revokeAll()],
  ] as const) {
    test(`${title}: a storm of fifty calls of two processes makes one refresh each, without force`, async () => {
      const { client, platform, openClient } = await setUp();
      const clients = [client, openClient()];
      for (const one of clients) await one.getPhoneNumber(`phone-${1000 + clients.indexOf(one)}`);
      spoil(platform);
      const calls = Array.from({ length: 50 }, (_, i) => clients[i % 2]?.getPhoneNumber(`phone-${i}`));
      assert.equal((await Promise.all(calls)).length, 50);
      const requests = platform.received.filter(({ path }) => path === tokenPath).map(({ body }) => body);
      const { appId: appid, secret } = platform;
      const usual = { grant_type: "client_credential", appid, secret, force_refresh: false };
      assert.deepEqual(requests, [usual, usual, usual, usual]);
    });
  }

  test("is asked for once more when it is refused, then the call is for later", async () => {
    const { client, platform } = await setUp();
    await client.getPhoneNumber("phone-1");
    platform.fail({ errcode: 42001 }, { path: phonePath, times: 2 });
    const failure = await failOf(client.getPhoneNumber("phone-2"));
    assert.deepEqual([failure.kind, failure.retryable, failure.errcode], ["unavailable", true, 42001]);
    assert.equal(platform.countOf(phonePath), 3);
  });
});
