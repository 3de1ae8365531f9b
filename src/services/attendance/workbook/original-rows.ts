import { COPY_NULL } from "#platform/database/copy-text.ts";
import type { CellDecoder } from "#platform/workbooks/raw-row.ts";
import { toCopyText } from "./copy-text.ts";
import { openField, openVariedField } from "./fields.ts";
import type { ColumnKey } from "./headings.ts";
import { nameColumn } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { isNobody, openPersonFields, openSlots } from "./person-fields.ts";
import { isOutside, MARK, NOTHING, OUTSIDE } from "./row-outcome.ts";
import type { MonthKept, Outcome, RowReader } from "./row-outcome.ts";
import { isPlainMinute, readDay, readMinute } from "./times.ts";

// No punches, or none made: these may lack a time.
const MAY_LACK_TIME = /缺卡|未打卡|^(?:请假|出差|外出|加班|打卡无效)/;

/** 原始记录: one COPY line a punch. */
export function openOriginalReader(layout: Layout, kept: MonthKept, decode: CellDecoder): RowReader {
  const slots = openSlots();
  const person = openPersonFields(layout, slots, decode, toCopyText);
  const slot = (key: ColumnKey): number => slots.add(layout.columns.get(key) ?? -1);
  const day = openField(slot("day"), decode, (text) => readDay(text.trim()));
  const readTime = (text: string): string | null => (text.trim() === "" ? "" : readMinute(text.trim()));
  const scheduled = openVariedField(slot("scheduled"), decode, isPlainMinute, readTime);
  const time = openVariedField(slot("time"), decode, isPlainMinute, readTime);
  const resultSlot = slot("result");
  const result = openField(resultSlot, decode, toCopyText);
  const lacksTime = openField(resultSlot, decode, (text) => (MAY_LACK_TIME.test(text.trim()) ? "yes" : ""));
  const address = openField(slot("address"), decode, toCopyText);
  const bad = (key: ColumnKey, reason: "day" | "time" | "no-time"): Outcome => ({
    kind: "bad",
    field: nameColumn(key, "original"),
    reason,
  });
  return {
    columns: slots.columns,
    ruined: person.ruined,
    read(row) {
      const date = day(row);
      const at = time(row);
      if (person.userId(row) === "" && person.judge(row) === "mark") return MARK;
      if (date === null) return isNobody(person.judge(row)) && at === "" ? NOTHING : bad("day", "day");
      if (isOutside(kept, date)) return OUTSIDE;
      const planned = scheduled(row);
      if (planned === null) return bad("scheduled", "time");
      if (at === null) return bad("time", "time");
      if (at === "" && lacksTime(row) !== "yes") return bad("time", "no-time");
      person.note(row);
      const who = `${row.row}\t${person.name(row)}\t${person.userId(row)}\t${person.workNumber(row)}`;
      const line = `${who}\t${date}\t${planned || COPY_NULL}\t${at || COPY_NULL}\t${result(row)}\t${address(row)}\n`;
      return { kind: "line", line };
    },
  };
}
