import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { inTransaction } from "#platform/database/index.ts";
import { getData, startTestApp, type TestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { type SentMessage, startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { until } from "#test/until.ts";
import { persons } from "./retention-store.ts";

let tell: (message: SentMessage) => void = () => undefined;
const wechat = await startWeChatStandIn({ templateIds: ["template-1"], onMessage: (message) => tell(message) });
const campus = await startCampusStandIn();
after(() => Promise.all([wechat.close(), campus.close()]));
const app = await startTestApp({
  services: ["reporting"],
  settings: {
    WECHAT_APP_ID: wechat.appId,
    WECHAT_SECRET: wechat.secret,
    WECHAT_BASE_URL: wechat.url,
    WECHAT_TEMPLATE_ID: "template-1",
    WECHAT_TEMPLATE_FIELDS: "phrase1=verdict,thing2=ps,thing3=entryName,time4=time",
  },
});
const { token } = await app.signIn("reporting");
const { pool } = app;
const prefix = "/reporting/informationReporting";

const exchange = "/sns/jscode2session";
const sending = "/cgi-bin/message/subscribe/send";
const ask = (operation: "getPhone" | "getOpenId", code?: string, at: TestApp = app) =>
  at.call("GET", `/reporting/wx/${operation}`, { query: { code } });

async function submit(code: string): Promise<number> {
  return Number(getData(await app.call("POST", `${prefix}/add`, { body: sampleReport({ code }) })));
}

const judge = async (operation: "valid" | "invalid", itemId: number, ps?: string) =>
  assert.equal((await app.call("DELETE", `${prefix}/${operation}`, { token, body: { itemId, ps } })).json.code, "0");

const openIdOf = async (id: number): Promise<string | undefined> =>
  (await pool`select open_id from reporting.report where id = ${id}`)[0]?.["open_id"] ?? undefined;
/** Lists only this service's jobs, since the platform adds its own every minute. */
const listJobs = (one = pool) =>
  one<{ id: string; attempts: number; last_error: string | null; waits: boolean }[]>`
    select id, attempts, last_error, locked_at is null and run_at > now() as waits from graphile_worker.jobs
    where task_identifier like 'reporting-%'`;
const noJobLeft = () => until("no job is left", async () => (await listJobs()).length === 0);
const failedJob = () =>
  until("a job has failed", async () => (await listJobs()).find((job) => job.waits && job.last_error !== null)?.id);
const runNow = async (job: string) =>
  pool`select graphile_worker.reschedule_jobs(array[${job}]::bigint[], run_at => now())`;
const messagesOf = async (id: number) =>
  (
    await pool`select verdict, state, error_code from reporting.verdict_message where report_id = ${id} order by id`
  ).map(({ verdict, state, error_code: code }) => [verdict, state, code]);
const nextMessage = () => new Promise<SentMessage>((resolve) => (tell = resolve));

let codes = 0;
const newCode = (kind = "code-"): string => `${kind}${++codes}0000000`;
async function submitWithOpenId(): Promise<{ id: number; openId: string }> {
  const code = newCode();
  const openId = (await ask("getOpenId", code)).text;
  return { id: await submit(code), openId };
}

describe("look-ups", () => {
  test("without a platform: 20004, but a missing code is told of first", async () => {
    const plain = await startTestApp({ services: ["reporting"] });
    for (const operation of ["getPhone", "getOpenId"] as const) {
      for (const one of [plain, app])
        for (const code of [undefined, ""])
          assert.deepEqual(summarise(await ask(operation, code, one)), [400, "10001"]);
      assert.deepEqual(summarise(await ask(operation, "code-1", plain)), [503, "20004"]);
      assert.deepEqual(summarise(await ask(operation, "x".repeat(1025), plain)), [400, "10026"]);
    }
    const { json } = await plain.call("POST", `${prefix}/add`, { body: sampleReport({ code: "code-1" }) });
    assert.equal(json.code, "0");
    assert.equal((await listJobs(plain.pool)).length, 0);
  });

  const summarise = ({ status, json }: { status: number; json: { code: string } }) => [status, json.code];

  test("a phone for a code, once", async () => {
    const { json } = await ask("getPhone", "phone-10000000001");
    assert.deepEqual([json.code, json.data], ["0", "10000000001"]);
    for (const code of ["phone-10000000001", "unknown", "code-of-a-login", "a code", "代码"])
      assert.deepEqual(summarise(await ask("getPhone", code)), [400, "10007"], code);
  });

  test("an open identifier as plain text, the same again for ten minutes", async () => {
    const code = newCode();
    const asked = wechat.countOf(exchange);
    for (let time = 0; time < 2; time++) {
      const { headers, text } = await ask("getOpenId", code);
      assert.deepEqual([headers.get("content-type"), text], ["text/plain; charset=utf-8", wechat.openIdOf(code)]);
    }
    assert.equal(wechat.countOf(exchange), asked + 1);
    const [kept] =
      await pool`select encode(code_hash, 'escape') as hash, extract(epoch from expires_at - now()) as seconds from reporting.known_open_id`;
    assert.ok(!kept?.["hash"].includes(code) && kept?.["seconds"] > 590 && kept?.["seconds"] <= 600);
    await pool`update reporting.known_open_id set expires_at = now()`;
    assert.deepEqual(summarise(await ask("getOpenId", code)), [400, "10007"]);
  });

  test("a failure of the platform is 20004 in the envelope", async () => {
    wechat.fail({ status: 500 }, { path: exchange });
    wechat.fail("reset", { path: "/wxa/business/getuserphonenumber" });
    for (const answer of [await ask("getOpenId", newCode()), await ask("getPhone", newCode("phone-"))]) {
      assert.deepEqual([...summarise(answer), answer.json.success], [502, "20004", false]);
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    }
  });
});

describe("the submitter", () => {
  test("is known at once when the page has asked with the same code", async () => {
    const asked = wechat.countOf(exchange);
    const { id, openId } = await submitWithOpenId();
    assert.equal(await openIdOf(id), openId);
    assert.equal(wechat.countOf(exchange), asked + 1);
    assert.equal((await listJobs()).length, 0);
  });

  test("is looked up by a job, else", async () => {
    const code = newCode();
    const id = await submit(code);
    assert.equal(await until("the submitter is known", () => openIdOf(id)), wechat.openIdOf(code));
    await noJobLeft();
  });

  test("is looked up again when the platform was down", async () => {
    wechat.fail("reset", { path: exchange });
    const code = newCode();
    const id = await submit(code);
    await runNow(await failedJob());
    assert.equal(await until("the submitter is known", () => openIdOf(id)), wechat.openIdOf(code));
  });

  test("stays unknown when somebody who was erased meanwhile is found later", async () => {
    wechat.fail("reset", { path: exchange });
    const phone = "555 0199 0001";
    const body = sampleReport({ code: newCode(), phone });
    const id = Number(getData(await app.call("POST", `${prefix}/add`, { body })));
    const job = await failedJob();
    await inTransaction(pool, async (tx) => {
      for (const { erase } of persons) await erase?.(tx, { phone });
    });
    await runNow(job);
    await noJobLeft();
    assert.equal(await openIdOf(id), undefined);
  });

  test("stays unknown when the code is wrong, and the report stays", async () => {
    const id = await submit("wrong");
    await noJobLeft();
    const [row] = await pool`select open_id, name from reporting.report where id = ${id}`;
    assert.deepEqual({ ...row }, { open_id: null, name: sampleReport().name });
    await judge("valid", id, "x");
    assert.equal((await messagesOf(id)).length, 0);
  });
});

describe("the verdict", () => {
  test("reaches the submitter with its remark", async () => {
    const { id, openId } = await submitWithOpenId();
    const arrived = nextMessage();
    await judge("valid", id, "资料齐全");
    const { data, ...envelope } = await arrived;
    assert.deepEqual(envelope, { openId, templateId: "template-1", page: null });
    assert.deepEqual({ ...data, time4: "" }, { phrase1: "有效", thing2: "资料齐全", thing3: "智慧教室", time4: "" });
    assert.match(data["time4"] ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$|^\d{4}年/);
    await noJobLeft();
    assert.deepEqual(await messagesOf(id), [[1, "sent", null]]);
  });

  test("that is refused for good is recorded and not tried again", async () => {
    const { id, openId } = await submitWithOpenId();
    wechat.refuseMessages(openId);
    const tried = wechat.countOf(sending);
    await judge("invalid", id);
    await noJobLeft();
    assert.deepEqual(await messagesOf(id), [[2, "refused", 43101]]);
    assert.equal(wechat.countOf(sending), tried + 1);
  });

  test("is tried again while the platform is busy, and a later one takes its place", async () => {
    const { id } = await submitWithOpenId();
    wechat.fail({ errcode: -1 }, { path: sending });
    await judge("valid", id, "first");
    const job = await failedJob();
    const arrived = nextMessage();
    await runNow(job);
    assert.equal((await arrived).data["thing2"], "first");
    await noJobLeft();

    wechat.fail({ errcode: -1 }, { path: sending });
    await judge("valid", id, "second");
    const late = await failedJob();
    const last = nextMessage();
    await judge("invalid", id, "third");
    assert.deepEqual([(await last).data["phrase1"], wechat.messages.at(-1)?.data["thing2"]], ["无效", "third"]);
    const count = wechat.messages.length;
    await runNow(late);
    await noJobLeft();
    const states = (await messagesOf(id)).map(([, state]) => state);
    assert.deepEqual(states, ["sent", "superseded", "sent"]);
    assert.equal(wechat.messages.length, count);
  });

  test("waits for the next day when the quota is used up", async () => {
    const { id } = await submitWithOpenId();
    wechat.fail({ errcode: 45009 }, { path: sending });
    await judge("valid", id);
    const job = await until("a job waits", async () => (await listJobs()).find(({ waits }) => waits));
    assert.equal(job.attempts, 0);
    await pool`delete from graphile_worker._private_jobs`;
  });
});

test("the campus platform gives card number and phone, and has no messages", async () => {
  const other = await startTestApp({ services: ["reporting"], settings: campus.settings });
  assert.equal((await ask("getOpenId", "code-20260001", other)).text, "20260001");
  assert.equal((await ask("getPhone", "code-20260002", other)).json.data, "10020260002");
  campus.addCode("no-phone", { telephone: null });
  assert.equal((await ask("getPhone", "no-phone", other)).json.code, "10005");
  campus.addCode("stranger", { schoolCode: "9999999999" });
  const stranger = await ask("getOpenId", "stranger", other);
  assert.notEqual(stranger.json.code, "0");
  const { json } = await other.call("POST", `${prefix}/add`, { body: sampleReport({ code: "code-20260001" }) });
  const admin = await other.signIn("reporting");
  await other.call("DELETE", `${prefix}/valid`, { token: admin.token, body: { itemId: Number(json.data) } });
  const [row] =
    await other.pool`select open_id, (select count(*) from reporting.verdict_message) as messages from reporting.report`;
  assert.deepEqual({ ...row }, { open_id: "20260001", messages: 0 });
});

test("no log line names a code, an open identifier, a phone or a secret", () => {
  const text = JSON.stringify(app.logged);
  assert.ok(app.logged.length > 20);
  const secrets = [wechat.secret, wechat.openIdOf("code-10000000"), "access_token"];
  for (const word of ["code-", "phone-1", "10000000001", "资料齐全", ...secrets]) assert.ok(!text.includes(word), word);
});
