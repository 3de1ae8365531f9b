import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { getData, startTestApp } from "#test/app.ts";
import { pick } from "#test/pick.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";

const settings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20" };
const app = await startTestApp({ services: ["push-relay"], settings });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

const add = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  app.call("POST", "/wx/push/addPushProject", { token, body, headers });
const update = (body: Record<string, unknown>) => app.call("PUT", "/wx/push/updatePushProject", { token, body });
const list = async () => (await app.call("GET", "/wx/push/queryPushProject", { token })).json.data;
const of = (method: string, path: string, id: number | string) =>
  app.call(method, `/wx/push/${path}`, { token, query: { id } });
const find = async (id: number) => (await list()).find((project: { id: number }) => project.id === id);

let names = 0;
const addNew = async (url = "http://receiver.invalid/hook") =>
  Number(getData(await add({ url, project: `项目${++names}` })));

describe("adding", () => {
  test("as form fields, as the document has it", async () => {
    const raw = new URLSearchParams({ url: "http://receiver.invalid/form", project: "图书馆 & co" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { json } = await app.call("POST", "/wx/push/addPushProject", { token, raw, headers });
    assert.match(json.data, /^\d+$/);
    const { createTime, ...project } = await find(Number(json.data));
    assert.match(createTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const quiet = { statu: 0, pending: 0, dead: 0, lastSuccessTime: null, lastError: null };
    const given = { id: Number(json.data), url: "http://receiver.invalid/form", project: "图书馆 & co" };
    assert.deepEqual(project, { ...given, ...quiet, paused: false, flagged: false });
    const empty = await app.call("POST", "/wx/push/addPushProject", { token, raw: "", headers });
    assert.equal(empty.json.code, "11002");
    const without = await app.call("POST", "/wx/push/addPushProject", { token, raw: "project=x", headers });
    assert.equal(without.json.code, "11001");
  });

  test("without a name it is called after its host, with the port", async () => {
    const cases = [
      ["http://a.invalid:8080/x?y=1", "a.invalid:8080"],
      ["https://A.invalid/", "a.invalid"],
      ["http://b.invalid:80", "b.invalid"],
      ["http://[2001:4860::1]:8080/", "[2001:4860::1]:8080"],
    ];
    for (const [index, [url, name]] of cases.entries()) {
      const { json } = await add(index % 2 ? { url, project: "" } : { url });
      assert.equal((await find(Number(json.data))).project, name);
    }
  });

  test("with whom to tell, who is in no audit line, and of whom not everybody sees all", async () => {
    const url = "http://receiver.invalid/told";
    for (const contact of ["x", "a@b, c@d", "1234", "ops", "138****5678", "a@b*.c", `${"x".repeat(250)}@b.cn`, 7])
      assert.equal((await add({ url, contact })).json.code, "11001", String(contact));
    const id = Number((await add({ url, contact: "ops@example.edu" })).json.data);
    assert.equal((await find(id)).contact, "ops@example.edu");
    assert.equal((await update({ id, contact: "" })).json.code, "0");
    assert.ok(!("contact" in (await find(id))));
    await update({ id, contact: "+86 555 0199 0042" });
    assert.equal((await update({ id, contact: "138****5678" })).json.code, "11001");
    await update({ id, project: "告知" });
    assert.equal((await find(id)).contact, "+86 555 0199 0042");
    const lines = await app.pool`select * from platform.audit where records = ${[String(id)]}`;
    assert.equal(lines.length, 4);
    assert.doesNotMatch(JSON.stringify([lines, app.logged]), /ops@example|0199/);
    const reading = await app.signIn("push-relay");
    await app.pool`update platform.account set rights = '{push-relay.read}' where id = ${reading.id}`;
    const { json } = await app.call("GET", "/wx/push/queryPushProject", { token: reading.token });
    assert.equal(json.data.find((one: { id: number }) => one.id === id).contact, "+86**********0042");
  });

  test("wrong addresses and names", async () => {
    const long = `http://receiver.invalid/${"x".repeat(1001)}`;
    const bad = ["", "receiver.invalid", "ftp://receiver.invalid/", "javascript:alert(1)", "http://", 7];
    for (const url of [undefined, null, ...bad, long, "http://u:p@receiver.invalid/"])
      assert.equal((await add({ url })).json.code, "11001", String(url));
    for (const project of ["x".repeat(256), 7, "a\u0000b"])
      assert.equal((await add({ url: "http://receiver.invalid/", project })).json.code, "11001");
  });

  test("an address of a network that is not allowed, however it is spelled", async () => {
    const hosts = ["127.0.0.2", "10.1.2.3", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "[fe80::1]", "2130706434"];
    for (const host of hosts) assert.equal((await add({ url: `http://${host}/` })).json.code, "11003", host);
    assert.equal((await add({ url: "http://127.0.0.1:9/allowed" })).json.code, "0");
  });

  test("the same address and name again; twice at once; again after the first was deleted", async () => {
    const body = { url: "http://twice.invalid/", project: "同名" };
    const answers = await Promise.all([add(body), add(body)]);
    assert.deepEqual(answers.map(({ json }) => json.code).sort(), ["0", "16000"]);
    const id = answers.find(({ json }) => json.code === "0")?.json.data;
    assert.equal((await add({ ...body, project: "异名" })).json.code, "0");
    assert.equal((await of("DELETE", "deletePushProject", id)).json.data, "1");
    assert.equal((await add(body)).json.code, "0");
  });

  test("an Idempotency-Key makes a retry the same project; with another body it is 11004", async () => {
    const headers = { "Idempotency-Key": "project-1" };
    const body = { url: "http://once.invalid/" };
    const first = await add(body, headers);
    assert.equal((await add(body, headers)).json.data, first.json.data);
    const other = await add({ url: "http://other.invalid/" }, headers);
    assert.deepEqual([other.status, other.json.code], [409, "11004"]);
  });
});

describe("changing", () => {
  test("what is given changes, what is left out stays; an empty name is the host again", async () => {
    const id = await addNew();
    const { url, project } = await find(id);
    assert.equal((await update({ id })).json.data, "1");
    assert.equal((await update({ id, statu: 1 })).json.data, "1");
    const { statu, ...rest } = await find(id);
    assert.deepEqual([statu, rest.url, rest.project], [1, url, project]);
    await update({ id, url: "http://moved.invalid:81/", project: "", statu: 0 });
    const moved = await find(id);
    assert.deepEqual([moved.statu, moved.url, moved.project], [0, "http://moved.invalid:81/", "moved.invalid:81"]);
    await update({ id, url: "", project: "改名" });
    assert.deepEqual([(await find(id)).url, (await find(id)).project], ["http://moved.invalid:81/", "改名"]);
  });

  test("refusals change nothing", async () => {
    const id = await addNew();
    const before = await find(id);
    const wrong: [Record<string, unknown>, string][] = [
      [{}, "11001"],
      [{ id: "1" }, "11001"],
      [{ id: null }, "11001"],
      [{ id: 999_999 }, "16000"],
      [{ id, statu: 2 }, "11001"],
      [{ id, statu: "1" }, "11001"],
      [{ id, statu: true }, "11001"],
      [{ id, url: "ftp://x.invalid/" }, "11001"],
      [{ id, url: "http://10.0.0.1/" }, "11003"],
      [{ id, url: "http://taken.invalid/", project: "占用" }, "16000"],
    ];
    await add({ url: "http://taken.invalid/", project: "占用" });
    for (const [body, code] of wrong) assert.equal((await update(body)).json.code, code, JSON.stringify(body));
    assert.deepEqual(await find(id), before);
  });

  test("a deleted project is not there any more, for no operation", async () => {
    const id = await addNew();
    await of("DELETE", "deletePushProject", id);
    assert.equal(await find(id), undefined);
    for (const path of ["pause", "resume", "rotateSecret"])
      assert.equal((await of("PUT", `project/${path}`, id)).json.code, "16000", path);
    for (const path of ["test", "backfill"])
      assert.equal((await of("POST", `project/${path}`, id)).json.code, "16000", path);
    assert.equal((await of("GET", "project/secret", id)).json.code, "16000");
    assert.equal((await of("DELETE", "deletePushProject", id)).json.code, "16000");
    assert.equal((await update({ id, statu: 0 })).json.code, "16000");
  });

  test("every change has its audit line, and so has reading the secret", async () => {
    const id = await addNew();
    await update({ id, statu: 1 });
    for (const path of ["pause", "resume"]) await of("PUT", `project/${path}`, id);
    await of("GET", "project/secret", id);
    await of("PUT", "project/rotateSecret", id);
    await of("DELETE", "deletePushProject", id);
    const lines = await app.pool`
      select action from platform.audit where service = 'push-relay' and records = ${[String(id)]} order by id`;
    const changes = ["addProject", "updateProject", "pauseProject", "resumeProject"];
    assert.deepEqual(pick(lines, "action"), [...changes, "readSecret", "rotateSecret", "deleteProject"]);
  });
});

test("events reach a valid project, signed; a paused one's wait, an invalid one gets none", async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const id = await addNew(receiver.url);
  await campus.tell("addUser", { card_number: "1", name: "甲", extra: { deep: [1] } });
  await receiver.await(1);
  const [push] = receiver.pushes;
  assert.deepEqual(push?.json.data, { card_number: "1", name: "甲", extra: { deep: [1] } });
  assert.deepEqual([push?.json.event, push?.json.school_code], ["addUser", campus.schoolCode]);
  const { secret } = (await of("GET", "project/secret", id)).json.data;
  assert.match(secret, /^whsec_/);
  assert.ok(new Webhook(secret).verify(push?.body ?? "", push?.headers as Record<string, string>));
  await until("nothing is pending", async () => (await find(id)).pending === 0);

  assert.equal((await of("PUT", "project/pause", id)).json.data, "1");
  assert.equal((await of("PUT", "project/pause", id)).json.data, "1", "twice is once");
  await campus.tell("updateUser", { card_number: "1", name: "乙" });
  const waiting = await find(id);
  assert.deepEqual([waiting.paused, waiting.pending, waiting.statu], [true, 1, 0]);
  await of("PUT", "project/resume", id);
  await receiver.await(2);
  await update({ id, statu: 1 });
  await campus.tell("updateUser", { card_number: "1", name: "丙" });
  const { pending } = await find(id);
  assert.ok(pending <= 1, "what was sent may still be written down, and nothing was added");
  await update({ id, statu: 0 });
  await campus.tell("updateUser", { card_number: "1", name: "丁" });
  await receiver.await(3);
  const names = receiver.pushes.map(({ json }) => json.data.name);
  assert.deepEqual(names, ["甲", "乙", "丁"]);
});

test("a rotated secret: both sign", async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const id = await addNew(receiver.url);
  const { secret: old } = (await of("GET", "project/secret", id)).json.data;
  const { secret } = (await of("PUT", "project/rotateSecret", id)).json.data;
  assert.notEqual(secret, old);
  assert.equal((await of("GET", "project/secret", id)).json.data.secret, secret);
  await campus.tell("addUser", { card_number: "rotated" });
  await receiver.await(1);
  const [push] = receiver.pushes;
  for (const one of [secret, old])
    assert.ok(new Webhook(one).verify(push?.body ?? "", push?.headers as Record<string, string>));
});

test("a test tells what the receiver answers, signed, and is in no log", async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const id = await addNew(receiver.url);
  const good = (await of("POST", "project/test", id)).json.data;
  assert.deepEqual([good.statusCode, good.error, typeof good.durationMs], [200, null, "number"]);
  const [push] = receiver.pushes;
  assert.equal(push?.json.event, "test");
  const { secret } = (await of("GET", "project/secret", id)).json.data;
  assert.ok(new Webhook(secret).verify(push?.body ?? "", push?.headers as Record<string, string>));
  receiver.behave(() => 500);
  const failed = (await of("POST", "project/test", id)).json.data;
  assert.equal(failed.statusCode, 500);
  assert.equal(typeof failed.error, "string");
  await receiver.stop();
  const silent = (await of("POST", "project/test", id)).json.data;
  assert.equal(silent.statusCode, null);
  assert.equal(typeof silent.error, "string");
  const page = await app.call("GET", "/wx/push/delivery/page", { token, query: { projectId: id } });
  assert.equal(page.json.data.totalCount, 0);
});
