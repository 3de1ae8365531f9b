import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { loadPrivateKey } from "#platform/accounts/password.ts";
import { inTransaction, migrate, openPool, type Pool } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";

// One PostgreSQL serves a whole test run; every file has a database of its own, cloned from a migrated template.

const template = "quintet_template";
const serverVariable = "QUINTET_TEST_POSTGRES";

/**
 * Starts the PostgreSQL of a test run with the template in it, and says in the environment where it is. Another
 * PostgreSQL, of any version from 14 on, is used when QUINTET_TEST_SERVER has its URL.
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
  // Beside what it may in production, the role makes a database for each file.
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
  // Two hundred apps would each make one, a tenth of a second of computing.
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
  /** What must end before the database goes; hooks of node:test run in the order in which they were set. */
  readonly closers: (() => Promise<unknown>)[];
}

/** A fresh migrated database, or one with nothing in it, dropped when the tests of the file are over. */
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
    // By force it fails while autovacuum is in the database, which gives way to a drop without.
    await runAlone(serverUrl, `drop database ${name} with (force)`).catch(() =>
      runAlone(serverUrl, `drop database ${name}`),
    );
    if (--open > 0 || !ownServer) return;
    // A test that comes later starts another.
    delete process.env[serverVariable];
    const server = await ownServer;
    ownServer = undefined;
    await server.stop();
  });
  return { url, pool, closers };
}

// Half the computing of going through the log, which PostgreSQL has from 15 on.
const copying = process.env["QUINTET_TEST_SERVER"] ? "" : "strategy file_copy";
let open = 0;
let ownServer: ReturnType<typeof startTestServer> | undefined;

/** The server of the run; a file that is run by itself starts its own, which ends with the file's last database. */
async function findServer(): Promise<string> {
  if (!process.env[serverVariable]) await (ownServer ??= startTestServer());
  return process.env[serverVariable] ?? "";
}

/** Empties the audit log, which only who owns the database can do, and the platform never does. */
export async function clearAudit(pool: Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx`alter table platform.audit disable trigger audit_stays`;
    await tx`truncate platform.audit`;
    await tx`alter table platform.audit enable always trigger audit_stays`;
  });
}

/** What is heard on a channel, and an entry for each time that listening has begun. */
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
