import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, beforeEach, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { inTransaction } from "#platform/database/index.ts";
import { startTestApp } from "#test/app.ts";
import { meetWaiting } from "#test/meeting.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { startMailServer } from "#test/stand-ins/mail-server.ts";
import { startDingtalkRobot, startWecomRobot } from "#test/stand-ins/robots.ts";
import { getLockedAlert, muteAlert } from "./store.ts";

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const mails = await startMailServer();
const receiver = await startReceiver();
const wecom = await startWecomRobot("key-of-tests");
const dingtalk = await startDingtalkRobot("token-of-tests", "SECof-tests");
const settings = {
  ALERT_LANGUAGE: "en",
  ALERT_WEBHOOK_URL: receiver.url,
  ALERT_WEBHOOK_SECRET: secret,
  ALERT_WECOM_URL: wecom.address,
  ALERT_DINGTALK_URL: dingtalk.address,
  ALERT_DINGTALK_SECRET: "SECof-tests",
  ALERT_MAIL_TO: "night@example.edu, day@example.edu",
  SMTP_URL: `smtp://127.0.0.1:${mails.port}?tls=none`,
  MAIL_FROM: "quintet@example.edu",
  PUBLIC_URL: "https://quintet.example.edu",
};
const app = await startTestApp({ settings });
const other = await startTestApp({ settings, beside: app });
after(() => Promise.all([mails.close(), receiver.stop(), wecom.close(), dingtalk.close()]));
const { token, userName } = await app.signIn("platform");
const { pool } = app;

const service = "tuition-payment";
const condition = "tuition-payment.differences-open";

const call = async (method: string, path: string, body?: unknown, as: string | undefined = token) =>
  app.call(method, `/platform/alerts${path}`, { token: as, ...(body !== undefined && { body }) });
const list = async (query = "") => (await call("GET", `/list${query}`)).json.data.list;

async function look(times = 1): Promise<void> {
  await pool`select graphile_worker.add_job(${`platform-alerts-look-${service}`}) from generate_series(1, ${times})`;
  await settle();
}

async function lookAtPlatform(): Promise<void> {
  await pool`select graphile_worker.add_job('platform-alerts-look-platform')`;
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

beforeEach(async () => {
  receiver.pushes.length = wecom.received.length = dingtalk.received.length = mails.mails.length = 0;
  receiver.behave(() => 200);
  await pool`delete from tuition_payment.difference`;
  await pool`delete from platform.alert`;
  await pool`delete from platform.alert_mute`;
});

// Alerts about the machine that runs this test would disturb the test, so the trigger lets only two conditions raise
// alerts.
await pool`
  create function keep_out() returns trigger language plpgsql as
  $$ begin return case when new.condition in ('tuition-payment.differences-open', 'platform.channel-failing') then new end; end $$`;
await pool`create trigger keep_out before insert on platform.alert for each row execute function keep_out()`;

const told = () => receiver.pushes.map(({ json }) => json.alerts.map((one: never) => [one["subject"], one["state"]]));

describe("an alert", () => {
  test("is told once until it is over, and then that it is over, signed as the relay signs", async () => {
    await differ("ccb");
    await look();
    await differ("ccb");
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]]]);
    const [push] = receiver.pushes;
    assert.ok(push);
    const read = new Webhook(secret).verify(push.body, push.headers as Record<string, string>);
    assert.equal((read as { event: string }).event, "alerts");
    assert.match(push.json.lines[0], /^\[alert\] Reconciliation differences are open: The gateway ccb .* \(since 20/);
    assert.equal(push.json.lines.at(-1), "https://quintet.example.edu/console/platform/alerts");
    const [open] = await list(`?state=open&condition=${condition}`);
    assert.deepEqual([open.subject, open.overTime], ["ccb", null]);
    assert.equal(open.told.map((one: never) => one["channel"]).join(" "), "dingtalk mail webhook wecom");
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
    const all = await list(`?condition=${condition}`);
    const states = all.map((one: never) => `${one["subject"]} ${one["overTime"] === null ? "open" : "over"}`);
    assert.deepEqual(states, ["ccb open", "abc over", "ccb over"]);
    assert.equal(receiver.pushes.length, 4);
  });

  test("is one for two processes that look at once, and many are one message", async () => {
    assert.ok(other.url);
    for (let n = 0; n < 30; n++) await differ(`gateway-${n}`);
    await look(8);
    assert.equal(receiver.pushes.length, 1);
    const [push] = receiver.pushes;
    assert.ok(push);
    const { title, lines, alerts } = push.json;
    assert.deepEqual([title, lines.length, alerts.length], ["Quintet: 30 alerts", 22, 30]);
    assert.equal(lines[20], "10 more: see the console.");
  });

  test("waits for a channel that cannot be reached, and is told once when it can be; the others are told at once", async () => {
    receiver.behave(() => 503);
    await differ("ccb");
    await differ("abc");
    await look();
    assert.equal(wecom.texts().length, 1);
    await decide("abc");
    receiver.behave(() => 200);
    // The scheduled looks may have tried too.
    assert.notEqual(receiver.pushes.splice(0).length, 0);
    await look();
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]]], "what came and went meanwhile is news no more");
    assert.equal(wecom.texts().length, 2);
  });

  test("that is muted is told neither when it comes again nor when it is over, and is told when the mute ends", async () => {
    receiver.behave(() => 503);
    await differ("ccb");
    await look();
    const [{ id }] = await list(`?condition=${condition}`);
    assert.equal((await call("POST", "/mute", { id, until: "day", reason: "statement is late" })).json.data, "1");
    receiver.behave(() => 200);
    receiver.pushes.length = 0;
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
    receiver.behave(() => 503);
    await differ("ccb");
    await look();
    const [{ id }] = await list(`?condition=${condition}`);
    await call("POST", "/mute", { id, until: "over", reason: "known" });
    receiver.behave(() => 200);
    receiver.pushes.length = 0;
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

  test("muted until it is over that nobody has seen for a day ends silently, and comes again aloud", async () => {
    await differ("ccb");
    await look();
    const [{ id }] = await list(`?condition=${condition}`);
    await call("POST", "/mute", { id, until: "over", reason: "known" });
    await pool`update platform.alert set seen_at = now() - interval '25 hours'`;
    await lookAtPlatform();
    assert.deepEqual(told(), [[["ccb", "open"]]]);
    await look();
    assert.deepEqual(told(), [[["ccb", "open"]], [["ccb", "open"]]]);
  });

  test("muted until it is over while it ends leaves no mute behind", async () => {
    await differ("ccb");
    await look();
    const [{ id }] = await list(`?condition=${condition}`);
    await decide("ccb");
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const muting = inTransaction(pool, async (tx) => {
      await muteAlert(tx, await getLockedAlert(tx, { services: null }, id), null, "known", userName);
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const looking = look();
    await meetWaiting(pool, 1);
    held.resolve();
    await Promise.all([muting, looking]);
    assert.deepEqual(await pool`select subject from platform.alert_mute`, []);
  });
});

test("robots take a text of bounded length, mail has the title for its subject", async () => {
  for (let n = 0; n < 60; n++) await differ(`渠道${n}`);
  wecom.fail({ errcode: 45009, errmsg: "api freq out of limit" });
  await look();
  await look();
  assert.deepEqual([wecom.texts().length, dingtalk.texts().length], [2, 1]);
  for (const text of [wecom.texts()[1] ?? "", dingtalk.texts()[0] ?? ""]) {
    assert.match(text, /^Quintet: 60 alerts\n\[alert\] Reconciliation differences are open: The gateway 渠道/);
    assert.match(text, /\n\d\d more: see the console\.\nhttps:\/\/quintet\.example\.edu\/console\/.*alerts$/);
    assert.ok(Buffer.byteLength(text) <= 2000);
  }
  const [mail] = mails.mails;
  assert.deepEqual(mail?.to, ["night@example.edu", "day@example.edu"]);
  assert.match(mail?.raw ?? "", /^Subject: Quintet: 60 alerts$/m);
  assert.match(mail?.raw ?? "", /\[alert\] Reconciliation differences are open/);
});

test("a test of the channels says what each answered, and no secret is in any answer or log", async (t) => {
  const others = { ...settings, ALERT_DINGTALK_SECRET: "SEC-0f-others" };
  const failing = await startTestApp({ settings: others, beside: app });
  receiver.behave((_push, response) => void response.writeHead(500).end("no room"));
  const tested = await failing.call("POST", "/platform/alerts/test", { token });
  t.after(async () => {
    receiver.behave(() => 200);
    // This app's wrong secret would make later tests' messages to DingTalk fail.
    await failing.server.stop();
  });
  const pick = ({ channel, delivered, statusCode, error }: Record<string, unknown>) =>
    [channel, delivered, statusCode, error].join();
  assert.deepEqual(tested.json.data.map(pick), [
    "webhook,false,500,HTTP 500",
    "mail,true,,",
    "wecom,true,200,",
    "dingtalk,false,200,errcode 310000",
  ]);
  const shown = await app.call("GET", "/platform/settings", { token });
  const audit = await app.call("GET", "/platform/audit", { token, query: { pageSize: 1000 } });
  assert.match(audit.text, /testAlertChannels/);
  const written = [tested.text, shown.text, audit.text, JSON.stringify([app.logged, failing.logged])].join();
  for (const hidden of ["key-of-tests", "token-of-tests", "SEC-0f-others", "SECof-tests", secret.slice(6)])
    assert.ok(!written.includes(hidden), hidden);
});

test("a channel that stays behind is told to the others", async () => {
  receiver.behave(() => 503);
  await differ("ccb");
  await look();
  await pool`update platform.alert set opened_at = now() - interval '20 minutes'`;
  await lookAtPlatform();
  await pool`update platform.alert set since = now() - interval '20 minutes' where condition = 'platform.channel-failing'`;
  await lookAtPlatform();
  assert.match(
    wecom.texts().at(-1) ?? "",
    /An alert channel is unavailable: The channel webhook cannot deliver messages/,
  );
  receiver.behave(() => 200);
  receiver.pushes.length = 0;
  await lookAtPlatform();
  assert.deepEqual(told(), [[["ccb", "open"]]], "it is not told so of itself");
});

test("metrics count what holds, by condition and severity", async () => {
  await differ("ccb");
  await look();
  const { text } = await app.call("GET", "/metrics", { token });
  assert.match(text, /^quintet_alerts\{condition="tuition-payment\.differences-open",severity="warning"\} 1$/m);
  assert.match(text, /^quintet_alerts\{condition="platform\.job-dead",severity="warning"\} 0$/m);
});
