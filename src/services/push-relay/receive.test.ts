import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { meetAtLock } from "#test/meeting.ts";
import { pick } from "#test/pick.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { noKeys } from "#platform/sealing/keyring.ts";
import { openBody } from "./sealed.ts";

const app = await startTestApp({ services: ["push-relay"], settings: { RATE_LIMIT_OPEN: "1000000" } });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });
const { seal, push, tell } = campus;

const listEvents = (schoolCode = campus.schoolCode) => app.pool<{ body: string }[]>`
  select event.event, event.subject, push_relay.forwarded(event.*) as body from push_relay.event
  join push_relay.subject on subject.id = event.subject_id where school_code = ${schoolCode} order by event.id`;

const countEvents = async () => (await listEvents()).length;

let numbers = 0;
const newPerson = (more: Record<string, unknown> = {}) => ({ card_number: `p${++numbers}`, name: "测试员", ...more });

async function assertRefused(answer: ReturnType<typeof push>, status: number, code: number) {
  const before = await countEvents();
  const { status: got, json, text } = await answer;
  assert.deepEqual([got, json?.code, Object.keys(json ?? {})], [status, code, ["code", "message"]], text);
  assert.equal(await countEvents(), before);
}

/**
 * Anybody who has seen a push can forge this one: the push contains the key, and its first block is known plain text,
 * which reveals the IV.
 */
function forgeDelete({ appKey }: { readonly appKey: string }, seen: string, cardNumber: string): string {
  const blocks = createDecipheriv("aes-128-ecb", appKey, null).setAutoPadding(false);
  const first = blocks.update(Buffer.from(seen.slice(0, 32), "hex"));
  const iv = first.map((byte, at) => byte ^ ('{"card_number":"'.charCodeAt(at) || 0));
  const plain = Buffer.from(JSON.stringify({ card_number: cardNumber }));
  const padded = Buffer.alloc(Math.ceil(plain.length / 16) * 16);
  plain.copy(padded);
  const cipher = createCipheriv("aes-128-cbc", appKey, iv).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString("hex");
}

describe("refusals", () => {
  const missing = ["app_key", "school_code", "event", "raw_data"];
  for (const field of missing)
    for (const value of [undefined, null, "", 7, true, ["x"]])
      test(`${field} ${JSON.stringify(value)}`, () =>
        assertRefused(push("addUser", newPerson(), { [field]: value }), 400, 11001));

  test("an event that is none", async () => {
    for (const event of ["adduser", "addGroup", "test", "constructor", "__proto__"])
      await assertRefused(push(event, newPerson()), 400, 11001);
  });

  test("no JSON, no body, a form, a body too large, another method, another path", async () => {
    const call = (raw: string, type = "application/json", method = "POST") =>
      app.call(method, "/wx/wxc/receive", { raw, headers: { "content-type": type } });
    const deep = `{"app_key":${"[".repeat(300_000)}`;
    for (const raw of ["{", "[]", "null", deep]) await assertRefused(call(raw), 400, 11001);
    await assertRefused(call(""), 400, 11002);
    await assertRefused(call("app_key=x", "application/x-www-form-urlencoded"), 400, 11001);
    await assertRefused(call("x", "text/plain"), 400, 11001);
    await assertRefused(push("addUser", { card_number: "big", note: "字".repeat(400_000) }), 413, 11001);
    for (const answer of [app.call("GET", "/wx/wxc/receive"), app.call("PUT", "/wx//wxc/receive/")]) {
      await assertRefused(answer, 405, 10001);
      assert.equal((await answer).headers.get("allow"), "POST");
    }
    assert.equal((await app.call("POST", "/wx/wxc/other", { body: {} })).json.code, "20003");
  });

  test("an application that is none, another school's, another secret", async () => {
    await assertRefused(push("addUser", newPerson(), { app_key: "0000000000000000" }), 403, 10006);
    await assertRefused(push("addUser", newPerson(), { school_code: "1000000002" }), 403, 10006);
    for (const app_secret of ["x", campus.appSecret.toUpperCase(), `${campus.appSecret} `, "x".repeat(255)])
      await assertRefused(push("addUser", newPerson(), { app_secret }), 403, 10006);
    await assertRefused(push("addUser", newPerson(), { app_secret: "x".repeat(256) }), 400, 11001);
  });

  test("an application that was deleted, and one whose secret or networks have changed, at once", async () => {
    const other = await registerCampus(app, { token, schoolCode: "1000000003" });
    await other.tell("addUser", newPerson());
    const change = (body: object) =>
      app.call("PUT", "/wx/push/campusApp/update", { token, body: { id: other.id, ...body } });
    await change({ appSecret: "another-secret-of-tests" });
    await assertRefused(other.push("addUser", newPerson()), 403, 10006);
    await assertRefused(other.push("addUser", newPerson(), { app_secret: undefined }), 400, 16009);
    await change({ appSecret: other.appSecret });
    await other.tell("addUser", newPerson());
    await change({ allowedNetworks: ["192.0.2.0/24", "2001:db8::/32"] });
    await assertRefused(other.push("addUser", newPerson()), 403, 10006);
    await change({ allowedNetworks: ["192.0.2.0/24", "127.0.0.0/8"] });
    await other.tell("addUser", newPerson());
    await app.call("DELETE", "/wx/push/campusApp/delete", { token, query: { id: other.id } });
    await assertRefused(other.push("addUser", newPerson()), 403, 10006);
  });

  test("what somebody forges who has seen one push, where the secret has to come along", async () => {
    const other = await registerCampus(app, { token, schoolCode: "1000000014", secretRequired: true });
    await other.tell("addUser", { card_number: "07302590", name: "测试员" });
    const forged = forgeDelete(other, other.seal({ card_number: "07302591", name: "测试员" }), "07302590");
    const before = (await listEvents(other.schoolCode)).length;
    for (const app_secret of [undefined, null, "", "0".repeat(32)])
      await assertRefused(other.push("deleteUser", {}, { raw_data: forged, app_secret }), 403, 10006);
    assert.equal((await listEvents(other.schoolCode)).length, before);
    const answers = [
      await other.push("deleteUser", {}, { raw_data: forged, app_secret: undefined }),
      await other.push("deleteUser", {}, { raw_data: forged, app_key: "0000000000000000" }),
    ];
    assert.equal(answers[0]?.text, answers[1]?.text, "nobody learns which applications there are");
    await other.tell("updateUser", { card_number: "07302590", name: "测试员" });

    const change = (secretRequired: unknown) =>
      app.call("PUT", "/wx/push/campusApp/update", { token, body: { id: other.id, secretRequired } });
    assert.equal((await change("true")).json.code, "11001");
    assert.equal((await change(false)).json.data, "1");
    const taken = await other.push("deleteUser", {}, { raw_data: forged, app_secret: undefined });
    assert.deepEqual(taken.json, { code: 0, message: "ok" }, "without it, decrypting proves nothing");
    assert.equal((await change(true)).json.data, "1");
    await assertRefused(other.push("addUser", newPerson(), { app_secret: undefined }), 403, 10006);
    await other.tell("addUser", newPerson());
  });

  test("what cannot be decrypted, or is no JSON object", async () => {
    const sealBytes = (...parts: (string | readonly number[])[]) => {
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
      const padded = Buffer.alloc(Math.ceil(bytes.length / 16) * 16);
      bytes.copy(padded);
      const cipher = createCipheriv("aes-128-cbc", campus.appKey, campus.appSecret.slice(0, 16)).setAutoPadding(false);
      return Buffer.concat([cipher.update(padded), cipher.final()]).toString("hex");
    };
    const good = seal(newPerson());
    const bad = [
      "zz",
      good.slice(0, -2),
      `${good}00`,
      good.replace(/^../, (pair) => (pair === "00" ? "11" : "00")),
      seal("null"),
      seal('[{"card_number":"1"}]'),
      seal('{"card_number":"1"}{}'),
      seal(`{"card_number":"1","deep":${"[".repeat(64)}${"]".repeat(64)}}`),
      seal(`{"card_number":"1","deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
      sealBytes('{"card_number":"', [0xc3, 0x28], '"}'),
      sealBytes('{"card_number":"', [0xed, 0xa0, 0x80], '"}'),
      sealBytes([...Buffer.from('{"card_number":"陈"}').subarray(0, 18)]),
    ];
    for (const raw_data of bad) await assertRefused(push("addUser", {}, { raw_data }), 400, 16009);
  });
});

describe("what is taken", () => {
  test("a push without app_secret, with an empty one, in base64, with surplus fields", async () => {
    const before = await countEvents();
    const base64 = (data: unknown) => Buffer.from(seal(data), "hex").toString("base64");
    const taken = [
      await push("addUser", newPerson(), { app_secret: undefined }),
      await push("addUser", newPerson(), { app_secret: "" }),
      await push("addUser", {}, { raw_data: base64(newPerson()) }),
      await push("addUser", newPerson(), { nonce: "x", timestamp: 1, __proto__: { event: "addOrg" } }),
    ];
    for (const { status, json } of taken) assert.deepEqual([status, json], [200, { code: 0, message: "ok" }]);
    assert.equal(await countEvents(), before + 4);
  });

  test("the six events and the three about ranges, each with its subject", async () => {
    const before = await countEvents();
    await tell("addUser", { card_number: "S1", name: "甲" });
    await tell("updateUser", { card_number: "S1", name: "乙" });
    await tell("deleteUser", { card_number: "S1" });
    await tell("addOrg", { id: 9751, name: "学院", parent_id: "0" });
    await tell("updateOrg", { id: "9751", name: "学院二", parent_id: 0 });
    await tell("deleteOrg", { id: 9751 });
    for (const event of ["addUsableRange", "updateUsableRange", "deleteUsableRange"])
      await tell(event, { school_code: campus.schoolCode, auth_info: { auth_user: ["S1"] } });
    const about = ["addUser S1", "updateUser S1", "deleteUser S1", "addOrg 9751", "updateOrg 9751", "deleteOrg 9751"];
    const ranges = ["addUsableRange ", "updateUsableRange ", "deleteUsableRange "];
    assert.deepEqual(pick((await listEvents()).slice(before), "event", "subject"), [...about, ...ranges]);
  });

  test("data goes on as it came: unknown fields, long numbers, spaces, escapes", async () => {
    const data =
      '{ "card_number" : "S2","x":12345678901234567890,"y":1.0,"z":"\\u0000\\ud800","__proto__":{"a":[[]]} }';
    await tell("addUser", data);
    const { body } = openBody(noKeys, (await listEvents()).at(-1)?.body ?? "");
    assert.ok(body.includes(`"data":${data},`), body);
    const { id, event, school_code, receivedTime, ...rest } = JSON.parse(body);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual([event, school_code, Object.keys(rest)], ["addUser", campus.schoolCode, ["data"]]);
    assert.match(receivedTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test("an event without a usable number is kept too, about nobody", async () => {
    const before = await countEvents();
    for (const data of [{}, { card_number: null }, { card_number: "" }, { card_number: [] }, { card_number: 2 ** 60 }])
      await tell("addUser", { ...data, at: ++numbers });
    await tell("addUser", { card_number: "x".repeat(256) });
    await tell("addUser", '{"card_number":"a\\u0000b"}');
    assert.deepEqual(pick((await listEvents()).slice(before), "subject"), Array(7).fill(""));
  });
});

describe("repeats", () => {
  test("the same again is stored once", async () => {
    const person = newPerson();
    const before = await countEvents();
    for (let time = 0; time < 3; time++) await tell("addUser", person);
    assert.equal(await countEvents(), before + 1);
  });

  test("A, B, A again is three events, also about ranges", async () => {
    const [a, b] = [newPerson({ grade: 1 }), { grade: 2 }];
    const before = await countEvents();
    for (const data of [a, { ...a, ...b }, a, a]) await tell("updateUser", data);
    for (const data of [{ auth: 1 }, { auth: 2 }, { auth: 1 }, { auth: 1 }]) await tell("updateUsableRange", data);
    assert.equal(await countEvents(), before + 6);
  });

  test("another event, another school or another subject between makes no difference to what is no repeat", async () => {
    const person = newPerson();
    const other = await registerCampus(app, { token, schoolCode: "1000000004" });
    const before = await countEvents();
    await tell("addUser", person);
    await tell("updateUser", person);
    await other.tell("updateUser", person);
    await tell("addUser", newPerson());
    await tell("updateUser", person);
    assert.equal(await countEvents(), before + 3);
    assert.equal((await listEvents("1000000004")).length, 1);
  });

  test("a day later it is an event again", async () => {
    const person = newPerson();
    await tell("addUser", person);
    const before = await countEvents();
    const age = (hours: number) =>
      app.pool`update push_relay.subject set last_event_at = last_event_at - make_interval(hours => ${hours})
        where identity = ${person.card_number}`;
    await age(23);
    await tell("addUser", person);
    assert.equal(await countEvents(), before);
    await age(2);
    await tell("addUser", person);
    assert.equal(await countEvents(), before + 1);
  });

  test("ten of the same at once are one event, at two processes too", async () => {
    const other = await startTestApp({ services: ["push-relay"], beside: app });
    const person = newPerson();
    await tell("addUser", person);
    const before = await countEvents();
    const body = { app_key: campus.appKey, school_code: campus.schoolCode, event: "updateUser" };
    const sealed = { ...body, raw_data: seal({ ...person, grade: 3 }) };
    const pushTo = ({ call }: typeof app) => call("POST", "/wx/wxc/receive", { body: sealed });
    const first = await meetAtLock(
      app.pool,
      (tx) => tx`select from push_relay.subject where identity = ${person.card_number} for update`,
      () => [pushTo(app), pushTo(other)],
    );
    const others = await Promise.all(Array.from({ length: 8 }, (_, index) => pushTo(index % 2 ? app : other)));
    for (const { json } of [...first, ...others]) assert.deepEqual(json, { code: 0, message: "ok" });
    assert.equal(await countEvents(), before + 1);
  });

  test("a replayed old event is an event, and does not undo the directory", async () => {
    const card_number = `p${++numbers}`;
    const find = async () => {
      const { json } = await app.call("GET", "/wx/push/directory/page", { token, query: { keyword: card_number } });
      return pick(json.data.list, "name");
    };
    const [old, young] = ["2026-01-01 00:00:00", "2026-02-01 00:00:00"];
    await tell("addUser", { card_number, name: "旧名", updated_at: old });
    await tell("updateUser", { card_number, name: "新名", updated_at: young });
    const before = await countEvents();
    await tell("addUser", { card_number, name: "旧名", updated_at: old });
    assert.equal(await countEvents(), before + 1);
    assert.deepEqual(await find(), ["新名"]);
    await tell("updateUser", { card_number, name: "无时间" });
    assert.deepEqual(await find(), ["无时间"]);
    await tell("updateUser", { card_number, name: "明年", updated_at: "2999-01-01 00:00:00" });
    await tell("updateUser", { card_number, name: "今年", updated_at: young });
    assert.deepEqual(await find(), ["今年"]);
    await tell("deleteUser", { card_number, updated_at: "2026-03-01 00:00:00" });
    await tell("updateUser", { card_number, name: "今年", updated_at: young });
    assert.deepEqual(await find(), []);
  });
});

test("nothing personal or secret stands in the log", async () => {
  const person = { card_number: "card-7781", id_card: "11010119900307", name: "陈小明" };
  const secrets = { ...person, telephone: "(+86)13800138000" };
  await tell("addUser", secrets);
  await push("addUser", secrets, { app_secret: "a-wrong-secret-1" });
  await push("addUser", secrets, { app_key: "a-wrong-key-1234" });
  await push("addUser", secrets, { raw_data: "11010119900307" });
  const log = JSON.stringify(app.logged);
  const sent = [campus.appKey, campus.appSecret, "a-wrong-secret-1", "a-wrong-key-1234"];
  for (const text of [...Object.values(secrets), ...sent]) assert.ok(!log.includes(text), text);
});
