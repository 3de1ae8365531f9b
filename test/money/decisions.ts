import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { call, type Ground, pick } from "./ground.ts";

const decisions = ["waiver", "cash", "true", "false", "undo"] as const;

export async function decide(ground: Ground, payableId: number): Promise<void> {
  const { random } = ground;
  const made: number[] = [];
  for (let each = 0; each < 4; each++) {
    const token = { admin_token: random() < 0.5 ? ground.token : ground.second };
    const what = pick(random, decisions);
    await delay(random() * 1500);
    if (what === "true" || what === "false") await call(ground, "PUT", `/payableinfo/pay/${payableId}/${what}`, token);
    else if (what === "undo") {
      const id = made.pop();
      const body = { reason: "有误" };
      if (id !== undefined)
        await Promise.all([1, 2].map(() => call(ground, "PUT", `/payableinfo/adjust/${id}/undo`, token, body)));
    } else {
      const items = random() < 0.5 ? { items: [{ name: "住宿费", amount: 100.01 }] } : {};
      const body = { kind: what, evidence: "凭证 2", ...items };
      const said = await Promise.all(
        [1, 2].map(() => call(ground, "POST", `/payableinfo/adjust/${payableId}`, token, body)),
      );
      made.push(...said.flatMap(({ code, data }) => (code === "0" ? [Number(data.id)] : [])));
    }
  }
}

/**
 * Retries failed refunds or settles them by hand. Each decision is sent twice concurrently, and exactly one of the two
 * calls must succeed. Returns the number of refunds.
 */
export async function endFailed(ground: Ground): Promise<number> {
  const token = { admin_token: ground.token };
  const target = "/desk/list?kind=refundFailed&handled=false&pageSize=1000";
  const { list } = (await call(ground, "GET", target, token)).data as { list: { id: string; orderNo: string }[] };
  for (const { id, orderNo } of list) {
    const action = ground.random() < 0.5 ? "outside" : "again";
    ground.refusing.delete(orderNo);
    const body = { evidence: "凭证 1" };
    const said = await Promise.all([1, 2].map(() => call(ground, "POST", `/desk/${id}/${action}`, token, body)));
    assert.deepEqual(said.map(({ code }) => code).toSorted(), ["0", "10007"], `${action} of ${orderNo}`);
  }
  return list.length;
}

interface Waiting {
  readonly id: string;
  readonly orderNo: string;
}

async function listWaiting(ground: Ground, kind: string): Promise<readonly Waiting[]> {
  const target = `/desk/list?kind=${kind}&handled=false&pageSize=1000`;
  return (await call(ground, "GET", target, { admin_token: ground.token })).data.list;
}

async function endOne(ground: Ground, { id, orderNo }: Waiting, actors: readonly (readonly [string, string])[]) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const said = await Promise.all(
      actors.map(([token, action]) => call(ground, "POST", `/desk/${id}/${action}`, { admin_token: token })),
    );
    const done = said.filter(({ code }) => code === "0").length;
    assert.ok(done <= 1, `${orderNo} is decided twice`);
    if (done === 1) return;
    await delay(250);
  }
  assert.fail(`nobody could decide about ${orderNo}`);
}

/**
 * Decides about money that arrived after its order had been decided: one person settles or refunds it while another
 * person refunds it, and only one of them succeeds. Returns the number of payments.
 */
export async function endLate(ground: Ground): Promise<number> {
  const rows = await listWaiting(ground, "late");
  for (const row of rows) {
    const first = ground.random() < 0.5 ? "settle" : "refund";
    await endOne(ground, row, [
      [ground.token, first],
      [ground.second, "refund"],
    ]);
  }
  return rows.length;
}

/**
 * The person who requested a refund must not approve it as well. Another person's approval is sent twice concurrently,
 * and only one of the two calls succeeds.
 */
export async function endAsked(ground: Ground): Promise<void> {
  for (const row of await listWaiting(ground, "refundAsked")) {
    const [refund] = await ground.database.pool<{ by: string }[]>`
      select asked_by as by from tuition_payment.refund where id = ${Number(row.id.slice(1))}`;
    const [asker, other] = refund?.by === "operator" ? [ground.token, ground.second] : [ground.second, ground.token];
    const refused = await call(ground, "POST", `/desk/${row.id}/refund`, { admin_token: asker });
    assert.equal(refused.code, "10008", `${row.orderNo} is approved by whoever asked for it`);
    await endOne(ground, row, [
      [other, "refund"],
      [other, "refund"],
    ]);
  }
}
