import assert from "node:assert/strict";
import { test } from "node:test";
import type { DemoTools } from "#platform/service.ts";
import { startTestApp } from "#test/app.ts";
import { loadDemo } from "./demo.ts";

const app = await startTestApp({
  services: ["push-relay"],
  settings: { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20" },
});
const { token } = await app.signIn("push-relay");

const call: DemoTools["call"] = async (method, path, body) => {
  const { status, json, text } = await app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  assert.equal(status, 200, text);
  return json.data;
};
const upload = () => Promise.reject(new Error("the relay's demonstration uploads nothing"));

test("the demonstration's events arrive, twice over, and nothing is left on its way", async () => {
  for (let time = 1; time <= 2; time++) {
    const lines: string[] = [];
    await loadDemo({ call, upload, say: (line) => void lines.push(line) });
    assert.match(lines.join(), /17 events .* received 17; .* received 11 of 11 /);
  }
  const projects = (await call("GET", "/wx/push/queryPushProject")) as { statu: number; dead: number }[];
  assert.deepEqual(
    projects.map(({ statu, dead }) => [statu, dead]),
    Array.from({ length: 4 }, () => [1, 0]),
  );
  const [application] = (await call("GET", "/wx/push/campusApp/list")) as { allowedNetworks: string[] }[];
  assert.deepEqual(application?.allowedNetworks, ["127.0.0.0/8", "::1/128"]);
});
