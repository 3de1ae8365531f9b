import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { startCommand } from "#test/crash/server.ts";
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
  assert.match(moved.out, /The embedded database in .* is kept, and will not start any more/);
  const forgotten = await run(["migrate"]);
  assert.equal(forgotten.code, 1);
  assert.match(
    forgotten.err,
    /^The database in \S+ was moved to another PostgreSQL on \d{4}-[^\n]*DATABASE_URL[^\n]*remove \S+\n$/,
  );
  assert.ok(!forgotten.err.includes(DATABASE_URL));
  assert.equal((await run(["migrate"], { DATABASE_URL })).code, 0);
  await rm(/remove (\S+)\n$/.exec(forgotten.err)?.[1] ?? "");
  assert.equal((await run(["migrate"])).code, 0);
});

test("what is restored elsewhere while its server runs is a trial, and leaves no mark", async () => {
  const server = startCommand(["serve"], { DATA_DIR, PORT: "0", OPERATOR_PASSWORD: "operator-of-tests-1" }, DATA_DIR);
  await new Promise<void>((resolve) =>
    server.child.stdout?.on("data", () => server.output().out.includes("runs at") && resolve()),
  );
  const { url } = await createTestDatabase({ empty: true });
  assert.equal((await run(["restore", folder], { DATABASE_URL: url })).code, 0);
  server.child.kill("SIGTERM");
  await server.ended;
  assert.ok(!(await readdir(path.join(DATA_DIR, "postgres"))).includes("moved"));
});
