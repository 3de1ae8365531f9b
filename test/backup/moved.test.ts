import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { lockDataDir } from "#platform/embedded-postgres/data-lock.ts";
import { markMoved } from "#platform/embedded-postgres/moved.ts";
import { openDatabase } from "#quintet/open-database.ts";
import { readSettings } from "#quintet/settings.ts";
import { runBackup, runRestore } from "#quintet/upkeep.ts";
import { createTestDatabase } from "#test/database.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";

const [DATA_DIR, folder] = [await makeFolder(), await makeFolder()];
const { url: DATABASE_URL } = await createTestDatabase({ empty: true });
const embedded = readSettings({ DATA_DIR });
const own = readSettings({ DATA_DIR, DATABASE_URL });

test("moved to a database of one's own, the old one does not start again without a word of force", async () => {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  await runBackup(embedded, { to: folder, say });
  await runRestore(own, { from: folder, say });
  assert.match(said.at(-1) ?? "", /^The embedded database in .* was kept, but can no longer be started/);
  let refusal = "";
  await assert.rejects(openDatabase(embedded, "alone"), ({ message }: Error) => {
    refusal = message;
    return true;
  });
  assert.match(
    refusal,
    /^The database in \S+ was moved to another PostgreSQL on \d{4}-[^\n]*DATABASE_URL[^\n]*delete \S+ to continue with the old one$/,
  );
  assert.ok(!refusal.includes(DATABASE_URL));
  await (await openDatabase(own, "alone")).close();
  await rm(/delete (\S+) to continue/.exec(refusal)?.[1] ?? "");
  await (await openDatabase(embedded, "alone")).close();
});

test("what is restored elsewhere while a server runs is a trial, and leaves no mark", async () => {
  const home = path.join(DATA_DIR, "postgres");
  const server = lockDataDir(home);
  assert.equal(await markMoved(DATA_DIR), undefined);
  server.release();
  assert.ok(!(await readdir(home)).includes("moved"));
});
