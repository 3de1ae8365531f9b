import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";

// Rare texts are found by the n-gram index, and frequent ones by a scan. Both must find the same reports.

const app = await startTestApp({ services: ["reporting"] });
const { token } = await app.signIn("reporting");
const count = 6000;

await app.pool.script(`
  insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade,
    licensing, b_product, deleted, created_at, updated_at)
  select 'N' || i, '555 0100', 'C' || i % 7, '示例大学', case when i % 600 = 0 then '龘' else '' end || '智慧教室' || i, '1', now(), '教育', '是',
    array['x'], i % 10 = 0, at, at
  from generate_series(1, ${count}) as i, lateral (select timestamptz '2025-01-01 00:00:00+08' + i * interval '1 minute' as at) as times;
  analyze reporting.report`);

async function list(query: string) {
  const { json } = await app.call("GET", `/reporting/informationReporting/list?${query}`, { token });
  const { totalCount, list: rows } = json.data as { totalCount: number; list: { entryName: string }[] };
  return { totalCount, names: rows.map(({ entryName }) => entryName) };
}

test("a text that nearly all reports hold is counted to the last, and its pages are in order", async () => {
  const keyword = encodeURIComponent("示例");
  const first = await list(`keyword=${keyword}&pageSize=3`);
  assert.deepEqual(first, { totalCount: 5400, names: ["智慧教室5999", "智慧教室5998", "智慧教室5997"] });
  const last = await list(`keyword=${keyword}&pageSize=1000&currPage=6`);
  assert.equal(last.names.length, 400);
  assert.equal(last.names.at(-1), "智慧教室1");
  const byName = await list(`keyword=${keyword}&pageSize=2&orderField=name&order=asc`);
  assert.deepEqual(byName, { totalCount: 5400, names: ["智慧教室1", "智慧教室1001"] });
});

test("a text that few hold is found among them all, with and without one that many hold", async () => {
  const names = ["龘智慧教室6000", "龘智慧教室5400"];
  assert.deepEqual(await list(`keyword=${encodeURIComponent("龘")}&delStatus=0&pageSize=2`), { totalCount: 10, names });
  assert.equal((await list(`keyword=${encodeURIComponent("龘")}`)).totalCount, 0);
  assert.equal((await list(`keyword=${encodeURIComponent("智慧")}&name=n5998`)).totalCount, 1);
  assert.equal((await list(`keyword=${encodeURIComponent("智慧")}&reportingTime=2025-01-02`)).totalCount, 1296);
});
