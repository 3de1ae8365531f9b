import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { until } from "#test/until.ts";
import { canonicalize } from "./compare.ts";

const app = await startTestApp({ services: ["push-relay"], settings: { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32" } });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

const ok = async (answer: ReturnType<typeof app.call>) => {
  const { json, text } = await answer;
  assert.equal(json.code, "0", text);
  return json.data;
};

let numbers = 0;

async function addOwn(body: object = {}) {
  const given = { url: "http://127.0.0.1:9/", project: `own ${++numbers}`, pull: true, ...body };
  const id = Number(await ok(app.call("POST", "/wx/push/addPushProject", { token, body: given })));
  const { key } = await ok(app.call("PUT", "/wx/push/project/rotateKey", { token, query: { id } }));
  const headers = { authorization: `Bearer ${key}` };
  const ask = (method: string, path: string, more: object = {}) =>
    app.call(method, `/wx/push/${path}`, { headers, ...more });
  const pull = (limit = 500) => ok(ask("GET", "pull", { query: { limit } }));
  const take = async () => {
    const { cursor, events } = await pull();
    if (cursor) await ok(ask("PUT", "pull", { body: { cursor } }));
    return events;
  };
  const compare = (lines: string | Buffer, send = 0) =>
    ask("POST", "own/compare", {
      raw: lines,
      query: { send },
      headers: { ...headers, "content-type": "application/x-ndjson" },
    });
  return { id, key, ask, take, compare };
}

const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const toRow = (data: { card_number?: string | undefined; id?: number; name?: string | undefined }) =>
  JSON.stringify({ subject: String(data.card_number ?? data.id), digest: sha(canonicalize(data)) });

test("canonical JSON is that of RFC 8785", () => {
  // The examples of RFC 8785, sections 3.2.2 to 3.2.4, and names whose order by UTF-16 code units differs from that by
  // code points.
  const given = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false],"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`;
  const expected =
    String.raw`{"\r":2,"1":4,"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/","` +
    "\u0080" +
    String.raw`":6,"ö":7,"€":1,"😀":5,"` +
    '\ufb33":3}';
  assert.equal(canonicalize(JSON.parse(given)), expected);
});

describe("a receiver sees its own project, and no other", () => {
  test("settings without secrets, figures, deliveries with what they gave", async () => {
    const [one, other] = [await addOwn({ fields: { addUser: ["name"] } }), await addOwn()];
    await campus.tell("addUser", { card_number: "o1", name: "陈小明", id_card: "secret" });
    await app.call("PUT", "/wx/push/updatePushProject", { token, body: { id: one.id, contact: "a@example.edu" } });
    const own = await ok(one.ask("GET", "own"));
    assert.ok(!("contact" in own));
    assert.deepEqual([own.id, own.pending, own.pull, own.fields], [one.id, 1, true, { addUser: ["name"] }]);
    assert.equal(own.health.projectId, one.id);
    assert.ok(!/whsec|secret/i.test(JSON.stringify(own)));
    await one.take();
    await until("its success is noted", async () => (await ok(one.ask("GET", "own"))).lastSuccessTime !== null);
    const page = async (query: object = {}) => ok(one.ask("GET", "own/deliveries", { query }));
    const { list, totalCount } = await page();
    assert.deepEqual(
      [totalCount, list[0].status, JSON.parse(list[0].body).data],
      [1, "delivered", { card_number: "o1", name: "陈小明" }],
    );
    assert.equal(list[0].projectId, undefined);
    assert.equal((await page({ status: "dead" })).totalCount, 0);
    assert.equal((await page({ subject: "o1", event: "addUser" })).totalCount, 1);

    const replay = (body: object) => one.ask("POST", "own/replay", { body });
    const [foreign] = (await ok(other.ask("GET", "own/deliveries"))).list;
    for (const [body, code] of [
      [{ ids: [foreign.id] }, "16000"],
      [{}, "11001"],
      [{ from: "2020-01-01 00:00:00" }, "11001"],
      [{ ids: [list[0].id], to: "2020-01-01 00:00:00" }, "11001"],
    ] as const)
      assert.equal((await replay(body)).json.code, code, JSON.stringify(body));
    assert.equal(await ok(replay({ ids: [list[0].id, foreign.id] })), "1");
    assert.equal((await one.take()).length, 1);
    assert.equal(await ok(replay({ from: "2020-01-01 00:00:00", to: "2020-01-02 00:00:00" })), "0");
    assert.equal(await ok(replay({ from: "2020-01-01 00:00:00", to: "2100-01-01 00:00:00" })), "1");
    assert.equal(await ok(replay({ from: list[0].createTime, to: list[0].createTime })), "1");
    for (const [method, path] of [
      ["GET", "own"],
      ["GET", "own/deliveries"],
      ["POST", "own/replay"],
      ["POST", "own/compare"],
    ] as const)
      for (const headers of [{}, { admin_token: token }])
        assert.equal((await app.call(method, `/wx/push/${path}`, { headers })).json.code, "10002", path);
  });
});

test("what was pulled is shown as JSON, whatever the form of the project's pushes", async () => {
  const one = await addOwn({ form: "raw" });
  await campus.tell("addUser", { card_number: "o2", name: "陈" });
  const show = async () => {
    const [{ id, body }] = (await ok(one.ask("GET", "own/deliveries"))).list;
    assert.equal((await ok(app.call("GET", `/wx/push/delivery/exchange/${id}`, { token }))).body, body);
    return JSON.parse(body);
  };
  const waiting = await show();
  const [given] = await one.take();
  assert.deepEqual(waiting, given);
  assert.deepEqual(await show(), given);
});

describe("compare", () => {
  const people = Array.from({ length: 5 }, (_, index) => ({
    card_number: `k${index}`,
    name: `人${index}`,
    group: index % 2,
  }));
  const organisation = { id: 77, name: "图书馆" };
  const twin = { card_number: "77", name: "同号", group: 0 };

  test("what is missing, different and surplus; with send=1 it comes", async () => {
    for (const person of [...people, twin]) await campus.tell("addUser", person);
    await campus.tell("addOrg", organisation);
    const one = await addOwn();
    await app.pool`delete from push_relay.subject where identity in ('o1', 'o2')`;
    const rows = [...people, twin, organisation].map(toRow);
    const same = { missing: [], different: [], surplus: [] };
    assert.deepEqual(await ok(one.compare(rows.join("\n"))), same);
    const twice = [...rows, "", ...rows].join("\r\n").replaceAll(/[0-9a-f]{64}/g, (hex) => hex.toUpperCase());
    assert.deepEqual(await ok(one.compare(`${twice}\n`)), same);
    const other = toRow({ ...people[1], name: "改" });
    const changed = [rows[0], other, ...rows.slice(3, 6), rows[6], toRow({ card_number: "gone" })].join("\n");
    assert.deepEqual(await ok(one.compare(changed)), { missing: ["k2"], different: ["k1"], surplus: ["gone"] });
    // Two subjects share the number 77; if either differs, the number is listed.
    assert.deepEqual((await ok(one.compare(rows.slice(0, 6).join("\n")))).different, ["77"]);
    assert.deepEqual(
      (await ok(one.compare(`${rows.join("\n")}\n${other}`))).different,
      ["k1"],
      "a subject with two digests",
    );
    assert.equal((await one.take()).length, 0, "nothing was sent");
    const found = await ok(one.compare(changed, 1));
    assert.deepEqual(found.missing, ["k2"]);
    const sent = await one.take();
    assert.deepEqual(
      sent.map(({ event, data }: { event: string; data: object }) => [event, data]),
      [
        ["addUser", people[1]],
        ["addUser", people[2]],
      ],
    );
  });

  test("by what the project chooses, and nobody else's", async () => {
    const one = await addOwn({ fields: { addUser: ["name"] }, when: [{ field: "group", in: [1] }], form: "raw" });
    const own = [people[1], people[3]].map((person) => ({ card_number: person?.card_number, name: person?.name }));
    const rows = own.map((each) => toRow(each));
    assert.deepEqual(await ok(one.compare(rows.join("\n"))), { missing: [], different: [], surplus: [] });
    const all = await ok(one.compare(people.map(toRow).join("\n")));
    assert.deepEqual(all, { missing: [], different: ["k1", "k3"], surplus: ["k0", "k2", "k4"] });
    await ok(one.compare("", 1));
    assert.deepEqual(
      (await one.take()).map(({ data }: { data: object }) => data),
      own,
    );
  });

  test("a line that is none is named, and nothing is sent", async () => {
    const one = await addOwn();
    const good = toRow(people[0] ?? {});
    for (const [text, line] of [
      [`${good}\n${good.slice(0, 40)}`, 2],
      [`${good}\n\n[]\n${good}`, 3],
      ['{"subject":1,"digest":"00"}', 1],
      [`{"subject":"x","digest":"${"g".repeat(64)}"}`, 1],
      [`${good}\n{"subject":"${"x".repeat(70_000)}"}`, 2],
      [`${toRow({ card_number: "x".repeat(5000) })}\n`, 1],
      ["x".repeat(200_000), 1],
    ] as const) {
      const { json } = await one.compare(text, 1);
      assert.equal(json.code, "11001");
      assert.match(json.message, new RegExp(`第 ${line} 行`));
    }
    assert.equal((await one.compare(`${good}\n`.repeat(1_000_001))).json.code, "11001");
    assert.equal((await one.ask("POST", "own/compare", { query: { send: 2 } })).json.code, "11001");
    assert.equal((await one.take()).length, 0);
  });

  test("a body that is cut off ends nothing, and lets the next begin", async () => {
    const one = await addOwn();
    const headers = { authorization: `Bearer ${one.key}`, "content-length": "1000", expect: "100-continue" };
    const cut = http.request(`${app.url}/wx/push/own/compare?send=1`, { method: "POST", headers });
    cut.on("error", () => undefined);
    cut.write(`${toRow(people[0] ?? {})}\n`);
    await once(cut, "continue");
    // A single request might end before the first comparison has started, so three are sent.
    for (let times = 0; times < 3; times++) await ok(one.ask("GET", "own"));
    assert.equal((await one.compare("")).status, 429);
    cut.destroy();
    await until("the next begins", async () => (await one.compare("")).status === 200);
    assert.equal((await one.take()).length, 0);
  });

  test("a million rows against as many", atLength, async (t) => {
    await app.pool`
      insert into push_relay.subject (school_code, kind, identity, last_hash, last_event_at, present, data)
      select '1000000001', 'person', 'm' || i, '', now(), true, '{"card_number":"m' || i || '","name":"测试员"}'
      from generate_series(1, 1000000) as i`;
    t.after(() => app.pool`delete from push_relay.subject where identity like 'm%'`);
    const one = await addOwn();
    const postRows = async (count: number) => {
      const headers = { authorization: `Bearer ${one.key}`, "content-type": "application/x-ndjson" };
      const request = http.request(`${app.url}/wx/push/own/compare`, { method: "POST", headers });
      const lines = function* () {
        for (let from = 1; from <= count; from += 1000)
          yield (
            Array.from({ length: Math.min(1000, count + 1 - from) }, (_, index) =>
              toRow({ card_number: `m${from + index}`, name: "测试员" }),
            ).join("\n") + "\n"
          );
      };
      const answered = once(request, "response");
      await pipeline(Readable.from(lines()), request);
      const [answer] = (await answered) as [http.IncomingMessage];
      return ((await json(answer)) as { data: { missing: string[]; different: string[]; surplus: string[] } }).data;
    };
    for (const count of [999_990, 500_000]) {
      const startedMs = performance.now();
      const found = await postRows(count);
      t.diagnostic(`${count}: ${Math.round(performance.now() - startedMs)} ms`);
      assert.equal(found.missing.filter((subject: string) => subject.startsWith("m")).length, 1_000_000 - count);
      assert.deepEqual([found.different.length, found.surplus.length], [0, 0]);
    }
  });
});
