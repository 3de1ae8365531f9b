import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { loadPrivateKey } from "#platform/accounts/password.ts";
import { inTransaction, migrate, openPool, type Pool } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";

// One PostgreSQL serves a whole test run; each test database is cloned from a migrated template, unless it must be
// empty.

const template = "quintet_template";
const serverVariable = "QUINTET_TEST_POSTGRES";

/**
 * Starts a server, makes the template, and stores the server's address in the environment. If QUINTET_TEST_SERVER has
 * the address of another PostgreSQL (version 14 or newer), that one is used instead.
 */
export async function startTestServer(): Promise<{ stop(): Promise<void> }> {
  const other = process.env["QUINTET_TEST_SERVER"];
  if (other) {
    await runAlone(other, `drop database if exists ${template}`);
    await makeTemplate(other);
    process.env[serverVariable] = other;
    return { stop: async () => {} };
  }
  const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-test-"));
  const server = await startEmbeddedPostgres({
    dataDir,
    fast: true,
    maxConnections: 300,
    settings: ["autovacuum=off"],
  });
  // Tests create databases, which the server's role may not do in production.
  await runAlone(server.administratorUrl, `alter role ${decodeURIComponent(new URL(server.url).username)} createdb`);
  await makeTemplate(server.url);
  process.env[serverVariable] = server.url;
  return {
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function makeTemplate(serverUrl: string): Promise<void> {
  await runAlone(serverUrl, `create database ${template}`);
  const url = toDatabaseUrl(serverUrl, template);
  const pool = openPool(url, { connections: 1 });
  await migrate(pool);
  // The key pair is part of the template, since generating it would cost each of two hundred apps a tenth of a second.
  await loadPrivateKey(pool, undefined);
  await pool.end();
  await migrateJobs(url);
}

const toDatabaseUrl = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
};

async function runAlone(serverUrl: string, statement: string): Promise<void> {
  const pool = openPool(serverUrl, { connections: 1 });
  try {
    await pool.script(statement);
  } finally {
    await pool.end();
  }
}

export interface TestDatabase {
  readonly url: string;
  readonly pool: Pool;
  /**
   * Functions that run, the last one first, before the database is dropped. An `after` hook would run too late, since
   * node:test runs hooks in the sequence of their registration.
   */
  readonly closers: (() => Promise<unknown>)[];
}

export async function createTestDatabase({ connections = 10, empty = false } = {}): Promise<TestDatabase> {
  const serverUrl = await findServer();
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runAlone(serverUrl, `create database ${name} template ${empty ? "template0" : template} ${copying}`);
  const url = toDatabaseUrl(serverUrl, name);
  const pool = openPool(url, { connections, name });
  const closers: TestDatabase["closers"] = [];
  open++;
  after(async () => {
    for (const close of closers.toReversed()) await close();
    await pool.end();
    // A forced drop fails while autovacuum is in the database; an ordinary one makes autovacuum yield.
    await runAlone(serverUrl, `drop database ${name} with (force)`).catch(() =>
      runAlone(serverUrl, `drop database ${name}`),
    );
    if (--open > 0 || !ownServer) return;
    delete process.env[serverVariable];
    const server = await ownServer;
    ownServer = undefined;
    await server.stop();
  });
  return { url, pool, closers };
}

// Copying files takes half the CPU time of copying through the WAL. Another server may be version 14, which has no
// `strategy` option.
const copying = process.env["QUINTET_TEST_SERVER"] ? "" : "strategy file_copy";
let open = 0;
let ownServer: ReturnType<typeof startTestServer> | undefined;

/** Without a server for the whole run, the process starts its own, which stops after its last database is dropped. */
async function findServer(): Promise<string> {
  if (!process.env[serverVariable]) await (ownServer ??= startTestServer());
  return process.env[serverVariable] ?? "";
}

/**
 * Empties the audit log. Meanwhile the trigger that forbids emptying it is disabled, which only the table's owner can
 * do.
 */
export async function clearAudit(pool: Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx`alter table platform.audit disable trigger audit_stays`;
    await tx`truncate platform.audit`;
    await tx`alter table platform.audit enable always trigger audit_stays`;
  });
}

/** Collects a channel's notifications in `heard`; `begun` gets an entry each time the connection starts to listen. */
export async function listenTo(pool: Pool, channel: string): Promise<{ heard: string[]; begun: string[] }> {
  const heard: string[] = [];
  const begun: string[] = [];
  await pool.listen(
    channel,
    (payload) => heard.push(payload),
    () => begun.push(channel),
  );
  return { heard, begun };
}
