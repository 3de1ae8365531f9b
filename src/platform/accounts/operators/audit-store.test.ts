import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { clearAudit, createTestDatabase } from "#test/database.ts";
import { type AuditFilter, listAuditLines } from "./audit-store.ts";

const { pool } = await createTestDatabase();

const everything: AuditFilter = { services: null, span: { start: undefined, end: undefined } };
const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);

async function fill(lines: number): Promise<void> {
  await pool`
    insert into platform.audit (at, service, user_name, action, outcome, records, address)
    select ${at("10:15:30")}::timestamptz - n * interval '7 minutes', case when n % 3 = 0 then 'platform' else 'reporting' end,
      (array['alice', 'Bob_50%', '张三'])[n % 3 + 1], 'action' || n % 4,
      (array['done', 'done', 'refused', 'done', 'failed'])[n % 5 + 1], array[n::text], '203.0.113.7'
    from generate_series(0, ${lines - 1}) as n`;
}

async function listPlainly(filter: AuditFilter, descending: boolean): Promise<string[]> {
  const rows = await pool<
    { id: string; at: Date; service: string; userName: string; action: string; outcome: string; record: string }[]
  >`
    select id, at, service, user_name as "userName", action, outcome, records[1] as record from platform.audit order by at, id`;
  const { start, end } = filter.span;
  const wanted = rows.filter(
    (row) =>
      (!start || row.at >= start) &&
      (!end || row.at < end) &&
      (filter.service ?? row.service) === row.service &&
      (filter.action ?? row.action) === row.action &&
      (filter.outcome ?? row.outcome) === row.outcome &&
      (filter.record ?? row.record) === row.record &&
      row.userName.toLowerCase().includes((filter.userName ?? "").toLowerCase()),
  );
  const records = wanted.map(({ record }) => record);
  return descending ? records.toReversed() : records;
}

async function assertSame(filter: AuditFilter, descending = true): Promise<void> {
  const expected = await listPlainly(filter, descending);
  for (const limit of [1, 10, 1000]) {
    for (const offset of [0, 7, expected.length - 1, expected.length, expected.length + 10].filter((n) => n >= 0)) {
      const { rows, totalCount } = await listAuditLines(pool, filter, { descending, offset, limit });
      assert.equal(totalCount, expected.length);
      assert.deepEqual(
        rows.map(({ records }) => records[0]),
        expected.slice(offset, offset + limit),
        `${offset} ${limit}`,
      );
    }
  }
}

const filters: AuditFilter[] = [
  everything,
  { ...everything, service: "platform" },
  { ...everything, action: "action2" },
  { ...everything, action: "action" },
  { ...everything, outcome: "done" },
  { ...everything, outcome: "refused", service: "reporting" },
  { ...everything, record: "7" },
  { ...everything, record: "7", outcome: "done" },
  { ...everything, userName: "LIC", outcome: "failed" },
  { ...everything, userName: "LIC" },
  { ...everything, userName: "b_50%" },
  { ...everything, userName: "%" },
  { ...everything, userName: "三" },
  { ...everything, userName: "nobody" },
  { services: null, span: { start: at("03:21:30"), end: at("09:45:31") } },
  { services: null, span: { start: at("09:00:00"), end: at("10:00:00") } },
  { services: null, span: { start: at("09:10:00"), end: at("09:50:00") } },
  { services: null, span: { start: at("03:21:30"), end: at("09:45:31") }, outcome: "done", userName: "b" },
  { services: null, span: { start: at("10:00:00"), end: at("09:00:00") } },
  {
    services: null,
    span: { start: at("05:05:00"), end: undefined },
    service: "reporting",
    action: "action1",
    userName: "bob",
  },
  { services: null, span: { start: undefined, end: at("05:05:00") }, service: "reporting" },
];

describe("the audit log is listed and counted exactly", () => {
  beforeEach(async () => {
    await clearAudit(pool);
  });

  test("by every filter, in both directions", async () => {
    await fill(800);
    for (const filter of filters) for (const descending of [true, false]) await assertSame(filter, descending);
  });

  test("lines of one moment stand in the order of their ids", async () => {
    await pool`
      insert into platform.audit (at, service, user_name, action, outcome, address)
      select ${at("10:00:00")}, 'platform', 'alice', 'action', 'done', '' from generate_series(1, 20)`;
    const pages = await Promise.all(
      [0, 7, 14].map((offset) => listAuditLines(pool, everything, { descending: true, offset, limit: 7 })),
    );
    const ids = pages.flatMap(({ rows }) => rows.map(({ id }) => id));
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    assert.equal(new Set(ids).size, 20);
  });

  test("a record is told from one of another kind that has the same number", async () => {
    for (const table of ["city.toilet", "city.event_plan", undefined]) {
      const changes = table && JSON.stringify({ rows: 1, of: [{ table, record: "7", fields: [] }] });
      await pool`
        insert into platform.audit (service, user_name, action, outcome, records, address, changes)
        values ('city', 'alice', ${table ?? "read"}, 'done', '{7}', '', ${changes ?? null}::jsonb)`;
    }
    const list = async (kinds: string[]) => {
      const order = { descending: false, offset: 0, limit: 10 };
      const { rows, totalCount } = await listAuditLines(pool, { ...everything, record: "7", kinds }, order);
      assert.equal(totalCount, rows.length);
      return rows.map(({ action }) => action);
    };
    assert.deepEqual(await list(["toilet"]), ["city.toilet", "read"]);
    assert.deepEqual(await list(["eventPlan", "toilet"]), ["city.toilet", "city.event_plan", "read"]);
    assert.deepEqual(await list(["report"]), ["read"]);
  });
});
