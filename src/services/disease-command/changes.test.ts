import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestApp, type TestApp } from "#test/app.ts";
import { listModules, toGeoJson, upload, uploadImage } from "#test/disease-command.ts";
import { changeNames } from "./screen-contract.ts";

const app = await startTestApp({ services: ["disease-command"] });
const other = await startTestApp({ services: ["disease-command"], beside: app });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown) =>
  (await app.call(method, `/disease-command${path}`, { token, body })).json;

const open: AbortController[] = [];
after(() => open.forEach((one) => one.abort()));

async function follow(at: TestApp) {
  const abort = new AbortController();
  open.push(abort);
  const answer = await fetch(`${at.url}/disease-command/changes`, { signal: abort.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const late = setTimeout(() => abort.abort(new Error("no change came within a minute")), 60_000).unref();
  after(() => clearTimeout(late));
  const next = async (): Promise<string | undefined> => {
    for (;;) {
      const [, event, rest] = /^(.*?)\n\n(.*)$/s.exec(text) ?? [];
      if (event !== undefined) {
        text = rest ?? "";
        if (event.startsWith("data: ")) return JSON.parse(event.slice(6)).module;
        continue;
      }
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return undefined;
      text += value;
    }
  };
  return { next, leave: () => abort.abort() };
}

test("every part of the overview that is written to is named, in every process", async () => {
  const image = await uploadImage(app, token);
  const [here, there] = [await follow(app), await follow(other)];
  const team = Number((await call("POST", "/emergencyTeam/save", { teamName: "队" })).data);
  assert.deepEqual([await here.next(), await there.next()], ["emergencyTeam", "emergencyTeam"]);
  const statistic = { statisticsDate: "2026-11-20", hospitalName: "一院", feverClinicCount: 1, epidemicCount: 0 };
  const writes: [string, () => Promise<unknown>][] = [
    ...listModules(image, team).flatMap(({ save, sample }): [string, () => Promise<unknown>][] =>
      save.startsWith("/scenicSpotMaxCapacitySetting")
        ? []
        : [[save.split("/")[1] ?? "", () => call("POST", save, sample(1))]],
    ),
    [
      "feverClinicOfHospitalStatistics",
      () => call("POST", "/feverClinicOfHospitalStatistics/save", { datas: [statistic] }),
    ],
    ["theme", () => call("POST", "/theme/save", { themeName: "甲", enable: "1" })],
    ["consumptionCategoryStatistics", () => call("PUT", "/consumptionCategoryStatistics/update", { id: 1, value: 5 })],
    ["broadcast", () => call("PUT", "/broadcast/statistics/update", { id: 1, numOfDevice: 5 })],
    ["toilet", () => app.pool`delete from disease_command.toilet`],
    ["emergencyTeam", () => call("DELETE", "/emergencyTeam/delete", [team])],
    ["map", () => upload(app, "/map/save", token, JSON.stringify(toGeoJson(["湖"])), "map.json")],
  ];
  for (const [module, write] of writes) {
    await write();
    assert.deepEqual([await here.next(), await there.next()], [module, module]);
  }
  assert.deepEqual([...new Set(writes.map(([module]) => module))].toSorted(), changeNames.toSorted());
  here.leave();
  there.leave();
});

test("what failed, and what only a token may read, is not told", async () => {
  const { next, leave } = await follow(app);
  assert.equal((await call("POST", "/theme/save", { themeName: "甲", enable: "1" })).code, "10004");
  assert.equal((await call("POST", "/toilet/save", {})).code, "10001");
  const capacity = { scenicSpotName: "湖", maxCapacity: 1 };
  assert.equal((await call("POST", "/scenicSpotMaxCapacitySetting/save", capacity)).code, "0");
  await app.pool`select pg_notify('disease_command', 'made up')`;
  assert.equal((await call("PUT", "/consumptionCategoryStatistics/update", { id: 2, value: 5 })).code, "0");
  assert.equal(await next(), "consumptionCategoryStatistics");
  leave();
});

test("when the connection is lost everybody begins anew, and misses nothing from then on", async () => {
  const { next } = await follow(app);
  await app.pool`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen "disease_command"'`;
  assert.equal(await next(), undefined);
  const again = await follow(app);
  await call("PUT", "/consumptionCategoryStatistics/update", { id: 4, value: 5 });
  assert.equal(await again.next(), "consumptionCategoryStatistics");
  again.leave();
});
