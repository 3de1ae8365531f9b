import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { openPool, type Pool } from "#platform/database/index.ts";
import { makeFolder, query } from "#test/embedded-postgres/server.ts";
import { makeCertificate } from "#test/certificate.ts";
import { createTestDatabase } from "#test/database.ts";
import { needsLinux, startNetworkPostgres } from "#test/network-postgres.ts";
import { startTlsFront } from "#test/tls-front.ts";

const { url } = await createTestDatabase();
const here = makeCertificate("127.0.0.1", "localhost");
const elsewhere = makeCertificate("database.example");

async function openDoor(
  context: TestContext,
  parameters: string,
  { certificate = here, answer }: { readonly certificate?: typeof here; readonly answer?: string } = {},
) {
  const front = await startTlsFront(url, certificate, answer);
  context.after(() => front.stop());
  const file = path.join(await makeFolder(context), "root.crt");
  await writeFile(file, certificate.cert);
  const { username, password, pathname } = new URL(url);
  const secured = parameters.replace("FILE", encodeURIComponent(file));
  const address = `postgres://${username}:${password}@127.0.0.1:${front.port}${pathname}?${secured}`;
  const pool = openPool(address, { connections: 2 });
  context.after(() => pool.end({ timeoutMs: 1000 }));
  return { front, pool, address };
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
    assert.deepEqual(await query(address, "select 2 as two"), [{ two: 2 }]);
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

test("a PostgreSQL with TLS of its own lets in who trusts it, and nobody else", needsLinux, async (context) => {
  const server = await startNetworkPostgres(context, { certificate: elsewhere });
  const file = path.join(await makeFolder(context), "root.crt");
  await writeFile(file, elsewhere.cert);
  const reach = async (parameters: string): Promise<unknown> => {
    const pool = openPool(`postgres://quintet_server@${server.host}/quintet${parameters}`, { connections: 1 });
    context.after(() => pool.end());
    return (await pool`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)[0]?.["ssl"];
  };
  assert.equal(await reach("?sslmode=require"), true);
  assert.equal(await reach(`?sslmode=verify-ca&sslrootcert=${file}`), true);
  await assert.rejects(reach(`?sslmode=verify-full&sslrootcert=${file}`), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  await assert.rejects(reach("?sslmode=verify-ca"), /requires sslrootcert/);
  await assert.rejects(reach(""), { code: "28000" });
});
