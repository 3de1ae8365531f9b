import type { Pool } from "#platform/database/index.ts";
import { summaryRow } from "#services/attendance/record-contract.ts";

// The data compresses badly and exceeds the buffers between server and client, so a slow client blocks the answer.

const noise = (characters: number, of = "i"): string =>
  `(select string_agg(md5(${of} || '/' || part), '') from generate_series(1, ${Math.ceil(characters / 32)}) as part)`;

const reports = (rows: number): string => `
  insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade,
    licensing, b_product, content)
  select 'n' || i, '555 0100', 'c', 'c', 'e', '1', now(), 't', 'l', '{p}', ${noise(3200)} from generate_series(1, ${rows}) as i`;

const payables = (rows: number): string => `
  insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen)
  select 's' || i, ${noise(3200)}, '2026', '2026', 100, '{a}', '{100}' from generate_series(1, ${rows}) as i`;

/** These rows also make the journal long, since the journal lists adjustments. */
const adjustments = `
  insert into tuition_payment.adjustment (payable_id, kind, item_names, item_fen, evidence, made_by)
  select id, 'waiver', '{a}', '{100}', ${noise(3200, "id")}, 'operator' from tuition_payment.payable`;

const orders = (rows: number): string => `
  with made as (
    insert into tuition_payment.pay_order (order_no, card_number, student_name, grade, amount_fen, expires_at)
    select 'FILLED' || i, 's' || i, ${noise(3200)}, '2026', 100, now() + interval '1 day' from generate_series(1, ${rows}) as i
    returning id
  )
  insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen)
  select id, id + 1000000000, '2026', 'a', 100 from made`;

const emptyRow = JSON.stringify(
  Object.fromEntries(
    Object.entries(summaryRow.shape).map(([field, schema]) => [field, schema.safeParse("").success ? "" : 0]),
  ),
);

const results = (month: string, rows: number): string => `
  with made as (
    insert into attendance.month (month, statu, run, settings)
    values ('${month}', 2, 1, '{"campuses":[],"bucketEdges":[20,30]}')
    returning month
  )
  insert into attendance.result (month, row, name, user_id, work_number, group_name, department, data, warnings)
  select made.month, i, 'n' || i, 'u' || i, 'w' || i, 'g', 'd',
    '${emptyRow}'::jsonb
      || jsonb_build_object('workName', 'n' || i, 'userId', 'u' || i, 'workNum', 'w' || i, 'lateOfRecond', ${noise(3200)}), '[]'
  from made, generate_series(1, ${rows}) as i`;

const version = (month: string): string => `
  with kept as (
    insert into attendance.version (month, number, note, employees, settings, units, covered, warnings, locked_by)
    select '${month}', 1, '', (select count(*) from attendance.result where month = '${month}'),
      settings, '{}', '[]', '[]', 'operator' from attendance.month where month = '${month}'
    returning id
  )
  insert into attendance.version_row (version_id, row, name, user_id, work_number, group_name, department, data)
  select kept.id, row, name, user_id, work_number, group_name, department, data
  from kept, attendance.result where month = '${month}'`;

const auditLines = (rows: number): string => `
  insert into platform.audit (service, user_name, action, outcome, address, detail)
  select 'platform', 'u' || i, 'fill', 'done', '', jsonb_build_object('noise', ${noise(3200)})
  from generate_series(1, ${rows}) as i`;

export const filledMonths = { month: "2026-05", with: "2026-06" } as const;

export async function fillForStreams(pool: Pool, rows = 4000): Promise<void> {
  for (const statement of [
    reports(rows),
    payables(rows),
    adjustments,
    orders(rows),
    results(filledMonths.month, rows),
    results(filledMonths.with, rows),
    version(filledMonths.month),
    auditLines(rows),
  ])
    await pool.script(statement);
}
