import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { longLimits, setLimits } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { orderEndpoints } from "./contract.ts";
import type { Desk } from "./desk.ts";
import { type Comparison, handleDifference, listDifferences } from "./reconcile-store.ts";
import { compareRows, fetchRows } from "./reconciling.ts";
import { toReconciliationRow } from "./wire.ts";

type Endpoints = Pick<typeof orderEndpoints, "runReconciliation" | "listReconciliation" | "handleReconciliation">;

/** The handlers of the comparison with what the gateways say. */
export const reconciliationHandlers = (desk: Desk): Handlers<Endpoints> => ({
  runReconciliation: { withoutTransaction: (call) => runReconciliation(desk, call) },

  listReconciliation: async ({ db, query }) => {
    const filter = { ...query, orderNo: query.orderNo || undefined };
    const { rows, totalCount } = await listDifferences(db, filter, toListOrder(query, "id"));
    return toPage(rows.map(toReconciliationRow), totalCount, query);
  },

  handleReconciliation: async ({ db, params: { id }, body: { note }, audit }) => {
    const outcome = await handleDifference(db, id, note);
    if (outcome === "gone") throw new Problem("notFound");
    if (outcome === "handled") throw explain("notAllowedNow", "该差异已处理", "somebody has decided about it before");
    audit.records = [id];
    return "1";
  },
});

async function runReconciliation(
  desk: Desk,
  { body: { gateway, date }, transact, audit }: Call<Endpoints["runReconciliation"]>,
) {
  const rows = await fetchRows(desk, gateway, date);
  let found: Comparison = { matched: 0, long: 0, short: 0, mismatch: 0 };
  await transact(async (tx) => {
    await setLimits(tx, longLimits, "transaction");
    found = await compareRows(tx, gateway, date, rows);
    audit.detail = { gateway, date, ...found };
    return "1";
  });
  return { date, gateway, ...found };
}
