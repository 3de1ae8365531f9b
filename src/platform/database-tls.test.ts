import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import pg from "pg";
import { inTransaction, isConnectionLoss, openPool, type Pool } from "#platform/database.ts";
import { readDatabaseAddress, toPgConfig } from "#platform/database-address.ts";
import { makeFolder } from "#platform/embedded-postgres/test-server.ts";
import { makeCertificate } from "#test/certificate.ts";
import { createTestDatabase } from "#test/database.ts";
import { startTlsFront } from "#test/tls-front.ts";

const { url } = await createTestDatabase();
const here = makeCertificate("127.0.0.1", "localhost");
const elsewhere = makeCertificate("database.example");

interface Door {
  readonly certificate?: typeof here;
  readonly answer?: string;
}

/** A database behind TLS, at an address with those parameters. */
async function openDoor(context: TestContext, parameters: string, { certificate = here, answer }: Door = {}) {
  const front = await startTlsFront(url, certificate, answer);
  context.after(() => front.stop());
  const file = path.join(await makeFolder(context), "root.crt");
  await writeFile(file, certificate.cert);
  const address = new URL(url);
  const secured = `postgres://${address.username}:${address.password}@127.0.0.1:${front.port}${address.pathname}?${parameters}`;
  const pool = openPool(secured.replace("FILE", encodeURIComponent(file)), { connections: 2 });
  context.after(() => pool.end({ timeout: 1 }));
  return { front, pool, address: secured.replace("FILE", encodeURIComponent(file)) };
}

const askTwo = async (pool: Pool): Promise<unknown> => (await pool`select ${2}::int as two`)[0]?.["two"];

for (const parameters of [
  "sslmode=require",
  "sslmode=verify-ca&sslrootcert=FILE",
  "sslmode=verify-full&sslrootcert=FILE",
])
  test(`${parameters}: statements go through TLS`, async (context) => {
    const { front, pool, address } = await openDoor(context, parameters);
    assert.equal(await askTwo(pool), 2);
    const long = "x".repeat(300_000);
    assert.equal((await pool`select ${long}::text as long`)[0]?.["long"], long);
    const client = new pg.Client(toPgConfig(address));
    client.on("error", () => {});
    await client.connect();
    assert.deepEqual((await client.query("select 2 as two")).rows, [{ two: 2 }]);
    await client.end();
    assert.ok(front.guests() >= 2);
  });

test("a certificate for another host is enough for verify-ca, and not for verify-full", async (context) => {
  const ca = await openDoor(context, "sslmode=verify-ca&sslrootcert=FILE", { certificate: elsewhere });
  assert.equal(await askTwo(ca.pool), 2);
  const full = await openDoor(context, "sslmode=verify-full&sslrootcert=FILE", { certificate: elsewhere });
  await assert.rejects(askTwo(full.pool), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
});

for (const [name, parameters, door, code] of [
  ["a certificate that nobody vouches for", "sslmode=verify-full", {}, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["a server without TLS", "sslmode=require", { answer: "N" }, "CONNECTION_REFUSED_TLS"],
  ["an answer with something behind it", "sslmode=require", { answer: "SZ" }, "CONNECTION_REFUSED_TLS"],
] as const)
  test(`${name} is refused, as often as it is tried`, async (context) => {
    const { front, pool } = await openDoor(context, parameters, door);
    for (let count = 0; count < 3; count++) await assert.rejects(askTwo(pool), { code });
    if ("answer" in door) assert.equal(front.guests(), 0);
  });

test("when connections through TLS are cut off, what is under way fails and what comes is served", async (context) => {
  const { front, pool } = await openDoor(context, "sslmode=require");
  const isLoss = (error: unknown) => isConnectionLoss(error) || assert.fail(String(error));
  for (let round = 0; round < 3; round++) {
    assert.equal(await askTwo(pool), 2);
    const asleep = assert.rejects(pool`select pg_sleep(60)`.execute(), isLoss);
    const within = assert.rejects(
      inTransaction(pool, async (tx) => {
        await tx`select 1`;
        front.cut();
        await tx`select 2`;
      }),
      isLoss,
    );
    await Promise.all([asleep, within]);
  }
  assert.equal(await askTwo(pool), 2);
});

test("an address without TLS stays as it is, and a file system's socket is in plain", async () => {
  assert.deepEqual(readDatabaseAddress(url), { url });
  const { url: rest, tls } = readDatabaseAddress("postgres://u@h:5/d?application_name=a&sslmode=require");
  assert.deepEqual([rest, tls?.rejectUnauthorized], ["postgres://u@h:5/d?application_name=a", false]);
  assert.equal(readDatabaseAddress("postgres://u@h/d?sslmode=verify-full").tls?.rejectUnauthorized, true);
});
