import assert from "node:assert/strict";
import { checkChain, sealLines } from "#platform/accounts/chain/index.ts";
import { readAuditKeys } from "#platform/contract/audit-keys.ts";
import type { Pool } from "#platform/database/index.ts";

// Sealed lines of the audit log, which are found whole wherever the database goes.

const keys = readAuditKeys("a key of the audit log for the tests alone");
const lines = 1500;
const changed = 777;

export async function writeAuditLog(pool: Pool): Promise<void> {
  await pool`
    insert into platform.audit (service, user_name, action, outcome, records, detail, address)
    select 'platform', '用户' || n, 'updateOperator', 'done', array[n::text], '{"rows": 1.50}', '2001:db8::7'
    from generate_series(1, ${lines}) as n`;
  await sealLines(pool, keys[0]);
}

/** The lines are what was sealed, and one that is changed by hand is named. */
export async function assertAuditLog(pool: Pool): Promise<void> {
  const whole = await checkChain(pool, keys);
  assert.deepEqual([whole.lines, whole.young, whole.withoutKey, whole.told], [lines, 0, 0, []]);
  await pool.script(`
    alter table platform.audit disable trigger user;
    update platform.audit set address = '2001:db8::8' where id = ${changed};
    alter table platform.audit enable trigger user;
    alter table platform.audit enable always trigger audit_stays`);
  const { faults, told } = await checkChain(pool, keys);
  assert.equal(faults, 1);
  assert.match(told[0] ?? "", new RegExp(`line ${changed} .*is not what was sealed`));
}
