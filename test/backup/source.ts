import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Db } from "#platform/database/index.ts";
import { type FileStore, openLocalFiles } from "#platform/files/file-store.ts";
import { listTables } from "#platform/backup/catalogue.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";

export const makeStore = async (): Promise<FileStore> => openLocalFiles(await makeFolder());

/**
 * Inserts what is difficult to restore: rows that reference each other, rows of an append-only ledger, rows of tables
 * whose triggers keep counts, and a delayed job.
 */
export const fill = (db: Db, reports: number): Promise<unknown> =>
  db.script(`
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product)
    select 'n' || i, '1', E'tab\\tline\\nslash\\\\', '甲', 'e', '1', '2027-03-01', 'education', 'yes', '{switch}' from generate_series(1, ${reports}) i;
    insert into attendance.month (month) values ('2027-03');
    insert into attendance.version (month, number, note, employees, settings, units, covered, warnings, locked_by)
    values ('2027-03', 1, '', 0, '{}', '[]', '[]', '[]', 'a');
    update attendance.month set version_id = version.id from attendance.version;
    insert into tuition_payment.pay_order (order_no, card_number, student_name, grade, amount_fen, expires_at, paid_at)
    values ('A00001', '1', 'x', '1', 1, now(), now());
    insert into tuition_payment.ledger (posting, order_id, what, account, gateway, amount_fen)
    select 1, id, 'payment', account, 'abc', fen from tuition_payment.pay_order,
      (values ('gateway', 1), ('surplus', -1)) as line (account, fen);
    insert into platform.account (service, user_name, name_key, password_hash) values ('platform', 'a', 'a', 'x');
    insert into platform.session (account_id, token_hash, address, user_agent, expires_at)
    select id, 'x', '', '', now() + interval '1 hour' from platform.account;
    insert into platform.ticket (ticket_hash, session_id, purpose, expires_at) select 'x', id, 'x', now() from platform.session;
    insert into platform.factor_challenge (session_id, purpose, challenge) select id, 'enrol', 'x' from platform.session;
    insert into platform.audit (service, user_name, action, outcome, records, detail, address)
    select 'platform', '用户' || n, 'updateOperator', 'done', array[n::text], '{"rows": 1.50}', '2001:db8::7'
    from generate_series(1, 100) as n;
    select graphile_worker.add_job('platform-housekeeping', run_at => now() + interval '1 day')`);

export async function upload(db: Db, files: FileStore): Promise<string> {
  const name = `${randomBytes(16).toString("hex")}.png`;
  const bytes = 100_000;
  const content = randomBytes(bytes);
  const arrived = path.join(await makeFolder(), "arrived");
  await writeFile(arrived, content);
  await files.put(name, { path: arrived, bytes, sha256: createHash("sha256").update(content).digest() });
  await db`
    insert into platform.upload (name, service, mime, image, bytes, original_name)
    values (${name}, 'reporting', 'image/png', true, ${bytes}, 'a.png')`;
  return name;
}

/** Returns each table's row count and a hash of its rows. Sessions and what belongs to them are left out, since they are not restored. */
export async function readTables(db: Db): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, columns } of await listTables(db)) {
    if (/session|ticket|challenge/.test(name)) continue;
    const [row] = await db.script<{ content: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(one::text, 0)::numeric), 0) as content
      from (select ${columns.join(", ")} from ${name}) as one`,
    );
    found[name] = row?.content ?? "";
  }
  return found;
}

export const readRules = (db: Db): Promise<object[]> =>
  db.script(`
    select conrelid::regclass::text || ' ' || conname::text || ' ' || pg_get_constraintdef(oid) as rule
    from pg_constraint where connamespace::regnamespace::text !~ '^(pg_|information)' and contype <> 'n'
    union all
    select tgrelid::regclass::text || ' ' || tgname::text || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    union all
    select indexdef from pg_indexes where schemaname !~ '^(pg_|information)'
    order by 1`);
