import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";

const settings = {
  PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
  PUSH_POLL_MS: "20",
  PUSH_RETRY_SECONDS: "3600",
  MAX_CONNECTIONS: "60",
  DATA_KEY: randomBytes(32).toString("base64"),
};
const app = await startTestApp({ services: ["push-relay"], settings });
const beside = await startTestApp({ services: ["push-relay"], settings, beside: app });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

const call = (method: string, path: string, more: object = {}) =>
  app.call(method, `/wx/push/${path}`, { token, ...more });
const ok = async (answer: ReturnType<typeof call>) => {
  const { json, text } = await answer;
  assert.equal(json.code, "0", text);
  return json.data;
};
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const change = (id: number, body: object) => ok(call("PUT", "updatePushProject", { body: { id, ...body } }));

interface Batch {
  readonly cursor: string;
  readonly events: { id: string; event: string; data: Record<string, unknown>; left?: true }[];
  readonly more: boolean;
}

async function addPulled(t: { after(work: () => unknown): void }, body: object = {}) {
  const url = "http://127.0.0.1:9/";
  const project = `pulled ${++numbers}`;
  const id = Number(await ok(call("POST", "addPushProject", { body: { url, project, pull: true, ...body } })));
  t.after(() => call("DELETE", "deletePushProject", { query: { id } }));
  let { key } = await ok(call("PUT", "project/rotateKey", { query: { id } }));
  const ask = (query: Record<string, string | number> = {}, by = app) =>
    by.call("GET", "/wx/push/pull", { headers: bearer(key), query });
  const tell = (cursor: unknown, by = app) =>
    by.call("PUT", "/wx/push/pull", { headers: bearer(key), body: { cursor } });
  const pull = async (query: Record<string, string | number> = {}, by = app): Promise<Batch> => ok(ask(query, by));
  const rotate = async () => ({ key } = await ok(call("PUT", "project/rotateKey", { query: { id } })));
  return {
    id,
    key: () => key,
    ask,
    tell,
    pull,
    rotate,
    acknowledge: (cursor: string, by = app) => ok(tell(cursor, by)),
  };
}

let numbers = 0;
const newPerson = (more: object = {}) => ({ card_number: `p${++numbers}`, name: "陈小明", ...more });
const tellOf = async (people: readonly object[], event = "addUser") => {
  for (let at = 0; at < people.length; at += 20)
    await Promise.all(people.slice(at, at + 20).map((one) => campus.tell(event, one)));
};
const list = ({ events }: Batch) => events.map(({ data }) => `${String(data["card_number"])} ${String(data["n"])}`);
const readPending = (id: number) =>
  app.pool.value<number>`select count(*)::int as count from push_relay.queue where project_id = ${id}`;
const endLease = (id: number) =>
  app.pool`update push_relay.queue set leased_until = now() where project_id = ${id} and leased_until is not null`;

test("who is refused, and takes nothing", async (t) => {
  const one = await addPulled(t);
  await tellOf([newPerson()]);
  const other = await addPulled(t);
  const as = (authorization?: string) =>
    app.call("GET", "/wx/push/pull", authorization === undefined ? {} : { headers: { authorization } });
  const wrong: [string | undefined, string][] = [
    [undefined, "10002"],
    ["Bearer", "10004"],
    ["Basic eDp5", "10004"],
    ["Bearer x", "10003"],
    [`Bearer ${token}`, "10003"],
    [`Bearer ${one.key().replace(/^qr_\d+/, `qr_${other.id}`)}`, "10003"],
    [`Bearer ${one.key().replace(/^qr_\d+/, "qr_999999")}`, "10003"],
    [`Bearer ${one.key()}x`, "10003"],
  ];
  for (const [header, code] of wrong) assert.equal((await as(header)).json.code, code, String(header));
  const before = one.key();
  await one.rotate();
  assert.equal((await as(`Bearer ${before}`)).json.code, "10003");
  for (const query of [{ limit: 0 }, { limit: 501 }, { wait: 31 }, { wait: -1 }, { limit: "x" }])
    assert.equal((await one.ask(query)).json.code, "11001", JSON.stringify(query));
  for (const cursor of [undefined, "", "x", 7]) assert.equal((await one.tell(cursor)).json.code, "11001");
  assert.equal((await one.tell("00000000-0000-4000-8000-000000000000")).json.code, "16000");
  for (const id of ["x", 999_999]) {
    const { json } = await call("PUT", "project/rotateKey", { query: { id } });
    assert.equal(json.code, id === "x" ? "11001" : "16000");
  }
  assert.equal((await app.call("PUT", "/wx/push/project/rotateKey", { query: { id: one.id } })).json.code, "10002");
  const head = await app.call("HEAD", "/wx/push/pull", { headers: bearer(one.key()) });
  assert.equal(head.status, 200);
  const given = await one.pull();
  assert.equal(given.events.length, 1, "nobody had it");
  assert.equal((await other.tell(given.cursor)).json.code, "16000", "another project's");
  await change(one.id, { statu: 1 });
  assert.equal((await one.ask()).json.code, "11003");
  await change(one.id, { statu: 0, pull: false });
  assert.equal((await one.ask()).json.code, "11003");
  const text = JSON.stringify(app.logged);
  for (const key of [one.key(), before]) assert.ok(!text.includes(key), "no key reaches the log");
});

describe("what is given", () => {
  test("as a push would have it, in order, once; until it is acknowledged nobody else has its subject", async (t) => {
    const one = await addPulled(t, { form: "raw", fields: { updateUser: ["n"] } });
    const [a, b] = [newPerson(), newPerson()];
    await campus.tell("addUser", `{"card_number":"${a.card_number}","n":0,"no":12345678901234567890}`);
    for (const n of [1, 2, 3]) await campus.tell("updateUser", { ...a, n });
    await campus.tell("updateUser", { ...b, n: 1 });
    const first = await one.pull({ limit: 2 });
    assert.deepEqual([list(first), first.more], [[`${a.card_number} 0`, `${a.card_number} 1`], true]);
    const { text } = await one.ask({ limit: 2 }, beside);
    assert.match(text, new RegExp(`"data":\\{"card_number":"${b.card_number}","n":1\\}`));
    assert.deepEqual(await one.pull({}, beside), { cursor: null, events: [], more: false });
    await one.acknowledge(first.cursor, beside);
    assert.equal(await one.acknowledge(first.cursor), "1", "its answer may have been lost");
    const rest = await one.pull({ limit: 500 });
    assert.deepEqual([list(rest), rest.more], [[`${a.card_number} 2`, `${a.card_number} 3`], false]);
    await endLease(one.id);
    const again = await one.pull();
    assert.deepEqual(list(again), [`${a.card_number} 2`, `${a.card_number} 3`, `${b.card_number} 1`]);
    assert.equal((await one.tell(rest.cursor)).json.code, "16000", "it was given again");
    assert.equal(await readPending(one.id), 3);
    await one.acknowledge(again.cursor);
    const { list: log } = await ok(call("GET", "delivery/page", { query: { projectId: one.id } }));
    const states = log.map((each: { status: string; attempts: number }) => `${each.status} ${each.attempts}`);
    assert.deepEqual([...new Set(states)], ["delivered 1"]);
    const { data } = (await call("GET", "queryPushProject")).json;
    const told = () =>
      call("GET", "queryPushProject").then(({ json }) => json.data.find((each: { id: number }) => each.id === one.id));
    assert.ok(data.find((each: { id: number }) => each.id === one.id).pull);
    await until("its success is noted", async () => (await told()).lastSuccessTime !== null);
  });

  test("a reader that dies: after its time all is given again; late, but before another has it, is in time", async (t) => {
    const one = await addPulled(t);
    const people = Array.from({ length: 5 }, () => newPerson());
    await tellOf(people);
    const dead = await one.pull();
    assert.equal((await one.pull()).events.length, 0);
    const [{ left }] = await app.pool<[{ left: number }]>`
      select min(extract(epoch from leased_until - now()))::int as left from push_relay.queue where project_id = ${one.id} and head`;
    assert.ok(left > 290 && left <= 300, `${left} s`);
    await endLease(one.id);
    await one.acknowledge(dead.cursor);
    assert.equal(await readPending(one.id), 0);
  });

  test("what is replayed after its time is given as the project has it now", async (t) => {
    const one = await addPulled(t);
    const { card_number } = newPerson();
    await campus.tell("addUser", { card_number, name: "陈小明", id_card: "secret" });
    await campus.tell("updateUser", { card_number, name: "陈小明", id_card: "secret" });
    const first = await one.pull();
    assert.equal(first.events.length, 2);
    const replay = async () =>
      ok(call("POST", "delivery/replay", { body: { projectId: one.id, since: "2020-01-01 00:00:00" } }));
    await change(one.id, { fields: { addUser: ["name"], updateUser: ["name"] } });
    assert.equal(await replay(), "2");
    const readLog = async () => {
      const { list: log } = await ok(call("GET", "delivery/page", { query: { projectId: one.id } }));
      const bodies = log.map(async ({ id }: { id: number }) => ok(call("GET", `delivery/exchange/${id}`)));
      return (await Promise.all(bodies)).map(({ body }) => body.includes("secret"));
    };
    assert.deepEqual(await readLog(), [true, true], "what a reader has now stays as it was given");
    await endLease(one.id);
    assert.equal(await replay(), "2");
    assert.equal((await one.tell(first.cursor)).json.code, "16000");
    const again = await one.pull();
    assert.deepEqual(
      again.events.map(({ data }) => data),
      Array.from({ length: 2 }, () => ({ card_number, name: "陈小明" })),
    );
    assert.deepEqual(await readLog(), [false, false]);
  });

  test("two at once get each subject once, and twenty acknowledgements of one cursor are one", async (t) => {
    const one = await addPulled(t);
    const people = Array.from({ length: 40 }, () => newPerson());
    for (const n of [1, 2])
      await tellOf(
        people.map((each) => ({ ...each, n })),
        "updateUser",
      );
    const batches = await Promise.all(
      Array.from({ length: 12 }, (_, index) => one.pull({ limit: 10 }, index % 2 ? app : beside)),
    );
    const owners = batches.flatMap((batch, index) => list(batch).map((each) => [each.split(" ")[0], index] as const));
    for (const [subject, all] of Map.groupBy(owners, ([name]) => name))
      assert.equal(new Set(all.map(([, index]) => index)).size, 1, String(subject));
    const first = batches.find(({ events }) => events.length > 0);
    const codes = await Promise.all(Array.from({ length: 20 }, () => one.tell(first?.cursor)));
    assert.deepEqual([...new Set(codes.map(({ json }) => json.data))], ["1"]);
    assert.equal(await readPending(one.id), 80 - (first?.events.length ?? 0));
  });

  test("what cannot be opened is given up, and the rest of its lane goes on", async (t) => {
    const one = await addPulled(t);
    const person = newPerson();
    for (const n of [1, 2, 3]) await campus.tell("updateUser", { ...person, n });
    await app.pool`
      update push_relay.event set data = left(data, -8) || 'AAAAAAAA' where id in (
        select event_id from push_relay.queue where project_id = ${one.id} order by seq limit 2)`;
    const batch = await one.pull();
    assert.deepEqual(list(batch), [`${person.card_number} 3`]);
    await one.acknowledge(batch.cursor);
    const { list: dead } = await ok(call("GET", "delivery/page", { query: { projectId: one.id, status: "dead" } }));
    assert.equal(dead.length, 2);
    assert.ok(dead.every(({ lastError }: { lastError: string | null }) => lastError !== null));
  });

  test("large ones come in several answers", async (t) => {
    const one = await addPulled(t);
    await tellOf(Array.from({ length: 30 }, () => newPerson({ text: "x".repeat(400_000) })));
    const counts: number[] = [];
    for (let batch = await one.pull(); batch.events.length > 0; batch = await one.pull()) {
      counts.push(batch.events.length);
      assert.equal(batch.more, counts.reduce((sum, count) => sum + count) < 30);
      await one.acknowledge(batch.cursor);
    }
    assert.deepEqual([counts.length > 1, counts.reduce((sum, count) => sum + count)], [true, 30]);
  });
});

test("from pushed to pulled and back with a thousand that wait: each arrives, in order", async (t) => {
  const receiver = await startReceiver(() => 500);
  t.after(() => receiver.stop());
  const one = await addPulled(t, { url: receiver.url, pull: false });
  const people = Array.from({ length: 100 }, () => newPerson());
  for (let n = 1; n <= 10; n++)
    await tellOf(
      people.map((each) => ({ ...each, n })),
      "updateUser",
    );
  await until("all heads have failed", async () => receiver.pushes.length >= 100);
  await change(one.id, { pull: true });
  const seen = new Map<string, number[]>();
  const note = (data: Record<string, unknown>) =>
    seen.getOrInsertComputed(String(data["card_number"]), () => []).push(Number(data["n"]));
  await until(
    "what was under way is over",
    async () =>
      (await app.pool.value<number>`
      select count(*)::int as count from push_relay.queue where project_id = ${one.id} and claim is not null`) === 0,
  );
  const pushed = receiver.pushes.length;
  for (let count = 0; count < 4; count++) {
    const batch = await one.pull({ limit: 100 });
    for (const { data } of batch.events) note(data);
    await one.acknowledge(batch.cursor);
  }
  const held = await one.pull({ limit: 50 });
  assert.equal(held.events.length, 50);
  assert.equal(receiver.pushes.length, pushed, "it was sent nothing");
  receiver.behave(({ json }) => {
    note(json.data);
    return 200;
  });
  await change(one.id, { pull: false });
  assert.equal((await one.tell(held.cursor)).json.code, "16000", "what a reader has not acknowledged is pushed");
  await call("POST", "delivery/replay", { body: { projectId: one.id, since: "2020-01-01 00:00:00" } });
  await until("nothing waits", async () => (await readPending(one.id)) === 0);
  for (const { card_number } of people)
    assert.deepEqual([...new Set(seen.get(card_number))], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], card_number);
});

describe("who waits", () => {
  test("is given what comes, whichever process stores it, and nothing once the time is up", async (t) => {
    const one = await addPulled(t);
    const waiting = [one.pull({ wait: 30 }, beside), one.pull({ wait: 30 })];
    await tellOf([newPerson()]);
    const first = await Promise.race(waiting);
    assert.equal(first.events.length, 1);
    await tellOf([newPerson()]);
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ events }) => events.length),
      [1, 1],
    );
    const startedMs = performance.now();
    assert.equal((await one.pull({ wait: 1 })).events.length, 0);
    assert.ok(performance.now() - startedMs > 900);
  });

  test("and has gone, was given nothing; one whose key was changed is told so", async (t) => {
    const one = await addPulled(t);
    const gone = http.get(`${app.url}/wx/push/pull?wait=30`, { headers: bearer(one.key()) });
    gone.on("error", () => undefined);
    await once(gone, "socket");
    await one.pull({ wait: 1 }, beside);
    gone.destroy();
    const refused = one.ask({ wait: 30 }, beside);
    // The reader waits by the end of this call; a reader that still begins may be given the event.
    await one.pull({ wait: 1 }, beside);
    await one.rotate();
    await tellOf([newPerson()]);
    assert.equal((await refused).json.code, "10003");
    assert.equal((await one.pull({ wait: 30 })).events.length, 1);
  });

  test("takes a place of half of the connections; beyond, one is told to come later", async (t) => {
    const projects = await Promise.all([addPulled(t), addPulled(t)]);
    const answers = await Promise.all(Array.from({ length: 35 }, (_, index) => projects[index % 2]?.ask({ wait: 1 })));
    const refused = answers.filter((answer) => answer?.status === 429);
    assert.equal(refused.length, 5);
    assert.deepEqual([refused[0]?.json.code, refused[0]?.headers.get("retry-after")], ["20001", "5"]);
    assert.ok(answers.every((answer) => answer?.status === 429 || answer?.json.data.events.length === 0));
  });
});
