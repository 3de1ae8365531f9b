import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Pool, sql } from "#platform/database/index.ts";

// An order that was paid with a wrong amount is polled until a person decides, so it does not count as delayed work.
const isOpen = sql`due_at is not null and not (status = 'paying' and received_at is not null)`;

/**
 * Makes delayed work due immediately, except for orders that can still be paid and refunds in progress, and waits until
 * only decisions by people remain.
 */
export async function untilQuiet(pool: Pool): Promise<void> {
  for (let round = 0; round < 1200; round++) {
    const [open] = await pool<{ count: number }[]>`
      select count(*)::int as count from tuition_payment.pay_order where ${isOpen}`;
    if (open?.count === 0) return;
    await pool`
      update tuition_payment.pay_order set due_at = now()
      where due_at > now() and not (status in ('created', 'paying') and expires_at > now())
        and not exists (select from tuition_payment.refund where order_id = pay_order.id and leased_until > now())`;
    await delay(250);
  }
  const rest = await pool`
    select order_no, status, gateway, asked, due_at, now() from tuition_payment.pay_order where ${isOpen}`;
  assert.fail(`not quiet: ${JSON.stringify(rest)}`);
}
