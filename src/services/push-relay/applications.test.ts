import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { pick } from "#test/pick.ts";

const app = await startTestApp({ services: ["push-relay"] });
const { token } = await app.signIn("push-relay");
const path = "/wx/push/campusApp";
const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const good = { ...keys, schoolCode: "1", name: "示例" };

const save = (change: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  app.call("POST", `${path}/save`, { token, body: { ...good, ...change }, headers });
const update = (body: Record<string, unknown>) => app.call("PUT", `${path}/update`, { token, body });
const list = async () => (await app.call("GET", `${path}/list`, { token })).json.data;

const wrong: Record<string, unknown[]> = {
  appKey: [undefined, null, "", 7, "short", "x".repeat(17), "密".repeat(16), "密".repeat(5)],
  appSecret: [undefined, null, "", "x".repeat(15), "x".repeat(256), `密${"x".repeat(15)}`, 7],
  schoolCode: [undefined, null, "", "  ", "x".repeat(256), 7],
  name: [undefined, null, "", "x".repeat(256)],
  allowedNetworks: ["10.0.0.0/8", [7], ["10.0.0.0/33"], ["10.0.0.0/8 "], ["::1/129"], ["fe80::1%eth0"]],
  secretRequired: ["true", 1, 0, [true]],
};

test("what is wrong is named, and leaves nothing", async () => {
  for (const [field, values] of Object.entries(wrong))
    for (const value of values) {
      const { status, json } = await save({ [field]: value });
      assert.deepEqual([status, json.code], [400, "11001"], `${field} ${JSON.stringify(value)}: ${json.message}`);
      assert.ok(json.message.includes(field), json.message);
    }
  const many = Array.from({ length: 101 }, (_, index) => `10.0.${index}.0/24`);
  assert.equal((await save({ allowedNetworks: many })).json.code, "11001");
  assert.deepEqual(await list(), []);
});

test("saved, listed without the secret, changed field by field, deleted; each with its audit line", async () => {
  const first = (await save({ appKey: "密密密密密x" })).json.data;
  const networks = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"];
  const second = (await save({ allowedNetworks: networks, secretRequired: true })).json.data;
  assert.match(second, /^\d+$/);
  const listed = await app.call("GET", `${path}/list`, { token });
  assert.ok(!listed.text.includes(good.appSecret));
  const { appSecret: _, ...shown } = good;
  assert.deepEqual(listed.json.data, [
    { id: Number(second), ...shown, allowedNetworks: networks, secretRequired: true },
    { id: Number(first), ...shown, appKey: "密密密密密x", allowedNetworks: [], secretRequired: false },
  ]);
  const id = Number(second);
  assert.deepEqual((await update({ id })).json.data, "1");
  assert.deepEqual((await update({ id, name: "改名", appSecret: "", allowedNetworks: [] })).json.data, "1");
  const changed = { id, ...shown, name: "改名", allowedNetworks: [] };
  assert.deepEqual((await list())[0], { ...changed, secretRequired: true });
  assert.deepEqual((await update({ id, secretRequired: false })).json.data, "1");
  assert.deepEqual((await list())[0], { ...changed, secretRequired: false });
  const [row] = await app.pool`select app_secret as secret from push_relay.campus_app where id = ${id}`;
  assert.equal(row?.["secret"], good.appSecret);
  const gone = await app.call("DELETE", `${path}/delete`, { token, query: { id } });
  assert.equal(gone.json.data, "1");
  assert.equal((await app.call("DELETE", `${path}/delete`, { token, query: { id } })).json.code, "16000");
  assert.equal((await list()).length, 1);
  const lines = await app.pool`
    select action, records from platform.audit where service = 'push-relay' and ${second} = any(records) order by id`;
  const updates = Array(3).fill("updateApplication");
  assert.deepEqual(pick(lines, "action"), ["addApplication", ...updates, "deleteApplication"]);
  await app.call("DELETE", `${path}/delete`, { token, query: { id: first } });
});

test("a second of the same key and school is refused; also by an update, and of two at once", async () => {
  const answers = await Promise.all([save(), save(), save()]);
  assert.deepEqual(answers.map(({ json }) => json.code).sort(), ["0", "16000", "16000"]);
  assert.equal(answers.find(({ json }) => json.code === "16000")?.status, 409);
  const other = (await save({ schoolCode: "2" })).json.data;
  assert.equal((await update({ id: Number(other), schoolCode: "1" })).json.code, "16000");
  assert.equal((await list())[0].schoolCode, "2");
});

test("an update wants an id that is there, and right values", async () => {
  for (const id of [undefined, null, 0, "1", 1.5]) assert.equal((await update({ id })).json.code, "11001");
  const unknown = await update({ id: 999_999, name: "x" });
  assert.deepEqual([unknown.status, unknown.json.code], [404, "16000"]);
  const { id } = (await list())[0];
  for (const [field, values] of Object.entries(wrong))
    for (const value of values.filter((one) => one !== undefined && one !== null && one !== ""))
      assert.equal((await update({ id, [field]: value })).json.code, "11001", `${field} ${JSON.stringify(value)}`);
});

test("the start warns of those whose pushes anybody can forge", async () => {
  await app.pool`delete from push_relay.campus_app`;
  const warned = async () => {
    const second = await startTestApp({ services: ["push-relay"], beside: app });
    await second.server.stop();
    return second.server.warnings;
  };
  await save({ allowedNetworks: ["10.0.0.0/8"] });
  await save({ schoolCode: "2", secretRequired: true });
  assert.deepEqual(await warned(), []);
  const id = (await save({ schoolCode: "3", name: "谁\u001b[2J" })).json.data;
  const [line = "", ...others] = await warned();
  assert.deepEqual(others, []);
  assert.match(line, new RegExp(`campus application ${id} .*allowed networks.*secret`));
  assert.ok(!line.includes("\u001b"), line);
});
