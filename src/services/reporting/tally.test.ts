import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction, openPool } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";
import { foldTallies, recountTallies, splitAtMonths, toDay } from "./tally.ts";

// After any concurrent changes, the tally with its additions must equal a count of the table's rows.

const { url, closers } = await createTestDatabase();
const pool = openPool(url, { connections: 12 });
closers.push(() => pool.end());
const source = "thing.part";
await pool.script(`
  create schema thing;
  create table thing.part (
    id int generated always as identity primary key, at timestamptz not null, kind text not null, good boolean not null);
  insert into thing.part (at, kind, good)
  select timestamptz '2025-11-01' + n * interval '7 hours', 'early', true from generate_series(1, 50) as n;
  select platform.keep_tallies('${source}', 'at', '''Asia/Shanghai''', '{day, month, all}',
    '{"thing.part_tally": "step, start, good", "thing.kind_tally": "kind, step, start, good"}')`);

async function listFaults(): Promise<object[]> {
  const compare = (tally: string, keys: string) =>
    ["day", "month", "all"].map((step) => {
      const begin = (of: string) => (step === "all" ? "timestamp '-infinity'" : `date_trunc('${step}', ${of})`);
      return `
        select '${tally}' as tally, '${step}' as step, start::text, sum(lines) as off from (
          select ${begin("start")} as start, ${keys}, lines from thing.part_addition
          union all select start, ${keys}, lines from thing.${tally} where step = '${step}'
          union all select ${begin("at at time zone 'Asia/Shanghai'")}, ${keys}, -1 from thing.part
        ) as counted group by start, ${keys} having sum(lines) <> 0`;
    });
  return pool.query([...compare("part_tally", "good"), ...compare("kind_tally", "kind, good")].join(" union all "), []);
}

const shareOf = (seed: number): string =>
  `id in (select id from thing.part where id % 40 = ${seed % 40} order by id for update)`;

const changes = [
  (share: string) => `update thing.part set good = not good, at = at + interval '9 days' where ${share}`,
  (share: string) => `delete from thing.part where ${share}`,
  (share: string) => `update thing.part set kind = 'kind ' || id % 5 where ${share}`,
];

const isUndone = (seed: number): boolean => seed % 7 === 0;

async function change(seed: number): Promise<void> {
  const work = inTransaction(pool, async (tx) => {
    const day = `2025-${String(1 + (seed % 12)).padStart(2, "0")}-28`;
    await tx`
      insert into thing.part (at, kind, good)
      select ${day}::timestamptz + n * interval '13 hours', 'kind ' || (n + ${seed}::int) % 4, n % 3 = 0
      from generate_series(1, 20) as n`;
    await tx.script(changes[seed % 3]?.(shareOf(seed)) ?? "");
    if (isUndone(seed)) throw new Error("changed its mind");
  });
  await (isUndone(seed) ? assert.rejects(work, { message: "changed its mind" }) : work);
}

test("many writers at once, undone ones among them, and folds meanwhile leave every total exact", async () => {
  assert.deepEqual(await listFaults(), []);
  const writers = Array.from({ length: 120 }, (_, seed) => change(seed));
  const folds = Array.from({ length: 15 }, () => foldTallies(pool, source));
  const looks = Array.from({ length: 15 }, listFaults);
  await Promise.all([...writers, ...folds]);
  for (const faults of await Promise.all(looks)) assert.deepEqual(faults, []);
  assert.deepEqual(await listFaults(), []);
  await foldTallies(pool, source);
  assert.deepEqual(await listFaults(), []);
  assert.deepEqual(await pool`select * from thing.part_addition`, []);
  const [count] = await pool<{ is: number; counted: number }[]>`
    select (select count(*) from thing.part) as is,
      (select sum(lines)::bigint from thing.part_tally where step = 'all') as counted`;
  assert.ok(count && count.is > 500 && count.is === count.counted, JSON.stringify(count));
});

test("a writer whose transaction stays open keeps nobody from writing or folding, and comes with the next fold", async () => {
  await inTransaction(pool, async (slow) => {
    await slow`insert into thing.part (at, kind, good) values ('2025-05-05 12:00+08', 'slow', true)`;
    await inTransaction(pool, async (tx) => {
      await tx`set local lock_timeout = '1s'`;
      await tx`insert into thing.part (at, kind, good) values ('2025-05-05 12:00+08', 'slow', true)`;
    });
    await foldTallies(pool, source);
    assert.deepEqual(await listFaults(), []);
    const total = await pool`select lines from thing.kind_tally where kind = 'slow' and step = 'all'`;
    assert.deepEqual(total, [{ lines: 1 }]);
  });
  assert.deepEqual(await listFaults(), []);
});

test("what lost its way is counted anew", async () => {
  await pool`update thing.part_tally set lines = lines + 1`;
  assert.notDeepEqual(await listFaults(), []);
  await inTransaction(pool, (tx) => recountTallies(tx, source));
  assert.deepEqual(await listFaults(), []);
});

test("any span of days is made of whole months and the days around them, each day once", () => {
  const start = Temporal.PlainDate.from("2023-12-30");
  for (let offset = 0; offset < 70; offset++) {
    for (let length = 1; length < 130; length++) {
      const from = start.add({ days: offset });
      const pieces = splitAtMonths({ from, to: from.add({ days: length }) });
      let next = from;
      for (const { step, within } of pieces) {
        assert.ok(within);
        assert.ok(within.from.equals(next) && within.from.until(within.to).days > 0);
        if (step === "month") assert.deepEqual([within.from.day, within.to.day], [1, 1]);
        else assert.ok(within.from.until(within.to).days < 62);
        next = within.to;
      }
      assert.ok(pieces.length <= 3);
      assert.equal(from.until(next).days, length);
    }
  }
  assert.deepEqual(splitAtMonths(undefined), [{ step: "all" }]);
  assert.equal(toDay(Temporal.PlainDate.from("9999-12-31").add({ days: 1 })), "10000-01-01");
});
