import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { readAuditKeys } from "#platform/contract/audit-keys.ts";
import { inTransaction } from "#platform/database/index.ts";
import { writeAudit } from "#platform/accounts/audit.ts";
import { clearAudit, createTestDatabase } from "#test/database.ts";
import { type Anchor, checkChain, cutLines, parseAnchors, readAnchor, sealLines } from "./index.ts";

// Whatever is done to the audit log past the platform is seen. Whoever does it here owns the database.

const [oldKey, newKey] = ["o".repeat(32), "n".repeat(40)];
const keyed = readAuditKeys(oldKey);

const { pool } = await createTestDatabase();

beforeEach(async () => {
  await clearAudit(pool);
  await pool.script(
    `alter table platform.audit alter column id restart; update platform.audit_adoption set adopted = 0, up_to = 0`,
  );
});

/** A log of so many sealed lines, and some that are young. */
async function openLog(lines: number, { young = 0 } = {}): Promise<void> {
  await write(lines);
  await sealLines(pool, undefined);
  await write(young);
}

const write = (lines: number, at = new Date()) =>
  pool.count`
    insert into platform.audit (at, service, user_name, action, outcome, records, detail, address)
    select ${at}, 'platform', '测试员' || n, 'updateOperator', 'done', array[n::text], '{"b": 1.50, "a": null}', '203.0.113.7'
    from generate_series(1, ${lines}) as n`;

/** Does what nobody may, as who owns the database can. */
const tamper = (statement: string) =>
  pool.script(`alter table platform.audit disable trigger user; ${statement};
    alter table platform.audit enable trigger user; alter table platform.audit enable always trigger audit_stays`);

async function findFaults(anchors: readonly Anchor[] = [], keys = keyed): Promise<readonly string[]> {
  const { faults, told } = await checkChain(pool, keys, anchors);
  assert.equal(told.length, Math.min(faults, 100));
  return told;
}

test("a log is whole while it is written and sealed, and what is not sealed yet is told", async () => {
  await openLog(2500, { young: 3 });
  const report = await checkChain(pool, []);
  assert.deepEqual(report, {
    lines: 2500,
    cut: 0,
    withoutKey: 2500,
    young: 3,
    unadopted: 0,
    anchors: 0,
    faults: 0,
    told: [],
  });
  await inTransaction(pool, async (tx) => {
    // It has its id before those that are sealed now, and is seen after them.
    await writeAudit(tx, { service: "platform", userName: "late", action: "x", outcome: "done", address: "" });
    await write(5);
    assert.equal(await sealLines(pool, undefined), 8);
  });
  assert.equal(await sealLines(pool, undefined), 1);
  assert.deepEqual(await findFaults(), []);
});

test("a line changed, taken out, put in or exchanged with another is named", async () => {
  await openLog(20);
  const anchor = await readAnchor(pool);
  assert.ok(anchor);
  await tamper("update platform.audit set user_name = 'somebody else' where id = 3");
  assert.deepEqual(await findFaults(), ["line 3 (place 3) is not what was sealed"]);
  await tamper("delete from platform.audit where id = 7");
  assert.deepEqual((await findFaults()).slice(1), ["line 7 (place 7) was taken out"]);
  await tamper(
    `insert into platform.audit (service, user_name, action, outcome, address) values ('platform', 'x', 'login', 'done', '')`,
  );
  assert.deepEqual((await findFaults()).slice(2), ["line 21 was put in past the chain"]);
  await tamper(
    `update platform.audit as one set user_name = other.user_name, records = other.records
      from platform.audit as other where (one.id, other.id) in ((11, 12), (12, 11))`,
  );
  assert.deepEqual((await findFaults()).slice(1, 3), [
    "line 7 (place 7) was taken out",
    "line 11 (place 11) is not what was sealed",
  ]);
  assert.equal((await findFaults()).length, 5);
});

test("a line that says it is older than it is, and one that is gone before it was sealed", async () => {
  await openLog(5, { young: 2 });
  await tamper("delete from platform.audit where id = 6");
  assert.deepEqual(await findFaults(), ["line 6 was taken out before it was sealed"]);
  await write(1, new Date(Date.now() - 3 * 24 * 3600 * 1000));
  await sealLines(pool, undefined);
  const told = await findFaults();
  assert.equal(told[0], "line 6 (place 6) was taken out");
  assert.match(told[1] ?? "", /^line 8 \(place 8\) was put in long after its time/);
  assert.equal(told.length, 2);
});

test("an end that was cut off with its chain, and a chain made anew, are seen by an anchor alone", async () => {
  await openLog(10);
  const early = await readAnchor(pool);
  await write(10);
  await sealLines(pool, undefined);
  const late = await readAnchor(pool);
  assert.ok(early && late);
  await tamper("delete from platform.audit where id > 10; delete from platform.audit_chain where first > 1");
  assert.deepEqual(await findFaults(), []);
  const kept = parseAnchors(
    `{"level":30}\n\n${JSON.stringify(early)}\nno json\n${JSON.stringify({ ...late, msg: "x" })}\n`,
  );
  assert.deepEqual(
    kept,
    [early, late].map(({ place, hash }) => ({ place, hash })),
  );
  assert.deepEqual(await findFaults([early, late]), [
    "the chain ends at place 10, and an anchor has place 20: its end was cut off",
  ]);
  await tamper(`update platform.audit set user_name = 'x' where id = 2; truncate platform.audit_chain`);
  await pool`insert into platform.audit_young (id) select id from platform.audit`;
  await sealLines(pool, undefined);
  assert.deepEqual(await findFaults(), []);
  assert.deepEqual(await findFaults([early]), ["at place 10 the chain is another than its anchor says"]);
});

test("pieces of the chain that are gone or bent", async () => {
  await openLog(2500);
  await pool`update platform.audit_chain set hashes = substr(hashes, 33) where first = 1001`;
  assert.equal((await findFaults())[0], "the chain itself was changed at places 1001 to 2000");
  await pool`delete from platform.audit_chain where first = 1001`;
  const told = await findFaults();
  assert.equal(told[0], "places 1001 to 2000 of the chain are missing");
  assert.ok(told.includes("line 1001 was put in past the chain"));
});

test("with a key nobody makes a chain anew who has the database alone; keys before it go on to be read", async () => {
  await openLog(5);
  await write(5);
  await sealLines(pool, keyed[0]);
  assert.deepEqual(await findFaults(), []);
  assert.match((await findFaults([], [])).join(), /AUDIT_KEY does not have the key [0-9a-f]{8}/);
  const both = readAuditKeys(`${newKey},${oldKey}`);
  await write(5);
  await sealLines(pool, both[0]);
  assert.deepEqual(await findFaults([], both), []);
  assert.match((await findFaults([], readAuditKeys(newKey))).join(), /does not have the key/);
  await write(2);
  await sealLines(pool, undefined);
  assert.deepEqual(await findFaults([], both), ["places 16 to 17 were sealed without the key"]);
  assert.throws(() => readAuditKeys("too short"));
});

test("lines from before the chain are taken in, in pieces, while others come", async () => {
  await tamper(
    `insert into platform.audit (at, service, user_name, action, outcome, address)
      select now() - interval '2 years', 'platform', 'old', 'login', 'done', '' from generate_series(1, 2300)`,
  );
  await pool`update platform.audit_adoption set up_to = (select max(id) from platform.audit)`;
  await write(3);
  const { unadopted, young, faults } = await checkChain(pool, []);
  assert.deepEqual([unadopted, young, faults], [2300, 3, 0]);
  assert.equal(await sealLines(pool, undefined), 2303);
  assert.deepEqual(await findFaults(), []);
});

test("several that seal at once take each line in once", async () => {
  const writers = Array.from({ length: 4 }, async () => {
    for (let n = 0; n < 10; n++) await write(30);
  });
  const sealed = Promise.all(
    Array.from({ length: 3 }, async () => {
      let lines = 0;
      for (let n = 0; n < 20; n++) lines += await sealLines(pool, undefined);
      return lines;
    }),
  );
  await Promise.all(writers);
  const lines = (await sealed).reduce((sum, one) => sum + one, 0) + (await sealLines(pool, undefined));
  assert.equal(lines, 1200);
  const report = await checkChain(pool, []);
  assert.deepEqual([report.lines, report.young, report.faults], [1200, 0, 0]);
});

test("the oldest lines may be removed on purpose, in whole pieces, and an anchor of what is left holds", async () => {
  const old = new Date(Date.now() - 400 * 24 * 3600 * 1000);
  await tamper(
    `insert into platform.audit (at, service, user_name, action, outcome, address)
      select now() - interval '400 days', 'platform', 'old', 'login', 'done', '' from generate_series(1, 1100)`,
  );
  await pool`update platform.audit_adoption set up_to = 1100`;
  await openLog(10);
  const anchor = await readAnchor(pool);
  assert.ok(anchor);
  assert.equal(await cutLines(pool, old), 0);
  assert.equal(await cutLines(pool, new Date(Date.now() - 24 * 3600 * 1000)), 1100);
  await sealLines(pool, undefined);
  const report = await checkChain(pool, [], [anchor]);
  assert.deepEqual([report.cut, report.lines, report.faults], [1100, 12, 0]);
  const [line] = await pool`select count(*) as lines from platform.audit where action = 'cutAudit'`;
  assert.equal(line?.["lines"], 2);
  await assert.rejects(pool`delete from platform.audit`, { code: "42501" });
  // Whoever says so of lines in the middle has not removed the oldest.
  await pool`update platform.audit_chain set ids = '{}', hashes = substr(hashes, length(hashes) - 31), cut_at = now() where first > 1101`;
  assert.match((await findFaults()).join(), /in the middle of the chain/);
});
