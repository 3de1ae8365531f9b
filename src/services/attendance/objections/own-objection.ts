import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import { numberOf } from "#services/attendance/days.ts";
import type { ownObjection } from "./contract.ts";
import type { ObjectionRow } from "./store.ts";

export const toOwnObjection = (row: ObjectionRow, zone: string): z.input<typeof ownObjection> => ({
  id: row.id,
  month: row.month,
  groupOfCheck: row.group,
  day: numberOf(row.day),
  kind: row.kind,
  text: row.text,
  files: [...row.files],
  punches: row.punches.map(({ slot, time }) => ({ slot, time })),
  state: row.state,
  makeTime: formatDateTime(row.madeAt, zone),
  judgeTime: row.judgedAt && formatDateTime(row.judgedAt, zone),
  note: row.note,
  correction: row.correction,
});
