import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { getData, startTestApp, type TestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { type SentMessage, startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { until } from "#test/until.ts";

let tell: (message: SentMessage) => void = () => undefined;
const wechat = await startWeChatStandIn({ onMessage: (message) => tell(message) });
const campus = await startCampusStandIn();
after(() => Promise.all([wechat.close(), campus.close()]));
const settings = {
  WECHAT_APP_ID: wechat.appId,
  WECHAT_SECRET: wechat.secret,
  WECHAT_BASE_URL: wechat.url,
  WECHAT_TEMPLATE_ID: "template-1",
  WECHAT_TEMPLATE_FIELDS: "phrase1=verdict",
  WECHAT_PAGE: "pages/report/report",
  CORS_ORIGINS: "https://a.example",
};
const app = await startTestApp({ services: ["reporting"], settings });
const { token: admin } = await app.signIn("reporting");
const { pool } = app;
const prefix = "/reporting/informationReporting";
const exchange = "/sns/jscode2session";
const header = "report_openid_token";

let codes = 0;
const newCode = (): string => `code-own${String(++codes)}`;
const openSession = (body: unknown, at: TestApp = app) => at.call("POST", "/reporting/wx/session", { body });
async function signIn(code = newCode()): Promise<string> {
  return getData(await openSession({ code })).token as string;
}
const listOwn = (session?: string, query = {}, at: TestApp = app) =>
  at.call("GET", `${prefix}/mine`, { headers: session === undefined ? {} : { [header]: session }, query });
const add = (session: string | undefined, given = {}, headers: Record<string, string> = {}) =>
  app.call("POST", `${prefix}/add`, {
    body: sampleReport(given),
    headers: { ...(session !== undefined && { [header]: session }), ...headers },
  });
const summarise = ({ status, json }: { status: number; json: { code: string } }) => [status, json.code];
const countReports = async (): Promise<number> =>
  Number((await pool`select count(*) from reporting.report`)[0]?.["count"]);

describe("signing in with a code", () => {
  test("without a code, or without a platform, nobody is signed in", async () => {
    const plain = await startTestApp({ services: ["reporting"] });
    for (const at of [app, plain]) {
      assert.deepEqual(summarise(await openSession({}, at)), [400, "10001"]);
      assert.deepEqual(summarise(await openSession({ code: "" }, at)), [400, "10001"]);
      assert.deepEqual(summarise(await openSession({ code: 7 }, at)), [400, "10001"]);
      assert.deepEqual(summarise(await openSession({ code: "x".repeat(1025) }, at)), [400, "10026"]);
    }
    assert.deepEqual(summarise(await app.call("POST", "/reporting/wx/session")), [400, "10002"]);
    assert.deepEqual(summarise(await openSession({ code: "code-1" }, plain)), [503, "20004"]);
  });

  test("a code is good once, a wrong one never", async () => {
    const code = newCode();
    await signIn(code);
    assert.deepEqual(summarise(await openSession({ code })), [400, "10007"]);
    assert.deepEqual(summarise(await openSession({ code: "wrong" })), [400, "10007"]);
    const both = newCode();
    const answers = await Promise.all([openSession({ code: both }), openSession({ code: both })]);
    assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007"]);
  });

  test("the token is kept as a hash, for two hours, and never packed or stored on its way", async () => {
    const code = newCode();
    const { json, headers } = await openSession({ code });
    assert.deepEqual(Object.keys(json.data).toSorted(), ["phone", "token"]);
    assert.equal(json.data.phone, null);
    assert.match(json.data.token, /^[\w-]{43}$/);
    assert.equal(headers.get("cache-control"), "no-store");
    const rows = await pool`
      select session::text as text, round(extract(epoch from expires_at - now()) / 60) as minutes
      from reporting.submitter_session as session where open_id = ${wechat.openIdOf(code)}`;
    assert.equal(rows.length, 1);
    assert.ok(!rows[0]?.["text"].includes(json.data.token));
    assert.equal(Number(rows[0]?.["minutes"]), 120);
  });

  test("the campus platform also gives the phone number, by the same code", async () => {
    const other = await startTestApp({
      services: ["reporting"],
      settings: { ...campus.settings },
    });
    assert.equal((await openSession({ code: "code-20260003" }, other)).json.data.phone, "10020260003");
    campus.addCode("no-phone", { telephone: null });
    assert.equal((await openSession({ code: "no-phone" }, other)).json.data.phone, null);
  });
});

describe("one's own reports", () => {
  test("no token is 10012, an empty, wrong or old one 10006", async () => {
    assert.deepEqual(summarise(await listOwn()), [401, "10012"]);
    for (const wrong of ["", "wrong", "x".repeat(5000), admin])
      assert.deepEqual(summarise(await listOwn(wrong)), [401, "10006"], wrong.slice(0, 10));
    const session = await signIn();
    assert.deepEqual(summarise(await listOwn(session)), [200, "0"]);
    await pool`update reporting.submitter_session set expires_at = now()`;
    assert.deepEqual(summarise(await listOwn(session)), [401, "10006"]);
  });

  test("are those that the session submitted, newest first, with their receipts, and nobody else's", async () => {
    const [code, stranger] = [newCode(), await signIn()];
    const session = await signIn(code);
    const made: { id: number; receipt: string }[] = [];
    for (const entryName of ["一", "二", "三"]) {
      const { headers, json } = await add(session, { entryName });
      made.push({ id: Number(json.data), receipt: headers.get("report_receipt") ?? "" });
    }
    await add(stranger, { entryName: "别人的" });
    await add(undefined, { entryName: "无主的" });
    const judged = { itemId: made[1]?.id, ps: "资料齐全" };
    await app.call("DELETE", `${prefix}/valid`, { token: admin, body: judged });
    await app.call("DELETE", `${prefix}/delete`, { token: admin, body: { ids: [made[0]?.id] } });

    const { json } = await listOwn(session);
    const { list, ...page } = json.data;
    assert.deepEqual(page, { totalCount: 3, pageSize: 10, totalPage: 1, currPage: 1 });
    assert.deepEqual(
      list.map(
        ({ entryName, valid, ps, delStatus }: Record<string, unknown>) => `${entryName} ${valid} ${ps} ${delStatus}`,
      ),
      ["三 0 null 1", "二 1 资料齐全 1", "一 0 null 0"],
    );
    for (const [place, one] of list.toReversed().entries()) {
      const { receipt, ...shown } = one;
      assert.equal(receipt, made[place]?.receipt);
      assert.deepEqual(shown, (await app.call("GET", `${prefix}/receipt/${receipt}`)).json.data);
    }
    const second = (await listOwn(session, { currPage: 2, pageSize: 2 })).json.data;
    assert.deepEqual([second.totalPage, second.list.length, second.list[0].entryName], [2, 1, "一"]);
    const past = await listOwn(session, { currPage: 9 });
    assert.deepEqual([past.json.data.totalCount, past.json.data.list], [3, []]);
    const otherName = { headers: { "report-openid-token": session } };
    assert.deepEqual(summarise(await app.call("GET", `${prefix}/mine`, otherName)), [200, "0"]);
  });
});

describe("a submission with a session", () => {
  test("that is wrong or old is 10006, and stores nothing", async () => {
    const before = await countReports();
    for (const wrong of ["", "wrong"]) assert.deepEqual(summarise(await add(wrong)), [401, "10006"]);
    const session = await signIn();
    await pool`update reporting.submitter_session set expires_at = now()`;
    assert.deepEqual(summarise(await add(session)), [401, "10006"]);
    assert.equal(await countReports(), before);
  });

  test("goes before a code, which is then not exchanged", async () => {
    const session = await signIn("code-before");
    const asked = wechat.countOf(exchange);
    const { json } = await add(session, { code: "code-unused" });
    const [row] = await pool`select open_id from reporting.report where id = ${Number(json.data)}`;
    assert.equal(row?.["open_id"], wechat.openIdOf("code-before"));
    assert.equal(wechat.countOf(exchange), asked);
  });

  test("sent again after the session has ended is the same report", async () => {
    const session = await signIn();
    const key = { "Idempotency-Key": "own-reports-1" };
    const first = await add(session, {}, key);
    await pool`update reporting.submitter_session set expires_at = now()`;
    const again = await add(session, {}, key);
    assert.equal(again.json.data, first.json.data);
    assert.equal(again.headers.get("report_receipt"), first.headers.get("report_receipt"));
  });

  test("the message about the verdict opens this very report", async () => {
    const session = await signIn();
    const { json, headers } = await add(session);
    const arrived = new Promise<SentMessage>((resolve) => (tell = resolve));
    await app.call("DELETE", `${prefix}/valid`, { token: admin, body: { itemId: Number(json.data) } });
    assert.equal((await arrived).page, `pages/report/report?receipt=${headers.get("report_receipt") ?? ""}`);
  });
});

test("sessions that are over are swept away", async () => {
  const session = await signIn();
  await pool`update reporting.submitter_session set expires_at = now() - interval '1 second' where token_hash <> sha256(convert_to(${session}, 'UTF8'))`;
  await pool`select graphile_worker.add_job('platform-housekeeping')`;
  const count = async () => Number((await pool`select count(*) from reporting.submitter_session`)[0]?.["count"]);
  await until("those that are over are gone", async () => (await count()) <= 1);
  assert.equal((await listOwn(session)).json.code, "0");
});
