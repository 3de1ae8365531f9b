import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, type TestApp } from "#test/app.ts";
import { endpoints } from "./contract.ts";

const app = await startTestApp({ services: ["push-relay"] });
const { token } = await app.signIn("push-relay");
const stranger = await app.signIn("platform", { services: ["attendance"] });
const guarded = Object.entries(endpoints).filter(([, { access }]) => access.who !== "anyone");
const ofId = Object.entries(endpoints).filter(([, endpoint]) => "query" in endpoint && "id" in endpoint.query.shape);

const call = (to: TestApp, name: string, options: Parameters<TestApp["call"]>[2] = {}) => {
  const { method, url } = endpoints[name as keyof typeof endpoints];
  return to.call(method, url.replace(":id", "1"), options);
};

for (const [name] of guarded) {
  test(`${name} needs an operator who runs the relay`, async () => {
    const refused: [string | undefined, number, string][] = [
      [undefined, 401, "10002"],
      ["", 401, "10004"],
      ["x".repeat(43), 401, "10003"],
      [stranger.token, 403, "10006"],
    ];
    for (const [given, status, code] of refused) {
      const answer = await call(app, name, { token: given });
      assert.deepEqual([answer.status, answer.json.code, answer.json.success], [status, code, false], answer.text);
    }
    const [line] = await app.pool`
      select service, outcome from platform.audit where action = ${name} and user_name = ${stranger.userName}`;
    assert.deepEqual({ ...line }, { service: "push-relay", outcome: "refused" });
  });
}

for (const [name] of ofId) {
  test(`${name} wants the id of something that is there`, async () => {
    for (const id of [undefined, "", "x", "0", "-1", "1.5", "9007199254740992", "null"]) {
      const { status, json } = await call(app, name, { token, query: { id } });
      assert.deepEqual([status, json.code], [400, "11001"], `${id}: ${json.message}`);
      assert.match(json.message, /id/);
    }
    const { status, json } = await call(app, name, { token, query: { id: 9007199254740991 } });
    assert.deepEqual([status, json.code], [404, "16000"]);
  });
}

test("no body, no JSON, other methods and paths have the relay's codes", async () => {
  for (const name of ["updateProject", "addApplication", "updateApplication", "replayDeliveries", "addProject"]) {
    const empty = await call(app, name, { token });
    assert.deepEqual([empty.status, empty.json.code], [400, "11002"], name);
    const headers = { "content-type": "application/json" };
    const broken = await call(app, name, { token, raw: "{", headers });
    assert.deepEqual([broken.status, broken.json.code], [400, "11001"], name);
    const large = await call(app, name, { token, raw: JSON.stringify("x".repeat(1_100_000)), headers });
    assert.deepEqual([large.status, large.json.code], [413, "11001"], name);
  }
  const method = await app.call("PATCH", "/wx/push/queryPushProject", { token });
  assert.deepEqual([method.status, method.json.code, method.headers.get("allow")], [405, "10001", "GET"]);
  assert.equal((await app.call("GET", "/wx/push/nothing", { token })).json.code, "20003");
});

test("an ended session changes nothing", async () => {
  const { token: ended } = await app.signIn("push-relay");
  await app.call("POST", "/platform/logout", { token: ended });
  const { json } = await app.call("POST", "/wx/push/addPushProject", {
    token: ended,
    body: { url: "http://192.0.2.1/" },
  });
  assert.equal(json.code, "10003");
  assert.deepEqual((await app.call("GET", "/wx/push/queryPushProject", { token })).json.data, []);
});

test("UNDOCUMENTED_AUTH opens what the documents have, and nothing of our own", async () => {
  const settings = { UNDOCUMENTED_AUTH: "open:push-relay" };
  const open = await startTestApp({ services: ["push-relay"], settings });
  const codes = new Map<string, string>();
  for (const [name] of guarded) codes.set(name, (await call(open, name)).json.code);
  const documented = ["listProjects", "addProject", "updateProject", "deleteProject"];
  for (const [name, code] of codes) assert.equal(code === "10002", !documented.includes(name), `${name}: ${code}`);
  const added = await open.call("POST", "/wx/push/addPushProject", { body: { url: "http://receiver.invalid/" } });
  assert.equal(added.json.code, "0");
});
