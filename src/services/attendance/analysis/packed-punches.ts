import { sql } from "#platform/database/index.ts";
import type { Minute, PunchMark, PunchRow } from "#services/attendance/model.ts";

// A month has a million punches, with few different results and addresses. So they come by these, each as 28 bytes of
// PostgreSQL's own binary form, in base64: written as texts, their numbers took PostgreSQL twice the time.

/** Punches of several employees with one mark. */
export interface PackedPunches extends PunchMark {
  readonly packed: string;
}

// Employee, row and day have 4 bytes each, scheduled and punched time 8; infinity stands for no time.
const punchBytes = 28;

/** The punches of a group as `packed`. */
export const packPunches = sql`
  encode(string_agg(int4send(employee) || int4send(punch.row) || date_send(day)
    || timestamp_send(coalesce(scheduled, 'infinity')) || timestamp_send(coalesce(time, 'infinity')), ''), 'base64')`;

/** Hands each punch to the list of its employee, whom the lists must know. */
export function unpackPunches(
  { result, address, packed }: PackedPunches,
  lists: ReadonlyMap<number, PunchRow[]>,
): void {
  const mark: PunchMark = { result, address };
  const bytes = Buffer.from(packed, "base64");
  for (let at = 0; at < bytes.length; at += punchBytes) {
    lists.get(bytes.readInt32BE(at))?.push({
      row: bytes.readInt32BE(at + 4),
      day: bytes.readInt32BE(at + 8) + firstDay,
      scheduled: readMinute(bytes, at + 12),
      time: readMinute(bytes, at + 20),
      mark,
    });
  }
}

// PostgreSQL counts from 2000-01-01, times in microseconds.
const firstDay = 10_957;
const firstMinute = firstDay * 1440;
const minuteMicros = 60_000_000;
const infinityHigh = 0x7f_ff_ff_ff;

function readMinute(bytes: Buffer, at: number): Minute | null {
  const high = bytes.readInt32BE(at);
  if (high === infinityHigh) return null;
  return firstMinute + Math.floor((high * 2 ** 32 + bytes.readUInt32BE(at + 4)) / minuteMicros);
}
