import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import type { adjustment, ownAdjustment } from "#services/tuition-payment/adjustment-contract.ts";
import { itemsOf, toYuan } from "#services/tuition-payment/amounts.ts";
import type { StoredAdjustment } from "#services/tuition-payment/due-store.ts";
import { sumFen } from "#services/tuition-payment/orders/rules.ts";

export function toOwnAdjustment(row: StoredAdjustment, zone: string): z.input<typeof ownAdjustment> {
  const { id, kind, until, madeAt } = row;
  const items = itemsOf(row);
  return {
    id,
    kind,
    amount: kind === "deferral" ? null : toYuan(sumFen(items)),
    items: items.map(({ name, amountFen }) => ({ name, amount: toYuan(amountFen) })),
    until,
    time: formatDateTime(new Date(madeAt), zone),
  };
}

export function toAdjustment(row: StoredAdjustment, zone: string): z.input<typeof adjustment> {
  const { payableId, evidence, reason, by, undoneAt, undoneBy, undoReason } = row;
  return {
    ...toOwnAdjustment(row, zone),
    payableId,
    evidence,
    reason,
    by,
    undone: undoneAt !== null,
    undoneBy,
    undoReason,
    undoTime: undoneAt && formatDateTime(new Date(undoneAt), zone),
  };
}
