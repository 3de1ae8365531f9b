import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { startCommand, startServerProcess } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";

const [DATA_DIR, folder] = [await makeFolder(), await makeFolder()];
const { url: DATABASE_URL } = await createTestDatabase({ empty: true });

async function run(args: string[], settings: Record<string, string> = {}) {
  const command = startCommand(args, { DATA_DIR, ...settings }, DATA_DIR);
  const { code } = await command.ended;
  return { code, ...command.output() };
}

test("moved to a database of one's own, the old one does not start again without a word of force", async () => {
  assert.equal((await run(["backup", folder])).code, 0);
  const moved = await run(["restore", folder], { DATABASE_URL });
  assert.equal(moved.code, 0, moved.err);
  assert.match(moved.out, /The embedded database in .* was kept, but can no longer be started/);
  const [forgotten, there] = await Promise.all([run(["migrate"]), run(["migrate"], { DATABASE_URL })]);
  assert.equal(forgotten.code, 1);
  assert.match(
    forgotten.err,
    /^The database in \S+ was moved to another PostgreSQL on \d{4}-[^\n]*DATABASE_URL[^\n]*delete \S+ to continue with the old one\n$/,
  );
  assert.ok(!forgotten.err.includes(DATABASE_URL));
  assert.equal(there.code, 0, there.err);
  await rm(/delete (\S+) to continue/.exec(forgotten.err)?.[1] ?? "");
});

test("without its mark it starts; what is restored elsewhere meanwhile is a trial, and leaves none", async () => {
  const server = await startServerProcess(DATA_DIR);
  const { url } = await createTestDatabase({ empty: true });
  assert.equal((await run(["restore", folder], { DATABASE_URL: url })).code, 0);
  server.child.kill("SIGTERM");
  await server.ended;
  assert.ok(!(await readdir(path.join(DATA_DIR, "postgres"))).includes("moved"));
});
