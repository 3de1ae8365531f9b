import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { checkChain } from "#platform/accounts/chain/index.ts";
import { startCommand } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";

// The commands as whoever looks after a server runs them, and one of them killed in the middle of sealing.

const { pool, url } = await createTestDatabase();
const folder = await mkdtemp(path.join(tmpdir(), "quintet-audit-"));
after(() => rm(folder, { recursive: true, force: true }));
const settings = { DATABASE_URL: url, DATA_DIR: folder };
const lines = 30_000;

async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const { ended, output } = startCommand(["audit", ...args], settings);
  const { code } = await ended;
  return { code, ...output() };
}

const countPieces = async () =>
  Number((await pool`select count(*) as pieces from platform.audit_chain`)[0]?.["pieces"]);

test("sealing that is killed in the middle goes on, and what comes of it is verified against an anchor", async () => {
  await pool`
    insert into platform.audit (service, user_name, action, outcome, records, address)
    select 'platform', 'user' || n, 'updateOperator', 'done', array[n::text], '203.0.113.7' from generate_series(1, ${lines}) as n`;
  const { child, ended, output } = startCommand(["audit", "anchor"], settings);
  // From the first piece on there are many more to come.
  while ((await countPieces()) === 0) assert.equal(child.exitCode, null, output().err);
  child.kill("SIGKILL");
  assert.equal((await ended).signal, "SIGKILL");
  const half = await checkChain(pool, []);
  assert.deepEqual([half.lines + half.young, half.faults], [lines, 0]);
  assert.ok(half.young > 0, "it must have been killed in the middle");

  const anchor = await run("anchor");
  const startMs = performance.now();
  assert.equal((await checkChain(pool, [])).lines, lines);
  console.log(`${lines} lines were held against the chain in ${Math.round(performance.now() - startMs)} ms`);
  assert.equal(JSON.parse(anchor.out).place, lines);
  const file = path.join(folder, "anchors");
  await writeFile(file, anchor.out);
  const whole = await run("verify", "--against", file);
  assert.equal(whole.code, 0, whole.err);
  assert.match(whole.out, new RegExp(`^${lines} lines are in the chain, ${lines} of them sealed without a key`));

  await pool.script(`alter table platform.audit disable trigger user;
    update platform.audit set user_name = 'nobody' where id = 77;
    alter table platform.audit enable trigger user; alter table platform.audit enable always trigger audit_stays`);
  const broken = await run("verify");
  assert.equal(broken.code, 1);
  assert.match(broken.out, /^WRONG {2}line 77 \(place 77\) is not what was sealed$/m);
  await writeFile(file, "no anchor");
  const wrong = await run("verify", "--against", file);
  assert.deepEqual([wrong.code, wrong.err.trimEnd()], [1, `${file} has no anchor in it.`]);
});
