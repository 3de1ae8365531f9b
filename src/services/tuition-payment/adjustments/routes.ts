import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { parseDateTime } from "#platform/contract/times.ts";
import type { Db, Within } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { toFen } from "#services/tuition-payment/amounts.ts";
import { lockPayable } from "#services/tuition-payment/payable-store.ts";
import { adjustmentSheet, exportSheet } from "#services/tuition-payment/workbooks.ts";
import { adjust, undo } from "./adjusting.ts";
import { findAdjustment, insertAdjustment, isOver, listAdjustments, streamAdjustments } from "./adjustment-store.ts";
import type { AdjustmentFilter, adjustmentEndpoints } from "./contract.ts";
import { nothingDue } from "./choice.ts";
import { toAdjustment } from "./wire.ts";

type Wish = z.output<(typeof adjustmentEndpoints)["adjustPayable"]["body"]>;

export function adjustmentHandlers(platform: Platform): Handlers<typeof adjustmentEndpoints> {
  const { pool, settings } = platform;
  const zone = settings.TIME_ZONE;
  return {
    adjustPayable: withoutTransaction(async ({ params, body, caller, transact, audit, within }) => {
      const id = await transact(async (tx) => {
        const made = await make(tx, params.id, body, { by: caller.userName, within, zone });
        audit.records = [params.id];
        audit.detail = { adjustment: made, kind: body.kind };
        return String(made);
      });
      return toAdjustment(found(await findAdjustment(pool, Number(id), within)), zone);
    }),

    undoAdjustment: async ({ db, params: { id }, body: { reason }, caller, audit, within }) => {
      const { payableId } = found(await findAdjustment(db, id, within));
      await lockPayable(db, payableId, within);
      if ((await undo(db, payableId, [id], { by: caller.userName, reason })) === 0)
        throw explain("notAllowedNow", "该调整已撤销", "the adjustment has already been undone");
      audit.records = [payableId];
      audit.detail = { adjustment: id };
      return "1";
    },

    listAdjustments: async ({ db, query, within }) => {
      const chosen = { ...toChosen(query, zone), within };
      const { rows, totalCount } = await listAdjustments(db, chosen, toListOrder(query, "id"));
      const list = rows.map((row) => toAdjustment(row, zone));
      return toPage(list, totalCount, query);
    },

    exportAdjustments: async (call) =>
      exportSheet(platform, call, adjustmentSheet, () =>
        streamAdjustments(pool, { ...toChosen(call.query, zone), within: call.within }),
      ),
  };
}

async function make(
  tx: Db,
  payableId: number,
  { kind, items, until, evidence, reason = "" }: Wish,
  { by, within, zone }: { by: string; within: Within; zone: string },
): Promise<number> {
  if ((kind === "deferral") !== (until !== undefined))
    throw explain(
      "badFormat",
      "until: 延期时必须填写，其他调整不能填写",
      "until: is required for a deferral and not allowed otherwise",
    );
  if (kind === "deferral" && items)
    throw explain("badFormat", "items: 延期时不能填写", "items: is not allowed for a deferral");
  const payable = found(await lockPayable(tx, payableId, within));
  const made = { payableId, kind, evidence: evidence.trim(), reason: reason.trim(), by };
  if (until === undefined)
    return adjust(
      tx,
      made,
      items?.map(({ name, amount }) => ({ name, amountFen: amount === undefined ? undefined : toFen(amount) })),
    );
  if (await isOver(tx, until, zone))
    throw explain("badFormat", "until: 不能早于今天", "until: must not be before today");
  if (payable.paidBy !== null) throw nothingDue();
  return insertAdjustment(tx, { ...made, items: [], until });
}

const toChosen = ({ startTime, endTime, ...filter }: AdjustmentFilter, zone: string) => ({
  ...filter,
  from: startTime === undefined ? undefined : parseDateTime(startTime, zone),
  to: endTime === undefined ? undefined : parseDateTime(endTime, zone),
});
