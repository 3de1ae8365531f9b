import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { type Receiver, startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";
import { decrypt } from "./cipher.ts";
import { readMembers } from "./selection.ts";

const settings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20", RATE_LIMIT_OPEN: "1000000" };
const app = await startTestApp({ services: ["push-relay"], settings });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });
const person = { card_number: "c1", name: "陈小明", id_card: "secret", identity_type: 2, organization: [2, 222] };

const call = (method: string, path: string, more: object = {}) =>
  app.call(method, `/wx/push/${path}`, { token, ...more });
const save = (body: object) => call("POST", "addPushProject", { body });
const change = async (id: number, body: object) => {
  getData(await call("PUT", "updatePushProject", { body: { id, ...body } }));
};
const preview = (id: number, event: string, chosen?: unknown) =>
  call("GET", `project/${id}/preview`, {
    query: { event, ...(chosen !== undefined && { selection: JSON.stringify(chosen) }) },
  });

interface Target extends Receiver {
  readonly id: number;
}

async function addTarget(t: { after(work: () => unknown): void }, chosen: object): Promise<Target> {
  const receiver = await startReceiver();
  const id = Number(getData(await save({ url: receiver.url, ...chosen })));
  t.after(async () => {
    await call("DELETE", "deletePushProject", { query: { id } });
    await receiver.stop();
  });
  return Object.assign(receiver, { id });
}

const waitFor = (id: number) =>
  until("nothing is pending", async () => {
    const { data } = (await call("GET", "queryPushProject")).json;
    return data.find((one: { id: number }) => one.id === id).pending === 0;
  });

let numbers = 0;
const newPerson = (more: object = {}) => ({ ...person, card_number: `s${++numbers}`, ...more });

test("what is refused, and changes nothing", async (t) => {
  const { id, url } = await addTarget(t, { fields: { addUser: ["name"] } });
  const wrong = [
    { events: ["addGroup"] },
    { events: "addUser" },
    { fields: { addUser: [] } },
    { fields: { addGroup: ["name"] } },
    { fields: [] },
    { fields: { addUser: ["x".repeat(256)] } },
    { when: [{ field: "name", in: [] }] },
    { when: [{ field: "", in: ["x"] }] },
    { when: [{ field: "name", in: [{}] }] },
    { form: "xml" },
    { decrypted: "true" },
    { perSecond: -1 },
    { perSecond: 0.5 },
    { perSecond: 10_001 },
  ];
  for (const body of wrong) {
    assert.equal((await save({ url, project: "x", ...body })).json.code, "11001", JSON.stringify(body));
    assert.equal((await call("PUT", "updatePushProject", { body: { id, ...body } })).json.code, "11001");
    assert.equal((await preview(id, "addUser", body)).json.code, "11001", JSON.stringify(body));
  }
  const { data } = (await call("GET", "queryPushProject")).json;
  assert.deepEqual(data.find((one: Target) => one.id === id).fields, { addUser: ["name"] });
  const bad: [string, object, string][] = [
    [`project/${id}/preview`, { event: "test" }, "11001"],
    [`project/${id}/preview`, { event: "addUser", selection: "{" }, "11001"],
    ["project/999999/preview", { event: "addUser" }, "16000"],
    ["project/x/preview", { event: "addUser" }, "11001"],
  ];
  for (const [path, query, code] of bad) assert.equal((await call("GET", path, { query })).json.code, code, path);
  const { json } = await app.call("GET", `/wx/push/project/${id}/preview`, { query: { event: "addUser" } });
  assert.equal(json.code, "10002");
});

test("members of an object are cut out as they are written", () => {
  const text =
    '{"a" : 12345678901234567890 ,"b":{"a":[1,"}"],"c":"\\"{"}, "\\u0061":"last","d":1.0,"e":[],\n"f\\\\":"\\\\"}';
  const members = [...readMembers(text)];
  const expected = [
    ["a", '"last"'],
    ["b", '{"a":[1,"}"],"c":"\\"{"}'],
    ["d", "1.0"],
    ["e", "[]"],
    ["f\\", '"\\\\"'],
  ];
  assert.deepEqual(members, expected);
  assert.deepEqual([...readMembers("{}")], []);
});

describe("what is chosen", () => {
  test("fields and events; the rest is stored nowhere for the project", async (t) => {
    const some = await addTarget(t, { fields: { addUser: ["name", "unheard"] }, events: ["addUser", "addOrg"] });
    const same = await addTarget(t, { fields: { addUser: ["name", "unheard"] } });
    const all = await addTarget(t, {});
    await campus.tell("addUser", '{"card_number":"c9","name":"陈","id_card":"secret","no":12345678901234567890}');
    await campus.tell("updateUser", { ...person, card_number: "c9" });
    await campus.tell("addOrg", { id: 12, name: "书院" });
    await Promise.all([some.await(2), same.await(3), all.await(3)]);
    const given = some.pushes.find(({ json }) => json.event === "addUser");
    assert.match(given?.body ?? "", /"data":\{"card_number":"c9","name":"陈"\},/);
    const [whole, part] = [all, same].map(({ pushes }) => pushes.find(({ json }) => json.event === "addUser")?.json);
    assert.deepEqual([part.id, part.receivedTime], [whole.id, whole.receivedTime]);
    assert.deepEqual(some.pushes.map(({ json }) => json.event).sort(), ["addOrg", "addUser"]);
    assert.deepEqual(same.pushes.find(({ json }) => json.event === "updateUser")?.json.data.id_card, "secret");
    const [{ events, bodies }] = await app.pool<[{ events: number; bodies: string[] }]>`
      select count(distinct event_id)::int as events, array_agg(data) as bodies from push_relay.delivery
      join push_relay.event on event.id = event_id where project_id = any (${[some.id, same.id]}) and event = 'addUser'`;
    assert.equal(events, 1, "projects that choose the same share it");
    assert.ok(bodies.every((body) => !body.includes("secret")));
  });

  test("when, and who leaves: told once more, and once alone", async (t) => {
    const target = await addTarget(t, {
      when: [
        { field: "identity_type", in: ["2"] },
        { field: "organization", in: [222] },
      ],
      fields: { updateUser: ["identity_type"] },
    });
    const other = newPerson({ organization: [3] });
    const { card_number } = newPerson();
    const tell = (identity_type: number, event = "updateUser") =>
      campus.tell(event, { ...person, card_number, identity_type, n: ++numbers });
    await campus.tell("addUser", other);
    for (const type of [1, 2, 2, 3, 3, 2]) await tell(type);
    await campus.tell("deleteUser", { card_number });
    await campus.tell("deleteUser", { card_number: other.card_number });
    await target.await(5);
    await waitFor(target.id);
    const got = target.pushes.map(({ json }) => [json.event, json.data.identity_type, json.left]);
    const updates = [2, 2, 3, 2].map((type) => ["updateUser", type, type === 3 ? true : undefined]);
    assert.deepEqual(got, [...updates, ["deleteUser", undefined, true]]);
    assert.ok(target.pushes.every(({ json }) => json.data.card_number === card_number));
    const [{ count }] = await app.pool<[{ count: number }]>`
      select count(*)::int as count from push_relay.told where project_id = ${target.id}`;
    assert.equal(count, 0);
  });

  test("a number too long for a computer is compared as it is written", async (t) => {
    const target = await addTarget(t, { when: [{ field: "no", in: ["12345678901234567890"] }] });
    const [one, other] = [newPerson().card_number, newPerson().card_number];
    await campus.tell("addUser", `{"card_number":"${other}","no":12345678901234567891}`);
    await campus.tell("addUser", `{"card_number":"${one}","no":12345678901234567890}`);
    await target.await(1);
    assert.deepEqual(
      target.pushes.map(({ json }) => json.data.card_number),
      [one],
    );
  });

  test("a change holds for what comes then; backfill and replay use what holds now", async (t) => {
    const target = await addTarget(t, {});
    const one = newPerson();
    await campus.tell("addUser", one);
    await target.await(1);
    await waitFor(target.id);
    await change(target.id, { fields: { addUser: ["name"] }, events: ["addUser"] });
    const two = newPerson();
    await campus.tell("addUser", two);
    await campus.tell("updateUser", { ...two, name: "改" });
    await target.await(2);
    await waitFor(target.id);
    assert.deepEqual(target.pushes[1]?.json.data, { card_number: two.card_number, name: two.name });
    const since = "2020-01-01 00:00:00";
    const replay = () => call("POST", "delivery/replay", { body: { projectId: target.id, since } });
    assert.equal((await replay()).json.data, "2");
    await target.await(4);
    await waitFor(target.id);
    const again = target.pushes.slice(2).map(({ json }) => json);
    assert.deepEqual(again.find(({ data }) => data.card_number === one.card_number).data, {
      card_number: one.card_number,
      name: one.name,
    });
    assert.deepEqual(
      again.map(({ id }) => id).sort(),
      target.pushes
        .slice(0, 2)
        .map(({ json }) => json.id)
        .sort(),
    );

    await change(target.id, { fields: {}, when: [{ field: "card_number", in: [two.card_number] }] });
    const { data } = (await call("POST", "project/backfill", { query: { id: target.id } })).json;
    assert.equal(data, "1");
    await target.await(5);
    await waitFor(target.id);
    assert.deepEqual(target.pushes[4]?.json.data, { ...two, name: "改" });
    assert.equal((await replay()).json.data, "2", "nobody else's");
    await change(target.id, { events: [], when: [] });
    const { fields, when, form } = (await call("GET", "queryPushProject")).json.data.find(
      (one: Target) => one.id === target.id,
    );
    assert.deepEqual([fields, when, form], [undefined, undefined, undefined], "given everything, it reads as ever");
  });
});

describe("forms", () => {
  test("the same names urlencoded, and the campus platform's own request", async (t) => {
    const form = await addTarget(t, { form: "form" });
    const raw = await addTarget(t, { form: "raw" });
    const plain = await addTarget(t, { form: "raw", decrypted: true });
    const less = await addTarget(t, { form: "raw", fields: { addUser: ["name"] } });
    const one = newPerson({ name: "a&b=c" });
    await campus.tell("addUser", one);
    for (const receiver of [form, raw, plain, less]) await receiver.await(1);
    const [sent] = form.pushes;
    assert.equal(sent?.headers["content-type"], "application/x-www-form-urlencoded");
    const { data, id, event, school_code, receivedTime, ...rest } = Object.fromEntries(new URLSearchParams(sent?.body));
    assert.deepEqual([JSON.parse(data ?? ""), event, school_code, rest], [one, "addUser", campus.schoolCode, {}]);
    assert.deepEqual([id, typeof receivedTime], [sent?.headers["webhook-id"], "string"]);
    const { appKey: app_key, appSecret: app_secret } = campus;
    const request = { app_key, app_secret, school_code, event, raw_data: campus.seal(one) };
    assert.equal(raw.pushes[0]?.body, JSON.stringify(request));
    assert.deepEqual(plain.pushes[0]?.json, { ...request, raw_data: JSON.stringify(one) });
    const opened = decrypt(less.pushes[0]?.json.raw_data, campus)?.toString() ?? "";
    assert.deepEqual(JSON.parse(opened), { card_number: one.card_number, name: one.name });
    await waitFor(raw.id);
    const { list } = (await call("GET", "delivery/page", { query: { projectId: raw.id } })).json.data;
    const { json, text } = await call("GET", `delivery/exchange/${list[0].id}`);
    assert.equal(json.data.attempts[0].headers["content-type"], "application/json");
    assert.ok(!text.includes(app_secret), "nobody who reads the log learns the secret");
  });

  test("a replay decrypts where the project now wants it, and only there", async (t) => {
    const target = await addTarget(t, { form: "raw", decrypted: true });
    const one = newPerson();
    await campus.tell("addUser", one);
    await target.await(1);
    for (const [count, decrypted] of [
      [2, false],
      [3, true],
    ] as const) {
      await waitFor(target.id);
      await change(target.id, { decrypted });
      const { list } = (await call("GET", "delivery/page", { query: { projectId: target.id } })).json.data;
      getData(await call("POST", "delivery/replay", { body: { ids: [list[0].id] } }));
      await target.await(count);
      const sent = target.pushes[count - 1]?.json.raw_data;
      assert.equal(sent, decrypted ? JSON.stringify(one) : campus.seal(one));
    }
  });

  test("a preview shows what would be sent, with what is not saved yet", async (t) => {
    const { id } = await addTarget(t, { fields: { updateOrg: ["name"] } });
    const show = async (chosen?: object, event = "updateOrg") => (await preview(id, event, chosen)).json.data;
    assert.deepEqual(await show({}, "deleteUsableRange"), {
      state: "noEvent",
      contentType: null,
      body: null,
      missing: [],
    });
    await campus.tell("updateOrg", { id: 7, name: "图书馆", parent: 1 });
    const given = await show();
    assert.deepEqual([given.state, JSON.parse(given.body).data], ["given", { id: 7, name: "图书馆" }]);
    const form = await show({ form: "form", fields: { updateOrg: ["parent", "unheard"] } });
    assert.deepEqual([form.missing, form.contentType], [["unheard"], "application/x-www-form-urlencoded"]);
    assert.equal((await show({ events: ["addUser"] })).state, "notGiven");
    const left = await show({ when: [{ field: "parent", in: [2] }] });
    assert.deepEqual([left.state, JSON.parse(left.body).left], ["left", true]);
  });
});

test("no more begin in a second than a project takes, and all arrive", async (t) => {
  const target = await addTarget(t, { perSecond: 20 });
  const people = Array.from({ length: 50 }, () => newPerson());
  await Promise.all(people.map((one) => campus.tell("addUser", one)));
  await target.await(50);
  const times = target.pushes.map(({ arrivedMs }) => arrivedMs);
  for (const [index, at] of times.entries()) {
    const later = times[index + 25];
    if (later !== undefined) assert.ok(later - at > 1000, `25 more within ${later - at} ms`);
  }
});

test("a selection that changes while events come: each is given by one or the other, none is lost", async (t) => {
  const target = await addTarget(t, { fields: { addUser: ["name"] } });
  const people = Array.from({ length: 60 }, () => newPerson());
  const telling = Promise.all(people.map((one) => campus.tell("addUser", one)));
  for (const names of [["id_card"], ["identity_type"], ["name"]])
    await change(target.id, { fields: { addUser: names } });
  await telling;
  await target.await(60);
  assert.deepEqual(
    target.pushes.map(({ json }) => json.data.card_number).sort(),
    people.map(({ card_number }) => card_number).sort(),
  );
  for (const { json } of target.pushes) assert.equal(Object.keys(json.data).length, 2);
});
