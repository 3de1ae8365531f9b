import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { kill, makeFolder, nobody, query, startServer } from "#test/embedded-postgres/server.ts";

// Only root can run programs as several users, and only if those users can read the program below in this checkout.
const program = fileURLToPath(import.meta.resolve("#test/embedded-postgres/fixture.ts"));
const isRoot = process.getuid?.() === 0;
const isReachable = isRoot && spawnSync(process.execPath, ["--check", program], { ...nobody, cwd: "/" }).status === 0;
const options = { skip: isRoot ? false : "needs root" };
const forOthers = { skip: isReachable ? false : "needs root, and a checkout that others can enter" };
const fast = true;
const someone = { uid: 4242, gid: 4242 };

test("an ordinary user has its cluster, and another user is told so", forOthers, async (context) => {
  const folder = await makeFolder(context, nobody);
  const dataDir = path.join(folder, "data");
  const first = await startServer(context, dataDir, { fast, as: nobody });
  assert.match(first.describe, /run by this user$/);
  assert.deepEqual(await query(first.url, "select 1 as one"), [{ one: 1 }]);
  await kill(first.child, "SIGTERM");
  await chmod(folder, 0o755);
  const refused = await startServer(context, dataDir, { fast, as: someone });
  assert.match(
    refused.refusal,
    /^the data directory .* cannot be created or opened \(EACCES\): start Quintet as its owner/,
  );
});

test("a user without a name has its cluster too, and root does not touch it", forOthers, async (context) => {
  const dataDir = path.join(await makeFolder(context, someone), "data");
  const first = await startServer(context, dataDir, { fast, as: someone });
  assert.equal(first.refusal, "");
  await kill(first.child, "SIGTERM");
  const refused = await startServer(context, dataDir, { fast });
  assert.match(refused.refusal, /belongs to another user \(uid 4242\): start Quintet as that user/);
  const second = await startServer(context, dataDir, { fast, as: someone });
  assert.equal(second.refusal, "");
});

test("root uses a folder that only root may enter, and its cluster again", options, async (context) => {
  const folder = await makeFolder(context);
  await chmod(folder, 0o700);
  const dataDir = path.join(folder, "data");
  const first = await startServer(context, dataDir, { fast });
  assert.match(first.describe, /run by root in a user namespace$/);
  await query(first.url, "create table kept (id int)", "insert into kept values (7)");
  await kill(first.child, "SIGTERM");
  assert.equal((await stat(path.join(dataDir, "postgres/cluster"))).uid, 0);
  const second = await startServer(context, dataDir, { fast });
  assert.deepEqual(await query(second.url, "select id from kept"), [{ id: 7 }]);
});

test("without namespaces root lends the cluster to nobody, with whom it stays", forOthers, async (context) => {
  const env = await withoutNamespaces(context);
  const folder = await makeFolder(context);
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, "data");
  const first = await startServer(context, dataDir, { fast });
  await query(first.url, "create table kept (id int)", "insert into kept values (7)");
  await kill(first.child, "SIGTERM");

  const second = await startServer(context, dataDir, { fast, env });
  assert.equal(second.refusal, "");
  assert.match(second.describe, /run by the user nobody on behalf of root$/);
  assert.deepEqual(await query(second.url, "select id from kept"), [{ id: 7 }]);
  assert.equal((await stat(dataDir)).mode & 0o777, 0o710);
  await kill(second.child);

  const third = await startServer(context, dataDir, { fast });
  assert.match(third.describe, /run by the user nobody on behalf of root$/);
  assert.deepEqual(await query(third.url, "select id from kept"), [{ id: 7 }]);
});

test("root with no way open is told what to do, and its folders stay as they are", options, async (context) => {
  const env = await withoutNamespaces(context);
  const folder = await makeFolder(context);
  await chmod(folder, 0o700);
  const dataDir = path.join(folder, "data");
  const { refusal } = await startServer(context, dataDir, { fast, env });
  assert.match(refusal, /^PostgreSQL cannot run as root: .*; start Quintet as an ordinary user, or set DATABASE_URL/);
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  assert.equal((await stat(path.join(dataDir, "postgres"))).uid, 0);
});

async function withoutNamespaces(context: TestContext): Promise<NodeJS.ProcessEnv> {
  const folder = await makeFolder(context);
  await writeFile(path.join(folder, "unshare"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return { PATH: `${folder}:${process.env["PATH"]}` };
}
