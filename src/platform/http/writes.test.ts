import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp, testPassword } from "#test/app.ts";
import { clearAudit } from "#test/database.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp({ services: ["reporting"], settings: { TRUSTED_PROXIES: "127.0.0.1" } });
const boss = await app.signIn("reporting", { isSuper: true });
const clerk = await app.signIn("reporting");
const { pool } = app;
const prefix = "/reporting/informationReporting";

function add(body: unknown, { key, address = "198.51.100.1" }: { key?: string; address?: string } = {}) {
  const headers = { "x-forwarded-for": address, ...(key === undefined ? {} : { "idempotency-key": key }) };
  return app.call("POST", `${prefix}/add`, { body, headers });
}
function addAdministrator(userName: string, key: string, token = boss.token, password = testPassword) {
  const headers = { "idempotency-key": key };
  return app.call("POST", "/reporting/user/add", { body: { userName, name: "x", password }, token, headers });
}
const countReports = async (): Promise<number> =>
  (await pool`select count(*) as count from reporting.report`)[0]?.["count"];
const readAudit = async () =>
  (
    await pool`select service, user_name as who, account_id as "accountId", action, outcome, records, detail, address from platform.audit order by id`
  ).map((row) => ({ ...row }));

describe("the audit log", () => {
  test("has each write with its records, and no read", async () => {
    const itemId = Number((await add(sampleReport())).json.data);
    const other = Number((await add(sampleReport())).json.data);
    await clearAudit(pool);
    const headers = { "x-forwarded-for": "192.0.2.55" };
    const act = (operation: string, body: unknown) =>
      app.call("DELETE", `${prefix}/${operation}`, { token: clerk.token, body, headers });
    await act("valid", { itemId, ps: "资料齐全", name: "not who calls", id: 99 });
    await act("close", { itemId });
    await act("delete", { ids: [other, itemId] });
    await app.call("POST", `${prefix}/downloadTicket`, { token: clerk.token, headers });
    await app.call("GET", `${prefix}/list`, { token: clerk.token, headers });
    const made = await app.call("POST", "/reporting/user/add", {
      token: boss.token,
      headers,
      body: { userName: "made", name: "x", password: testPassword },
    });
    const by = (
      { userName: who, id: accountId }: { userName: string; id: number },
      action: string,
      ids: (number | string)[],
      detail: unknown = null,
    ) => {
      const records = ids.map(String);
      return { service: "reporting", who, accountId, action, outcome: "done", records, detail, address: "192.0.2.55" };
    };
    const lines = await readAudit();
    for (const line of lines) (line as { records?: string[] }).records?.sort((a, b) => Number(a) - Number(b));
    assert.deepEqual(lines, [
      by(clerk, "markValid", [itemId], { ps: "资料齐全" }),
      by(clerk, "closeReport", [itemId]),
      by(clerk, "deleteReports", [itemId, other]),
      by(clerk, "issueDownloadTicket", []),
      by(boss, "addAdministrator", [made.json.data], { userName: "made" }),
    ]);
  });

  test("has each refusal for lack of permission, and no failed write", async () => {
    await clearAudit(pool);
    await app.call("PUT", "/reporting/user/update", { token: clerk.token, body: { id: boss.id, name: "x" } });
    await app.call("PUT", "/reporting/user/update", { token: boss.token, body: { id: boss.id, status: 0 } });
    await app.call("GET", "/platform/audit", { token: boss.token });
    await app.call("DELETE", `${prefix}/close`, { token: clerk.token, body: { itemId: 987_654 } });
    const lines = await readAudit();
    const told = lines.map(({ service, who, action, outcome }) => [service, who, action, outcome].join(" "));
    assert.deepEqual(told, [
      `reporting ${clerk.userName} updateAdministrator refused`,
      `reporting ${boss.userName} updateAdministrator refused`,
      `platform ${boss.userName} listAudit refused`,
    ]);
  });

  test("and the change are one: without the line there is no change", async () => {
    const itemId = Number((await add(sampleReport())).json.data);
    await pool`alter table platform.audit add constraint full_disk check (action <> 'closeReport') not valid`;
    const { json } = await app.call("DELETE", `${prefix}/close`, { token: clerk.token, body: { itemId } });
    await pool`alter table platform.audit drop constraint full_disk`;
    assert.equal(json.code, "10000");
    assert.equal((await pool`select closed from reporting.report where id = ${itemId}`)[0]?.["closed"], false);
  });
});

describe("an Idempotency-Key", () => {
  test("makes a retry return the first success", async () => {
    const before = await countReports();
    const first = await add(sampleReport(), { key: "k1" });
    const again = await add({ ...sampleReport(), unknown: "ignored" }, { key: "k1" });
    assert.deepEqual(again.json, first.json);
    assert.equal(await countReports(), before + 1);
  });

  test("with another body is refused", async () => {
    await add(sampleReport(), { key: "k2" });
    const { status, json } = await add(sampleReport({ name: "another" }), { key: "k2" });
    assert.deepEqual([status, json.code], [409, "10004"]);
  });

  test("gets one line of the audit log, whatever comes again", async () => {
    await clearAudit(pool);
    for (let time = 0; time < 2; time++) assert.equal((await addAdministrator("once", "k8")).json.code, "0");
    assert.deepEqual(
      (await readAudit()).map(({ action }) => action),
      ["addAdministrator"],
    );
  });

  test("of many at once makes one", async () => {
    const before = await countReports();
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(sampleReport(), { key: "k3" })));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers[0]?.json.code, "0");
    assert.equal(await countReports(), before + 1);
  });

  test("of somebody else is another, and so is that of another operation", async () => {
    const before = await countReports();
    const mine = await add(sampleReport(), { key: "k4" });
    const theirs = await add(sampleReport(), { key: "k4", address: "198.51.100.2" });
    assert.notEqual(mine.json.data, theirs.json.data);
    assert.equal(await countReports(), before + 2);
    const second = await app.signIn("reporting", { isSuper: true });
    const first = await addAdministrator("by-boss", "k4");
    const other = await addAdministrator("by-second", "k4", second.token);
    assert.deepEqual([first.json.code, other.json.code], ["0", "0"]);
    assert.equal((await addAdministrator("by-boss", "k4")).json.data, first.json.data);
  });

  test("tells passwords apart without keeping them", async () => {
    assert.equal((await addAdministrator("with-password", "k5")).json.code, "0");
    assert.equal((await addAdministrator("with-password", "k5", boss.token, "another-horse-9")).json.code, "10004");
    assert.equal((await addAdministrator("with-password", "k6")).json.code, "10004");
    const rows = await pool`select body_hash, data from platform.idempotent_answer`;
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(testPassword));
  });

  test("that failed is free again, and after a day too", async () => {
    assert.equal((await add(sampleReport({ name: "" }), { key: "k7" })).json.code, "10001");
    const first = await add(sampleReport(), { key: "k7" });
    assert.equal(first.json.code, "0");
    await pool`update platform.idempotent_answer set created_at = now() - interval '24 hours 1 second'`;
    const later = await add(sampleReport({ name: "another" }), { key: "k7" });
    assert.equal(later.json.code, "0");
    assert.notEqual(later.json.data, first.json.data);
  });

  test("has at most 255 characters, and none is none", async () => {
    assert.equal((await add(sampleReport(), { key: "x".repeat(256) })).json.code, "10001");
    const before = await countReports();
    for (let time = 0; time < 2; time++) assert.equal((await add(sampleReport(), { key: "" })).json.code, "0");
    assert.equal(await countReports(), before + 2);
  });
});

test("a refusal that cannot be written down is still the answer, and is logged", async (context) => {
  await pool.script("alter table platform.audit rename to audit_away");
  context.after(() => pool.script("alter table platform.audit_away rename to audit"));
  const logged = () => app.logged.filter(({ msg }) => msg === "could not write a refused call to the audit log").length;
  const login = (password: string) =>
    app.call("POST", "/reporting/user/login", { body: { userName: clerk.userName, password } });
  const { token } = clerk;
  const change = (id: number) =>
    app.call("PUT", "/reporting/user/updatePassword", { token, body: { id, password: "x", newPassword: "x" } });
  const answers = [
    await app.call("GET", "/platform/audit", { token }),
    await app.call("PUT", "/reporting/user/update", { token, body: { id: 1 } }),
    await change(1),
    await login("wrong-horse"),
    await change(clerk.id),
  ];
  assert.equal(answers.map(({ json }) => json.code).join(" "), "10008 10008 10008 10009 10007");
  assert.equal(logged(), answers.length);
  // A write whose audit entry cannot be written is refused.
  assert.equal((await login(testPassword)).json.code, "10000");
});
