import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { pick } from "#test/pick.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";

// The only retry is an hour later, so a failed delivery stays as it is until the replay.
const settings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20", PUSH_RETRY_SECONDS: "3600" };
const app = await startTestApp({ services: ["push-relay"], settings });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

type Query = Record<string, string | number>;
const page = async (query: Query = {}) => getData(await app.call("GET", "/wx/push/delivery/page", { token, query }));
const info = (id: number | string) => app.call("GET", `/wx/push/delivery/info/${id}`, { token });
const replay = (body: unknown) => app.call("POST", "/wx/push/delivery/replay", { token, body });
const directory = async (query: Query = {}) =>
  getData(await app.call("GET", "/wx/push/directory/page", { token, query }));
const backfill = (id: number) => app.call("POST", "/wx/push/project/backfill", { token, query: { id } });

let names = 0;
const addProject = async (url: string): Promise<number> => {
  const { json } = await app.call("POST", "/wx/push/addPushProject", { token, body: { url, project: `p${++names}` } });
  return Number(json.data);
};
const findProject = async (id: number) => {
  const { json } = await app.call("GET", "/wx/push/queryPushProject", { token });
  return json.data.find((row: { id: number }) => row.id === id);
};
const untilListed = (query: Query, question: (list: { status: string; attempts: number }[]) => boolean) =>
  until("the deliveries are as they should be", async () => {
    const { list } = await page({ pageSize: 100, ...query });
    return question(list) && list;
  });

const receiver = await startReceiver();
app.database.closers.push(() => receiver.stop());
const project = await addProject(receiver.url);
const paused = await addProject("http://waiting.invalid/");
await app.call("PUT", "/wx/push/project/pause", { token, query: { id: paused } });
await campus.tell("addOrg", { id: 10, name: "示例大学", parent_id: "0" });
await campus.tell("addUser", { card_number: "10", name: "Ada 测试" });
await campus.tell("updateUsableRange", { auth_info: {} });
await campus.tell("addUser", { card_number: "A_1", name: "百分100%" });
await untilListed(
  { projectId: project },
  (list) => list.length === 4 && list.every(({ status }) => status === "delivered"),
);

describe("the page of deliveries", () => {
  test("newest first, each with what there is to know", async () => {
    const { list, ...paging } = await page({ projectId: project });
    assert.deepEqual(paging, { totalCount: 4, pageSize: 10, totalPage: 1, currPage: 1 });
    const events = ["addUser A_1", "updateUsableRange null", "addUser 10", "addOrg 10"];
    assert.deepEqual(pick(list, "event", "subject"), events);
    const { id, eventId, createTime, deliveredTime, ...rest } = list[3];
    assert.deepEqual([Number.isInteger(id), eventId], [true, receiver.pushes[0]?.headers["webhook-id"]]);
    assert.equal(receiver.pushes[0]?.json.id, eventId);
    for (const time of [createTime, deliveredTime]) assert.match(time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const told = { status: "delivered", attempts: 1, nextAttemptTime: null, lastStatusCode: 200, lastError: null };
    assert.deepEqual(rest, { projectId: project, event: "addOrg", subject: "10", ...told });
    const [waiting] = (await page({ projectId: paused })).list;
    assert.deepEqual([waiting.status, waiting.attempts, waiting.deliveredTime], ["pending", 0, null]);
    assert.match(waiting.nextAttemptTime, /^\d{4}/);
  });

  test("filters alone and together", async () => {
    const cases: [Query, number][] = [
      [{}, 8],
      [{ status: "delivered" }, 4],
      [{ status: "pending" }, 4],
      [{ status: "dead" }, 0],
      [{ status: "" }, 8],
      [{ projectId: project, status: "pending" }, 0],
      [{ projectId: 999_999 }, 0],
      [{ event: "addUser" }, 4],
      [{ event: "adduser" }, 0],
      [{ subject: "10" }, 4],
      [{ subject: "A_1", event: "addUser", projectId: paused, status: "pending" }, 1],
      [{ subject: "a_1" }, 0],
      [{ subject: "1" }, 0],
    ];
    for (const [query, count] of cases) {
      const { totalCount, list } = await page(query);
      assert.deepEqual([totalCount, list.length], [count, count], JSON.stringify(query));
    }
  });

  test("every field sorts, both ways, over pages", async () => {
    const fields = ["id", "eventId", "projectId", "event", "subject", "status", "attempts", "createTime"];
    for (const orderField of [...fields, "nextAttemptTime", "lastStatusCode", "deliveredTime"]) {
      const up = pick((await page({ orderField, pageSize: 100 })).list, "id");
      const down = pick((await page({ orderField, order: "DESC", pageSize: 100 })).list, "id");
      assert.equal(new Set(up).size, 8, orderField);
      const parts = await Promise.all([1, 2, 3].map((curPage) => page({ orderField, pageSize: 3, curPage })));
      const found = parts.flatMap(({ list }) => pick(list, "id"));
      assert.deepEqual(found, up, orderField);
      assert.deepEqual(down.toSorted(), up.toSorted(), orderField);
      assert.notDeepEqual(down, up, orderField);
    }
    const past = await page({ curPage: 5, pageSize: 3 });
    assert.deepEqual([past.totalCount, past.totalPage, past.list], [8, 3, []]);
  });
});

test("each attempt of a delivery is there, before and after it succeeds", async (t) => {
  const failing = await startReceiver(() => 500);
  t.after(() => failing.stop());
  const id = await addProject(failing.url);
  await campus.tell("updateUser", { card_number: "10", name: "Ada", at: 1 });
  const [one] = await untilListed({ projectId: id }, ([first]) => first?.attempts === 1);
  assert.deepEqual([one.status, one.lastStatusCode, typeof one.lastError], ["pending", 500, "string"]);
  assert.ok(one.nextAttemptTime > one.createTime);
  assert.equal(typeof (await until("its error is noted", async () => (await findProject(id)).lastError)), "string");
  failing.behave(() => 201);
  assert.equal((await replay({ ids: [one.id, one.id, 999_999] })).json.data, "1");
  await untilListed({ projectId: id }, ([first]) => first?.status === "delivered");
  const { json } = await info(one.id);
  const { attempts, ...rest } = json.data;
  const { attempts: count, ...listed } = (await page({ projectId: id })).list[0];
  assert.deepEqual(rest, listed);
  assert.equal(count, 2);
  assert.deepEqual(pick(attempts, "statusCode"), [500, 201]);
  assert.deepEqual([typeof attempts[0].error, attempts[1].error], ["string", null]);
  for (const { time, durationMs } of attempts) {
    assert.match(time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.ok(Number.isInteger(durationMs));
  }
  const [first, second] = failing.pushes.map(({ headers, body }) => [headers["webhook-id"], body]);
  assert.deepEqual(second, first);
  await app.call("PUT", "/wx/push/updatePushProject", { token, body: { id, statu: 1 } });
});

describe("a replay", () => {
  const since = "2026-01-01 00:00:00";

  test("of anything but one of the three forms", async () => {
    const bad: unknown[] = [
      {},
      { ids: [] },
      { ids: ["1"] },
      { ids: [0] },
      { ids: [1], projectId: project },
      { projectId: project },
      { since },
      { projectId: project, since, status: "dead" },
      { projectId: project, since: "2026-02-30 00:00:00" },
      { projectId: project, status: "pending" },
      { projectId: String(project), status: "dead" },
      { ids: Array.from({ length: 10_001 }, (_, index) => index + 1) },
    ];
    for (const body of bad) assert.equal((await replay(body)).json.code, "11001", JSON.stringify(body).slice(0, 80));
  });

  test("of what is unknown is 16000, and what matches nothing is 0", async () => {
    const projectId = 999_999;
    for (const body of [{ ids: [999_998, 999_999] }, { projectId, since }, { projectId, status: "dead" }])
      assert.equal((await replay(body)).json.code, "16000");
    assert.equal((await replay({ projectId: project, status: "dead" })).json.data, "0");
    assert.equal((await replay({ projectId: project, since: "2999-01-01 00:00:00" })).json.data, "0");
  });

  test("sends what was delivered once more, in order, and is audited", async () => {
    const before = receiver.pushes.length;
    const { totalCount } = await page({ projectId: project });
    assert.equal((await replay({ projectId: project, since })).json.data, String(totalCount));
    await receiver.await(before + totalCount);
    const about = (pushes: typeof receiver.pushes) =>
      pushes.filter(({ json }) => json.data.card_number === "10").map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual(about(receiver.pushes.slice(before)), about(receiver.pushes.slice(0, before)));
    const [line] = await app.pool`
      select records, detail from platform.audit where action = 'replayDeliveries' order by id desc limit 1`;
    assert.deepEqual([line?.["records"], line?.["detail"]], [[String(project)], { since, status: null }]);
  });

  test("of what is dead brings it back, and leaves a deleted project's alone", async (t) => {
    const failing = await startReceiver(() => 503);
    t.after(() => failing.stop());
    const id = await addProject(failing.url);
    await campus.tell("addUser", { card_number: "dead" });
    const [one] = await untilListed({ projectId: id }, ([first]) => first?.attempts === 1);
    await app.pool`update push_relay.queue set due_at = now() where delivery_id = ${one.id}`;
    const [dead] = await untilListed({ projectId: id, status: "dead" }, (list) => list.length === 1);
    assert.deepEqual([dead.attempts, dead.nextAttemptTime], [2, null]);
    failing.behave(() => 200);
    assert.equal((await replay({ projectId: id, status: "dead" })).json.data, "1");
    await untilListed({ projectId: id, status: "delivered" }, (list) => list.length === 1);
    await app.call("DELETE", "/wx/push/deletePushProject", { token, query: { id } });
    assert.equal((await replay({ ids: [one.id] })).json.data, "0");
    assert.equal((await replay({ projectId: id, status: "dead" })).json.code, "16000");
    assert.equal((await info(one.id)).json.data.projectId, id, "the log still has it");
  });
});

describe("the directory", () => {
  test("who reads it leaves a line in the audit log, without what was looked for", async () => {
    const countLines = async () => (await app.pool`select 1 from platform.audit where action = 'listDirectory'`).length;
    const before = await countLines();
    await directory({ keyword: "Ada", kind: "person", curPage: 2, pageSize: 5 });
    const [line] = await app.pool`
      select service, outcome, records, detail, address, account_id from platform.audit
      where action = 'listDirectory' order by id desc limit 1`;
    const { account_id, ...rest } = line ?? assert.fail();
    assert.ok(account_id);
    const detail = { kind: "person", searched: true, page: 2, rows: 0 };
    assert.deepEqual(rest, { service: "push-relay", outcome: "done", records: [], detail, address: "127.0.0.1" });
    assert.equal(await countLines(), before + 1);
    await app.call("HEAD", "/wx/push/directory/page", { token });
    assert.equal(await countLines(), before + 1, "nothing leaves with a HEAD request");
  });

  test("people and organisations as they are now, by kind and keyword", async () => {
    const { list, totalCount } = await directory({ keyword: "10", kind: "organisation" });
    assert.equal(totalCount, 1);
    const { updateTime, ...entry } = list[0];
    assert.match(updateTime, /^\d{4}/);
    const data = { id: 10, name: "示例大学", parent_id: "0" };
    assert.deepEqual(entry, { kind: "organisation", subject: "10", name: "示例大学", data });
    const cases: [Query, string[]][] = [
      [{ keyword: "10" }, ["A_1", "10", "10"]],
      [{ keyword: "ADA" }, ["10"]],
      [{ keyword: "大" }, ["10"]],
      [{ keyword: "%" }, ["A_1"]],
      [{ keyword: "_" }, ["A_1"]],
      [{ keyword: "a_" }, ["A_1"]],
      [{ keyword: "0 示" }, []],
      [{ keyword: "10", kind: "person" }, ["A_1", "10"]],
      [{ keyword: "无" }, []],
    ];
    for (const [query, subjects] of cases) {
      const found = await directory(query);
      assert.deepEqual(pick(found.list, "subject"), subjects, JSON.stringify(query));
      assert.equal(found.totalCount, subjects.length);
    }
  });

  test("what is removed is gone; what the same number is of the other kind stays", async () => {
    await campus.tell("addOrg", { id: 77, name: "七" });
    await campus.tell("addUser", { card_number: "77", name: "七人" });
    await campus.tell("deleteOrg", { id: 77 });
    assert.deepEqual(pick((await directory({ keyword: "77" })).list, "kind"), ["person"]);
    await campus.tell("addOrg", { id: 77, name: "七又" });
    assert.equal((await directory({ keyword: "77" })).totalCount, 2);
  });
});

test("a project that joins late is sent the present directory, organisations first, and nothing twice in the log", async (t) => {
  const late = await startReceiver();
  t.after(() => late.stop());
  const id = await addProject(late.url);
  const { totalCount } = await directory();
  const organisations = (await directory({ kind: "organisation" })).totalCount;
  const { json } = await backfill(id);
  assert.equal(json.data, String(totalCount));
  await late.await(totalCount);
  const deliveries = (await page({ projectId: id, pageSize: 100, orderField: "id" })).list;
  const people = Array(totalCount - organisations).fill("addUser");
  assert.deepEqual(pick(deliveries, "event"), [...Array(organisations).fill("addOrg"), ...people]);
  const ada = late.pushes.find(({ json: push }) => push.data.card_number === "10");
  assert.deepEqual(ada?.json.data, { card_number: "10", name: "Ada", at: 1 }, "the present state, as it came");
  assert.equal(new Set(late.pushes.map(({ headers }) => headers["webhook-id"])).size, totalCount);
  await campus.tell("updateUser", { card_number: "10", name: "Ada", at: 2 });
  await late.await(totalCount + 1);
  assert.deepEqual(late.pushes.at(-1)?.json.data.at, 2, "and goes on from there");
  await campus.tell("updateUser", { card_number: "10", name: "Ada", at: 2 });
  assert.equal((await page({ projectId: id })).totalCount, totalCount + 1, "a repeat stays one after a backfill");
});
