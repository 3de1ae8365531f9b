import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { before, test } from "node:test";
import { startTestApp } from "#test/app.ts";

const app = await startTestApp({ services: ["reporting"], settings: { DATABASE_POOL: "8" } });
const { token } = await app.signIn("reporting");
const prefix = "/reporting/informationReporting";
const download = () => app.call("GET", `${prefix}/download`, { token });

before(async () => {
  // The export must be incompressible and larger than the buffers between server and client, so that it cannot end
  // early.
  await app.pool`
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product, content)
    select 'n' || i, '555 0100', 'c', 'c', 'e', '1', now(), 't', 'l', '{p}', (select string_agg(md5(i || '/' || part), '') from generate_series(1, 100) as part)
    from generate_series(1, 6000) as i`;
});
const countCursors = async () =>
  (
    await app.pool`
      select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
        and query like '%reporting.report%'`
  ).length;

async function begin(): Promise<{ status: number; hangUp: () => void }> {
  const request = http.get(`${app.url}${prefix}/download`, { headers: { admin_token: token }, agent: false });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  await once(response, "readable");
  response.on("error", () => undefined);
  return { status: response.statusCode ?? 0, hangUp: () => void request.destroy() };
}

/** PostgreSQL does not notify anybody when a query ends, so the test polls. */
async function untilCursors(wanted: number): Promise<void> {
  for (let tries = 0; (await countCursors()) !== wanted; tries++) assert.ok(tries < 5000, `there are never ${wanted}`);
}

test("slow exports leave half of the connections to others, and free theirs when they hang up", async () => {
  const begun = await Promise.all([begin(), begin(), begin(), begin()]);
  try {
    assert.ok(begun.every(({ status }) => status === 200));
    await untilCursors(4);
    const refused = await download();
    assert.deepEqual([refused.status, refused.json.code, refused.headers.get("retry-after")], [429, "20001", "30"]);
    assert.equal((await app.call("GET", `${prefix}/list`, { token })).json.data.totalCount, 6000);
  } finally {
    for (const { hangUp } of begun) hangUp();
  }
  await untilCursors(0);
  const again = await begin();
  assert.equal(again.status, 200);
  again.hangUp();
});
