import type { TestContext } from "node:test";
import { openEnding } from "#test/crash/server.ts";
import { query } from "#test/embedded-postgres/server.ts";
import { createTestDatabase, startTestServer } from "#test/database.ts";
import { startNetworkPostgres } from "#test/network-postgres.ts";
import type { DriveOptions } from "#test/property/drive.ts";
import { startDrivenApp } from "#test/property/driven-app.ts";
import { startPgBouncer } from "./pgbouncer.ts";

export async function startThroughPgBouncer(t: TestContext): Promise<Omit<DriveOptions, "seed" | "seconds">> {
  // PostgreSQL and PgBouncer close in a hook registered after the database's hook, since hooks run in the sequence of
  // their registration and the app, which closes in the database's hook, must close first.
  const below = openEnding();
  const { host, localUrl } = await startNetworkPostgres(below, { settings: ["max_connections=150"] });
  await query(localUrl, "alter role quintet_server createdb");
  const base = await startPgBouncer(below, host, 4);
  const database = await openDatabaseAt(`postgres://quintet_server@${host}/quintet`);
  t.after(() => below[Symbol.asyncDispose]());
  const settings = { DATABASE_URL: base + new URL(database.url).pathname, DATABASE_DIRECT_URL: database.url };
  return startDrivenApp(t, { settings, beside: { database } });
}

async function openDatabaseAt(server: string) {
  const { QUINTET_TEST_POSTGRES: usual = "", QUINTET_TEST_SERVER: other = "" } = process.env;
  process.env["QUINTET_TEST_SERVER"] = server;
  await startTestServer();
  const database = await createTestDatabase();
  Object.assign(process.env, { QUINTET_TEST_POSTGRES: usual, QUINTET_TEST_SERVER: other });
  return database;
}
