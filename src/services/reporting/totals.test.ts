import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, type TestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { until } from "#test/until.ts";
import { findTallyZone } from "./list-store.ts";

const app = await startTestApp({ services: ["reporting"] });
const { token } = await app.signIn("reporting");
const { pool } = app;
const prefix = "/reporting/informationReporting";

const submit = async (): Promise<number> =>
  Number((await app.call("POST", `${prefix}/add`, { body: sampleReport() })).json.data);
const act = (operation: string, body: unknown) => app.call("DELETE", `${prefix}/${operation}`, { token, body });
const periods = [undefined, "2025-06-30", "2025-06-30,2025-07", "2025-06-30 12:00:00,2026"];

const deletedToo = [{ delStatus: 0 }, { delStatus: 0, status: 0 }];
const states = [{}, { valid: 1 }, { status: 0, valid: 0 }, { status: 1, valid: 2 }, ...deletedToo];

async function checkTotals(at: TestApp): Promise<number[]> {
  const totals: number[] = [];
  for (const reportingTime of periods) {
    for (const state of states) {
      const query = { reportingTime, ...state, pageSize: 1000 };
      const { data } = (await at.call("GET", `${prefix}/list`, { token, query })).json;
      assert.equal(data.totalCount, data.list.length, JSON.stringify({ reportingTime, ...state }));
      totals.push(data.totalCount);
    }
  }
  return totals;
}

test("many changes at once leave the totals exact", async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, submit));
  await Promise.all(
    ids.map((id, index) =>
      index % 3 === 0
        ? act("close", { itemId: id })
        : index % 3 === 1
          ? act("delete", { ids: [id, ids[index - 1]] })
          : act(index % 2 ? "valid" : "invalid", { itemId: id }),
    ),
  );
  await Promise.all(ids.filter((_, index) => index % 6 === 2).map((id) => act("valid", { itemId: id })));
  await pool`
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product, verdict)
    select 'n', '55555', 'c', 'c', 'e', '1', now(), 't', 'l', array['b'], 1 + number % 2 from generate_series(1, 5) as number`;
  await pool`update reporting.report set created_at = '2025-06-30 06:00:00+00'::timestamptz + id * interval '30 minutes' where id % 2 = 0`;
  await pool`delete from reporting.report where id % 10 = 0`;
  const totals = await checkTotals(app);
  assert.ok(Math.max(...totals) >= 18 && totals.some((total) => total > 0 && total < 5));
});

const countAdditions = async (): Promise<number> =>
  (await pool`select count(*) as additions from reporting.report_addition`)[0]?.["additions"];

test("a list that meets many additions has them folded, and its total is the same before and after", async () => {
  await pool`
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product)
    select 'n', '55555', 'c', 'c', 'e', '1', now(), 'trade ' || number, 'l', array['b'] from generate_series(1, 600) as number`;
  const totals = await checkTotals(app);
  await until("they are folded", async () => (await countAdditions()) < 600);
  assert.deepEqual(await checkTotals(app), totals);
});

test("another time zone has other days, and its totals agree with them", async () => {
  const before = await checkTotals(app);
  const settings = { TIME_ZONE: "America/New_York" };
  const other = await startTestApp({ services: ["reporting"], settings, beside: app });
  assert.equal(await findTallyZone(pool), "America/New_York");
  assert.notDeepEqual(await checkTotals(other), before);
  assert.deepEqual(await checkTotals(app), before);
  const query = { orderField: "reportingTime", pageSize: 1 };
  const timeOf = async (at: TestApp): Promise<string> =>
    (await at.call("GET", `${prefix}/list`, { token, query })).json.data.list[0].reportingTime;
  const [here, there] = [await timeOf(app), await timeOf(other)];
  assert.equal(Date.parse(`${here}+08:00`), Date.parse(`${there}-04:00`));
  await act("close", { itemId: await submit() });
  await checkTotals(other);
  await checkTotals(app);
});
