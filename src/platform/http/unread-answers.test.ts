import assert from "node:assert/strict";
import { before, test } from "node:test";
import { contracts } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { fillForStreams } from "#test/attack/fill.ts";
import { askWithoutReading, listStreamed, type StreamedOperation } from "#test/attack/streams.ts";

const connections = 4;
const app = await startTestApp({ settings: { DATABASE_POOL: String(connections), IDLE_SECONDS: "1" } });
const { token } = await app.signIn("platform");
const headers = { admin_token: token };
const operations = listStreamed(contracts);
const unread = 3 * connections;

before(() => fillForStreams(app.pool));

const countBusy = async () =>
  (
    await app.pool`
      select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and state <> 'idle' and backend_type = 'client backend'`
  ).length;

async function leaveUnread({ path, isEndless }: StreamedOperation): Promise<void> {
  const asked = await Promise.all(Array.from({ length: unread }, () => askWithoutReading(app.url + path, headers)));
  try {
    const statuses = asked.map(({ status }) => status);
    const served = asked.filter(({ status }) => status === 200);
    assert.ok(served.length > 0 && statuses.every((status) => status === 200 || status === 429), statuses.join());
    if (!isEndless) assert.ok(served.length <= connections / 2, `${served.length} hold a connection`);
    assert.equal((await app.call("GET", "/readyz")).status, 200);
    assert.equal((await app.call("GET", "/attendance/month/months", { token })).status, 200);
    // PostgreSQL does not report the end of another session's query, so the sessions are polled.
    while ((await countBusy()) > 0);
  } finally {
    for (const { hangUp } of asked) hangUp();
  }
}

test("the contracts have streamed answers", () => {
  assert.ok(operations.filter(({ isEndless }) => !isEndless).length >= 4, operations.map(({ name }) => name).join());
});

// By default only one operation is tested, because all streams share their code; the others are tested with the option
// `atLength`.
const always = new Set(["attendance/download"]);
const options = ({ name }: StreamedOperation) => ({ timeout: 60_000, ...(!always.has(name) && atLength) });

for (const operation of operations)
  test(`${operation.name}: who does not read holds up nobody, and is cut off`, options(operation), async () => {
    await leaveUnread(operation);
    if (operation.isEndless) return;
    const { status, hangUp } = await askWithoutReading(app.url + operation.path, headers);
    hangUp();
    assert.equal(status, 200);
  });
