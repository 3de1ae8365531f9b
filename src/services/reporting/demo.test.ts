import assert from "node:assert/strict";
import { test } from "node:test";
import type { DemoTools } from "#platform/process/service.ts";
import { startTestApp } from "#test/app.ts";
import { loadDemo } from "./demo.ts";

const app = await startTestApp({ services: ["reporting"] });
const { token } = await app.signIn("reporting", { isSuper: true });

const call: DemoTools["call"] = async (method, path, body) => {
  const { status, json, text } = await app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  assert.equal(status, 200, text);
  return json.data;
};
const upload = () => Promise.reject(new Error("the demonstration of reporting uploads nothing"));
const prefix = "/reporting/informationReporting";

test("the demonstration's reports lie weeks apart, each with its history after it", async () => {
  await loadDemo({ call, upload, say: () => {}, db: app.pool });
  const { list } = (await call("GET", `${prefix}/list?pageSize=100`)) as {
    list: { id: number; reportingTime: string; valid: number }[];
  };
  const days = new Set(list.map(({ reportingTime }) => reportingTime.slice(0, 10)));
  assert.ok(days.size > 20, `${days.size} days`);
  const [newest, oldest] = [list[0]?.reportingTime ?? "", list.at(-1)?.reportingTime ?? ""];
  assert.ok(Date.parse(newest) - Date.parse(oldest) > 28 * 86_400_000, `${oldest} to ${newest}`);
  // In the zone of the platform, as the wire has them.
  const now = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  assert.equal(newest.slice(0, 10), now.slice(0, 10), "some are of today");
  assert.deepEqual(new Set(list.map(({ valid }) => valid)), new Set([0, 1, 2]));
  for (const { id, reportingTime } of list) {
    const { events } = (await call("GET", `${prefix}/info/${id}`)) as { events: { time: string }[] };
    const times = events.map(({ time }) => time);
    assert.deepEqual(times, times.toSorted());
    assert.ok(times[0] === reportingTime && (times.at(-1) ?? "") <= now, `${id}: ${times.join(", ")}`);
  }
});

test("the totals of its days are as exact as any", async () => {
  const { list } = (await call("GET", `${prefix}/list?pageSize=100`)) as { list: { reportingTime: string }[] };
  const days = Map.groupBy(list, ({ reportingTime }) => reportingTime.slice(0, 10));
  for (const [day, of] of days) {
    const { totalCount } = (await call("GET", `${prefix}/list?reportingTime=${day}&pageSize=1`)) as {
      totalCount: number;
    };
    assert.equal(totalCount, of.length, day);
  }
});
