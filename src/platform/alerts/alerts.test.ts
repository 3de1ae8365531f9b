import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, beforeEach, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { composeTest } from "./message.ts";
import { sendMessage } from "./sending.ts";
import { startTestApp } from "#test/app.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { startMailServer } from "#test/stand-ins/mail-server.ts";
import { startDingtalkRobot, startWecomRobot } from "#test/stand-ins/robots.ts";

const mails = await startMailServer();
const settings = {
  ALERT_ALLOWED_NETWORKS: "127.0.0.0/8",
  SMTP_URL: `smtp://127.0.0.1:${mails.port}?tls=none`,
  MAIL_FROM: "quintet@example.edu",
  PUBLIC_URL: "https://quintet.example.edu",
};
const app = await startTestApp({ settings });
const other = await startTestApp({ settings, beside: app });
after(() => mails.close());
const { token, userName } = await app.signIn("platform");
const { pool } = app;

const service = "tuition-payment";
const condition = "tuition-payment.differences-open";
const secret = `whsec_${randomBytes(32).toString("base64")}`;

const call = async (method: string, path: string, body?: unknown, as: string | undefined = token) =>
  app.call(method, `/platform/alerts${path}`, { token: as, ...(body !== undefined && { body }) });
const list = async (query = "") => (await call("GET", `/list${query}`)).json.data.list;

/** Makes a channel that asks for this condition alone, so that the machine's own troubles stay out. */
const makeChannel = async (channel: object): Promise<number> => {
  const { json } = await call("POST", "/channels/save", {
    name: randomBytes(4).toString("hex"),
    conditions: [condition],
    language: "en",
    ...channel,
  });
  assert.equal(json.code, "0", JSON.stringify(json));
  return Number(json.data);
};

/** Has the service's conditions looked for, as each minute has, and waits until all that follows is done. */
async function look(times = 1): Promise<void> {
  await pool`select graphile_worker.add_job(${`platform-alerts-look-${service}`}) from generate_series(1, ${times})`;
  await settle();
}

async function settle(): Promise<void> {
  for (let left = 1; left > 0;) {
    const [row] = await pool`
      select count(*) as left from graphile_worker.jobs
      where task_identifier like 'platform-alerts-%' and attempts < max_attempts`;
    left = row?.["left"];
  }
}

const differ = async (gateway: string) =>
  pool`insert into tuition_payment.difference (gateway, day, order_no, refund_no, type)
    values (${gateway}, '2026-11-20', ${randomBytes(4).toString("hex")}, '', 'long')`;
const decide = async (gateway: string) =>
  pool`update tuition_payment.difference set note = 'seen', handled_at = now() where gateway = ${gateway}`;

const receiver = await startReceiver();
after(() => receiver.stop());
beforeEach(async () => {
  receiver.pushes.length = 0;
  receiver.behave(() => 200);
  await pool`delete from tuition_payment.difference`;
  await pool`delete from platform.alert_channel`;
  await pool`delete from platform.alert`;
  await pool`delete from platform.alert_mute`;
  await pool`delete from platform.alert_condition`;
});

const makeWebhook = () => makeChannel({ kind: "webhook", address: receiver.url, secret });
const told = () => receiver.pushes.map(({ json }) => json.alerts.map((one: never) => [one["subject"], one["state"]]));

describe("an alert", () => {
  test("is told once until it is over, and then that it is over, signed as the relay signs", async () => {
    await makeWebhook();
    await differ("ccb");
    await look();
    await differ("ccb");
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]]]);
    const [push] = receiver.pushes;
    assert.ok(push);
    const read = new Webhook(secret).verify(push.body, push.headers as Record<string, string>);
    assert.equal((read as { event: string }).event, "alerts");
    assert.match(push.json.lines[0], /^\[alert\] Reconciliation has open rows: The gateway ccb .* \(since 20/);
    assert.equal(push.json.lines.at(-1), "https://quintet.example.edu/console/platform/alerts");
    const [open] = await list(`?state=open&condition=${condition}`);
    assert.deepEqual([open.subject, open.overTime, open.told.length], ["ccb", null, 1]);
    await decide("ccb");
    await look();
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]], [["ccb", "over"]]]);
    assert.notEqual(receiver.pushes[0]?.json.id, receiver.pushes[1]?.json.id);
    assert.equal((await list(`?state=open&condition=${condition}`)).length, 0);
    await differ("abc");
    await look();
    await decide("abc");
    await differ("ccb");
    await look();
    const states = (await list(`?condition=${condition}`)).map((one: never) => [
      one["subject"],
      one["overTime"] === null,
    ]);
    assert.deepEqual(states, [
      ["ccb", true],
      ["abc", false],
      ["ccb", false],
    ]);
    assert.equal(receiver.pushes.length, 4);
  });

  test("is one for two processes that look at once, and many are one message", async () => {
    await makeWebhook();
    assert.ok(other.url);
    for (let n = 0; n < 30; n++) await differ(`gateway-${n}`);
    await look(8);
    assert.equal(receiver.pushes.length, 1);
    const [push] = receiver.pushes;
    assert.ok(push);
    const { title, lines, alerts } = push.json;
    assert.deepEqual([title, lines.length, alerts.length], ["Quintet: 30 alerts", 22, 30]);
    assert.equal(lines[20], "And 10 more, which the console shows.");
  });

  test("waits for a channel that cannot be reached, and is told once when it can be", async () => {
    const id = await makeWebhook();
    receiver.behave(() => 503);
    await differ("ccb");
    await differ("abc");
    await look();
    await look();
    assert.equal(receiver.pushes.length, 1, "a channel that has just failed is left alone");
    await decide("abc");
    const [channel] = (await call("GET", "/channels/list")).json.data.list;
    assert.deepEqual([channel.failure, channel.toldTime], ["HTTP 503", null]);
    receiver.behave(() => 200);
    await pool`update platform.alert_channel set retry_at = now() where id = ${id}`;
    await look();
    await look();
    assert.equal(receiver.pushes.length, 2);
    assert.deepEqual(told()[1], [
      ["ccb", "open"],
      ["abc", "over"],
    ]);
    const [well] = (await call("GET", "/channels/list")).json.data.list;
    assert.deepEqual([well.failure, well.failingTime], [null, null]);
  });

  test("that is muted is told neither when it comes again nor when it is over, and is told when the mute ends", async () => {
    await differ("ccb");
    await look();
    const [{ id }] = await list(`?condition=${condition}`);
    assert.equal((await call("POST", "/mute", { id, until: "day", reason: "statement is late" })).json.data, "1");
    await makeWebhook();
    await look();
    await decide("ccb");
    await look();
    await differ("ccb");
    await look();
    assert.deepEqual(told(), []);
    const [again] = await list(`?state=open&condition=${condition}`);
    assert.deepEqual([again.mute.reason, again.mute.userName], ["statement is late", userName]);
    await pool`update platform.alert_mute set until = now()`;
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]]]);
  });

  test("muted until it is over comes again aloud; a mute that is taken back has it told at once", async () => {
    await makeWebhook();
    await pool`update platform.alert_channel set enabled = false`;
    await differ("ccb");
    await look();
    const [{ id }] = await list(`?condition=${condition}`);
    await call("POST", "/mute", { id, until: "over", reason: "known" });
    await pool`update platform.alert_channel set enabled = true`;
    await look();
    assert.deepEqual(told(), []);
    assert.equal((await call("POST", "/unmute", { id })).json.data, "1");
    await settle();
    assert.deepEqual(told(), [[["ccb", "open"]]]);
    assert.equal((await call("POST", "/unmute", { id })).json.code, "10005");
    await call("POST", "/mute", { id, until: "over", reason: "known" });
    await decide("ccb");
    await look();
    assert.equal((await call("POST", "/mute", { id, until: "over", reason: "x" })).json.code, "10007");
    await differ("ccb");
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]], [["ccb", "open"]]]);
  });

  test("of a condition that is switched off ends in silence, and comes no more", async () => {
    await makeWebhook();
    await differ("ccb");
    await look();
    const update = (body: object) => call("PUT", "/conditions/update", { id: condition, ...body });
    assert.equal((await update({ enabled: false })).json.data, "1");
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]]]);
    assert.equal((await list(`?state=open&condition=${condition}`)).length, 0);
    assert.equal((await update({ threshold: 5 })).json.code, "10001");
    assert.equal((await call("PUT", "/conditions/update", { id: "platform.nothing" })).json.code, "10005");
  });
});

describe("a robot", () => {
  test("of WeCom takes a text, and its number says whether it did", async (context) => {
    const robot = await startWecomRobot("key-of-tests");
    context.after(() => robot.close());
    const id = await makeChannel({ kind: "wecom", address: robot.address, language: "zh" });
    for (let n = 0; n < 60; n++) await differ(`渠道${n}`);
    robot.fail({ errcode: 45009, errmsg: "api freq out of limit" });
    await look();
    await pool`update platform.alert_channel set retry_at = now() where id = ${id} and failure = 'errcode 45009'`;
    await look();
    assert.equal(robot.texts().length, 2);
    assert.match(robot.texts()[1] ?? "", /^Quintet 60 项告警\n\[告警\] 对账差异待处理：渠道 渠道9 /);
    assert.match(
      robot.texts()[1] ?? "",
      /\n另有 4\d 项，见控制台。\nhttps:\/\/quintet\.example\.edu\/console\/platform\/alerts$/,
    );
    const test = (await call("POST", "/channels/test", { id })).json.data;
    assert.deepEqual([test.delivered, test.statusCode, test.said], [true, 200, '{"errcode":0,"errmsg":"ok"}']);
  });

  test("of DingTalk asks for a signature; a wrong secret is told by its number", async (context) => {
    const robot = await startDingtalkRobot("token-of-tests", "SECof-tests");
    context.after(() => robot.close());
    const id = await makeChannel({ kind: "dingtalk", address: robot.address, secret: "SECof-others" });
    const wrong = (await call("POST", "/channels/test", { id })).json.data;
    assert.deepEqual([wrong.delivered, wrong.statusCode, wrong.error], [false, 200, "errcode 310000"]);
    assert.match(wrong.said, /sign not match/);
    await call("PUT", "/channels/update", { id, secret: "SECof-tests" });
    assert.equal((await call("POST", "/channels/test", { id })).json.data.delivered, true);
  });
});

test("mail has the title for its subject, and a line for each", async () => {
  await makeChannel({ kind: "mail", address: "night@example.edu, day@example.edu" });
  await differ("ccb");
  await look();
  const [mail] = mails.mails;
  assert.deepEqual(mail?.to, ["night@example.edu", "day@example.edu"]);
  assert.match(mail?.raw ?? "", /^Subject: Quintet: 1 alert$/m);
  assert.match(mail?.raw ?? "", /\[alert\] Reconciliation has open rows/);
});

describe("a channel", () => {
  test("that cannot be reached by what is said of it is refused", async () => {
    const save = async (body: object) =>
      (await call("POST", "/channels/save", { name: "x", kind: "webhook", secret, ...body })).json.code;
    assert.equal(await save({ address: "ftp://example.edu" }), "10001");
    assert.equal(await save({ address: "http://user:pw@example.edu/" }), "10001");
    assert.equal(await save({ address: "http://169.254.169.254/latest" }), "10007");
    assert.equal(await save({ address: "http://10.0.0.1/hook" }), "10007");
    assert.equal(await save({ address: receiver.url, secret: "" }), "10001");
    assert.equal(await save({ address: receiver.url, secret: "whsec_c2hvcnQ=" }), "10001");
    assert.equal(await save({ address: receiver.url, conditions: ["platform.nothing"] }), "10007");
    assert.equal(await save({ kind: "wecom", address: receiver.url }), "10001");
    assert.equal(await save({ kind: "dingtalk", address: `${receiver.url}?key=1` }), "10001");
    assert.equal(await save({ kind: "mail", address: "night" }), "10001");
    assert.equal(await save({ kind: "pigeon", address: receiver.url }), "10001");
    assert.equal(await save({ address: "x".repeat(1001) }), "10026");
    assert.equal((await call("GET", "/channels/list")).json.data.totalCount, 0);
    assert.equal((await call("POST", "/channels/test", { id: 99 })).json.code, "10005");
    assert.equal((await call("PUT", "/channels/update", { id: 99, name: "x" })).json.code, "10005");
    assert.equal((await call("DELETE", "/channels/delete", [99])).json.code, "10005");
  });

  test("leads nowhere else when its name does", async () => {
    const wording = { conditions: [], language: "en", timeZone: "UTC", link: undefined } as const;
    const send = (address: string, networks: string[]) =>
      sendMessage(
        { kind: "webhook", address, secret },
        composeTest(wording),
        { ALERT_ALLOWED_NETWORKS: networks, SMTP_URL: undefined, MAIL_FROM: undefined },
        Date.now(),
      );
    const byName = `http://localhost:${receiver.port}/hook`;
    assert.equal((await send(byName, [])).error, "the address is not allowed");
    assert.equal((await send("http://169.254.169.254/", ["0.0.0.0/0"])).error, "the address is not allowed");
    assert.equal(receiver.pushes.length, 0);
    assert.equal((await send(byName, ["127.0.0.0/8"])).error, null);
  });

  test("of one name is there once, also when two make it at once", async () => {
    const make = () =>
      call("POST", "/channels/save", { name: "night", kind: "webhook", address: receiver.url, secret });
    const codes = (await Promise.all([make(), make()])).map(({ json }) => json.code);
    assert.deepEqual(codes.toSorted(), ["0", "10004"]);
    const body = { name: "day", kind: "webhook", address: receiver.url, secret };
    const again = { token, body, headers: { "idempotency-key": "made-once" } };
    const first = await app.call("POST", "/platform/alerts/channels/save", again);
    const second = await app.call("POST", "/platform/alerts/channels/save", again);
    assert.deepEqual([first.json.code, second.json.data], ["0", first.json.data]);
  });

  test("gives its secret and its key to nobody: no answer, no log, no line of the audit log", async (context) => {
    const robot = await startDingtalkRobot("token-0f-tests", "SEC-0f-tests");
    context.after(() => robot.close());
    const id = await makeChannel({ kind: "dingtalk", address: robot.address, secret: "SEC-0f-tests" });
    await makeWebhook();
    const shown = (await call("GET", "/channels/list")).text;
    const [webhook, dingtalk] = JSON.parse(shown).data.list;
    assert.equal(dingtalk.address, `${robot.url}/robot/send?***`);
    assert.deepEqual([dingtalk.hasSecret, webhook.hasSecret], [true, true]);
    // The address as it is shown stands for what is stored.
    await call("PUT", "/channels/update", { id, address: dingtalk.address, name: "night" });
    const tested = await call("POST", "/channels/test", { id });
    assert.equal(tested.json.data.delivered, true);
    await robot.close();
    assert.equal((await call("POST", "/channels/test", { id })).json.data.delivered, false);
    await differ("ccb");
    await look();
    const audit = await app.call("GET", "/platform/audit", { token, query: { pageSize: 1000 } });
    assert.match(audit.text, /testAlertChannel/);
    const written = [shown, tested.text, audit.text, JSON.stringify(app.logged), JSON.stringify(other.logged)].join();
    for (const hidden of ["token-0f-tests", "SEC-0f-tests", secret.slice(6)])
      assert.ok(!written.includes(hidden), hidden);
  });

  test("is for operators alone", async () => {
    const { token: partner } = await app.signIn("reporting", { isSuper: true });
    for (const [method, path, body] of [
      ["GET", "/list", undefined],
      ["POST", "/mute", { id: 1, until: "over", reason: "x" }],
      ["POST", "/unmute", { id: 1 }],
      ["GET", "/conditions/list", undefined],
      ["PUT", "/conditions/update", { id: condition, enabled: false }],
      ["GET", "/channels/list", undefined],
      ["POST", "/channels/save", { name: "x", kind: "webhook", address: receiver.url, secret }],
      ["PUT", "/channels/update", { id: 1 }],
      ["DELETE", "/channels/delete", [1]],
      ["POST", "/channels/test", { id: 1 }],
    ] as const) {
      assert.equal((await call(method, path, body, partner)).json.code, "10008", path);
      assert.equal((await call(method, path, body, "forged")).json.code, "10006", path);
    }
  });
});

test("a channel that cannot be reached is told to the others", async () => {
  const id = await makeChannel({ kind: "webhook", address: "http://127.0.0.1:1/", secret, name: "night" });
  await makeChannel({ kind: "webhook", address: receiver.url, secret, conditions: ["platform.channel-failing"] });
  await pool`update platform.alert_channel set failing_since = now() - interval '20 minutes', retry_at = 'infinity' where id = ${id}`;
  await pool`select graphile_worker.add_job('platform-alerts-look-platform')`;
  await settle();
  assert.deepEqual(told(), [[[String(id), "open"]]]);
  await pool`update platform.alert_channel set failing_since = null where id = ${id}`;
});
