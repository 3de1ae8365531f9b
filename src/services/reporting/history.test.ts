import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { pick } from "#test/pick.ts";
import { type CallOptions, getData, startTestApp } from "#test/app.ts";
import { withinOneMinute } from "#test/one-minute.ts";
import { sampleReport } from "#test/sample-report.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { until } from "#test/until.ts";

const wechat = await startWeChatStandIn({ templateIds: ["template-1"] });
after(() => wechat.close());
// Both processes get these settings, since either process may send the messages.
const settings = {
  WECHAT_APP_ID: wechat.appId,
  WECHAT_SECRET: wechat.secret,
  WECHAT_BASE_URL: wechat.url,
  WECHAT_TEMPLATE_ID: "template-1",
  WECHAT_TEMPLATE_FIELDS: "phrase1=verdict,thing2=ps,thing3=entryName,time4=time",
};
const app = await startTestApp({ services: ["reporting"], settings });
const boss = await app.signIn("reporting");
const { token } = boss;
const prefix = "/reporting/informationReporting";

const add = (options: CallOptions = {}) => app.call("POST", `${prefix}/add`, { body: sampleReport(), ...options });
async function submit(given: Record<string, unknown> = {}): Promise<{ id: number; receipt: string }> {
  const { headers, json } = await add({ body: sampleReport(given) });
  return { id: Number(json.data), receipt: headers.get("report_receipt") ?? "" };
}
const act = async (operation: string, body: unknown, as = token): Promise<void> => {
  getData(await app.call("DELETE", `${prefix}/${operation}`, { token: as, body }));
};
const show = (receipt: string) => app.call("GET", `${prefix}/receipt/${receipt}`);
const eventsOf = async (id: number) =>
  (await app.call("GET", `${prefix}/info/${id}`, { token })).json.data.events as Record<string, unknown>[];
const withoutTimes = (events: readonly Record<string, unknown>[]) =>
  events.map((event) => Object.fromEntries(Object.entries(event).filter(([field]) => field !== "time")));

describe("a receipt", () => {
  test("comes with the submission, and shows the report's state without a token", async () => {
    const { receipt } = await submit({ entryName: "回执", phone: "555 0100 9999" });
    assert.match(receipt, /^[0-9a-f]{32}$/);
    const { status, json, text } = await show(receipt);
    assert.equal(status, 200, text);
    const { reportingTime, ...rest } = json.data;
    const changes = [{ what: "submitted", time: reportingTime }];
    assert.deepEqual(rest, { entryName: "回执", status: 1, delStatus: 1, valid: 0, ps: null, changes });
    assert.match(reportingTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.ok(!text.includes("9999"));
    assert.deepEqual((await show(receipt.toUpperCase())).json.data, json.data);
  });

  test("tells what was done, and of a deleted report too, but not by whom", async () => {
    const { id, receipt } = await submit();
    await act("valid", { itemId: id, ps: "资料齐全" });
    await act("invalid", { itemId: id });
    await act("close", { itemId: id });
    await act("delete", { ids: [id] });
    const { json, text } = await show(receipt);
    assert.deepEqual([json.data.status, json.data.delStatus, json.data.valid, json.data.ps], [0, 0, 2, null]);
    assert.deepEqual(pick(json.data.changes, "what"), ["submitted", "judged", "judged", "closed", "deleted"]);
    for (const change of json.data.changes) assert.match(change.time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.ok(!text.includes(boss.userName));
  });

  test("is the same for a submission that is sent again, and another for every report", async () => {
    const headers = { "Idempotency-Key": "receipt-1" };
    const [first, again] = [await add({ headers }), await add({ headers })];
    assert.equal(again.json.data, first.json.data);
    assert.equal(again.headers.get("report_receipt"), first.headers.get("report_receipt"));
    const several = await Promise.all(Array.from({ length: 20 }, () => submit()));
    assert.equal(new Set(several.map(({ receipt }) => receipt)).size, 20);
  });

  test("that is wrong, or is any other text, is 10005", async () => {
    const { receipt } = await submit();
    const flipped = receipt.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const wrong = [flipped, receipt.slice(1), `${receipt}0`, "0".repeat(32), "f".repeat(32), "1", "../info/1", "中文"];
    for (const text of wrong) {
      const { status, json } = await show(encodeURIComponent(text));
      assert.deepEqual([status, json.code], [404, "10005"], text);
    }
    assert.equal((await show("x".repeat(256))).json.code, "10026");
  });

  test("is good in every process, and look-ups are limited", async () => {
    const { receipt } = await submit();
    const limited = { ...settings, RATE_LIMIT_OPEN: "2" };
    const other = await startTestApp({ services: ["reporting"], settings: limited, beside: app });
    const codes = await withinOneMinute(app.pool, async () => {
      const ask = async () => (await other.call("GET", `${prefix}/receipt/${receipt}`)).json.code as string;
      return [await ask(), await ask(), await ask()];
    });
    assert.deepEqual(codes, ["0", "0", "20001"]);
  });
});

describe("the history of a report", () => {
  test("names who did what, with each verdict and its remark", async () => {
    const other = await app.signIn("platform", { userName: "history-operator" });
    const { id } = await submit();
    await act("valid", { itemId: id, ps: "资料齐全" });
    await act("invalid", { itemId: id, ps: "重复" }, other.token);
    await act("close", { itemId: id }, other.token);
    await act("delete", { ids: [id] });
    const by = { userName: boss.userName, name: boss.userName };
    const byOther = { userName: "history-operator", name: "history-operator" };
    assert.deepEqual(withoutTimes(await eventsOf(id)), [
      { what: "submitted", by: null, valid: null, ps: null },
      { what: "judged", by, valid: 1, ps: "资料齐全" },
      { what: "judged", by: byOther, valid: 2, ps: "重复" },
      { what: "closed", by: byOther, valid: null, ps: null },
      { what: "deleted", by, valid: null, ps: null },
    ]);
  });

  test("tells whether the message about a verdict left", async () => {
    const asked = await app.call("GET", "/reporting/wx/getOpenId", { query: { code: "code-10000000" } });
    assert.equal(asked.text, wechat.openIdOf("code-10000000"));
    const { id } = await submit({ code: "code-10000000" });
    await act("valid", { itemId: id });
    const findSettled = () =>
      app.pool`select 1 from reporting.verdict_message where report_id = ${id} and settled_at is not null`;
    const settled = (count: number) =>
      until("the message is settled", async () => (await findSettled()).length === count);
    await settled(1);
    wechat.refuseMessages(wechat.openIdOf("code-10000000"));
    await act("invalid", { itemId: id });
    await settled(2);
    const events = (await eventsOf(id)).map(({ what, by }) => (by === null ? what : `${String(what)} by somebody`));
    const judged = "judged by somebody";
    assert.deepEqual(events, ["submitted", judged, "messageSent", judged, "messageRefused"]);
  });
});
