import assert from "node:assert/strict";
import { createDecipheriv } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { until } from "#test/until.ts";

// This receiver follows the campus platform's own documents (cloud.tencent.com, 1523/87727, 87721 and 87732) and uses
// no code of the relay. It receives messages first from the campus platform and then from the relay, and must not
// notice a difference.

const app_key = "0A1B2C3D4E5F6071";
const app_secret = "00112233445566778899AABBCCDDEEFF";
const school_code = "1000000001";
const hex =
  "b275c11a5807435842c5fcaaa282f46a6e1838b7220a57361731cdf7fcad3d77138781b16c818f038eef44eeff5dfb1df2e5985c8643d5546f2c1083d4753b71";

interface Message {
  readonly app_key: string;
  readonly school_code: string;
  readonly event: string;
  readonly raw_data: string;
}

const events = /^(?:add|update|delete)(?:User|Org|UsableRange)$/;

async function startDocumentedReceiver() {
  const members = new Map<string, unknown>();
  const bodies: string[] = [];
  let isDown = false;
  const take = (text: string) => {
    const message = JSON.parse(text) as Message;
    if (isDown) return { code: 10_001, message: "database is down" };
    if (message.app_key !== app_key || message.school_code !== school_code || !events.test(message.event))
      return { code: 40_001, message: "unknown application or event" };
    const decipher = createDecipheriv("aes-128-cbc", app_key, app_secret.slice(0, 16)).setAutoPadding(false);
    const plain = decipher.update(message.raw_data, "hex", "utf8") + decipher.final("utf8");
    const data = JSON.parse(plain.replace(/\0+$/, "")) as { card_number?: string; id?: number };
    members.set(`${message.event} ${data.card_number ?? data.id ?? ""}`, data);
    return { code: 0, message: "ok" };
  };
  const server = http.createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      bodies.push(text);
      const isFormed = request.method === "POST" && request.headers["content-type"] === "application/json";
      response.end(JSON.stringify(isFormed ? take(text) : { code: 40_010, message: "bad request" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/wxc/receive`,
    members,
    bodies,
    break: (broken: boolean) => (isDown = broken),
    stop: () => server.close(),
  };
}

test("a receiver of the campus platform takes the relay for it: its messages, and what is refused by code is sent again", async (t) => {
  const receiver = await startDocumentedReceiver();
  t.after(receiver.stop);
  const app = await startTestApp({
    services: ["push-relay"],
    settings: { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_RETRY_SECONDS: "0.05,0.05,3600", PUSH_POLL_MS: "20" },
  });
  const { token } = await app.signIn("push-relay");
  const set = async (path: string, body: object) => {
    const { json, text } = await app.call("POST", `/wx/push/${path}`, { token, body });
    assert.equal(json.code, "0", text);
  };
  await set("campusApp/save", { appKey: app_key, appSecret: app_secret, schoolCode: school_code, name: "示例校园" });
  await set("addPushProject", { url: receiver.url, form: "raw" });
  const push = async (event: string, raw_data: string, url = `${app.url}/wx/wxc/receive`) => {
    const body = JSON.stringify({ app_key, school_code, event, raw_data });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    assert.deepEqual(await response.json(), { code: 0, message: "ok" });
    return body;
  };

  const genuine = await push("addUser", hex, receiver.url);
  const direct = new Map(receiver.members);
  assert.deepEqual(direct.get("addUser 07302590"), { card_number: "07302590", name: "陈小明", identity_type: 1 });
  receiver.members.clear();
  await push("addUser", hex);
  await until("it has come through the relay", async () => receiver.members.size === 1);
  assert.deepEqual(receiver.members, direct);
  assert.deepEqual(receiver.bodies, [genuine, genuine], "byte for byte");

  receiver.break(true);
  await push("updateUser", hex);
  await until("it was sent again", async () => receiver.bodies.length >= 4);
  assert.equal(receiver.members.size, 1);
  const { data } = (await app.call("GET", "/wx/push/queryPushProject", { token })).json;
  assert.equal(data[0].pending, 1);
  receiver.break(false);
  await until("it has come", async () => receiver.members.has("updateUser 07302590"));
});
