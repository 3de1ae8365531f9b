import assert from "node:assert/strict";
import { test } from "node:test";
import type { DemoTools } from "#platform/process/service.ts";
import { startTestApp } from "#test/app.ts";
import { upload } from "#test/disease-command.ts";
import { loadDemo } from "./demo.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const said: string[] = [];
const tools: DemoTools = {
  db: app.pool,
  say: (line) => said.push(line),
  call: async (method, path, body) => {
    const { json } = await app.call(method, path, { token, body });
    assert.equal(json.code, "0", json.message);
    return json.data;
  },
  upload: async (path, fileName, bytes) => {
    const { json } = await upload(app, path.replace("/disease-command", ""), token, bytes, fileName);
    assert.equal(json.code, "0", json.message);
    return json.data;
  },
};

test("the demonstration fills every part of the overview, once", async () => {
  await loadDemo(tools);
  const { data } = (await app.call("GET", "/disease-command/overview")).json;
  for (const [name, part] of Object.entries(data)) if (Array.isArray(part)) assert.ok(part.length > 5, name);
  assert.deepEqual(
    [data.theme.themeName, data.emergencyTeam.teamCount, data.detectionStatistics.length],
    ["日常值守", 6, 120],
  );
  const picture = await fetch(`${app.url}/disease-command/file/${data.scenicSpotOverview[0].image}`);
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/png"]);
  const mismatches = (await app.call("GET", "/disease-command/map/mismatches", { token })).json.data;
  assert.deepEqual(mismatches.spots, ["星浦贝壳滩"]);
  await loadDemo(tools);
  assert.match(said[1] ?? "", /none were added/);
});
