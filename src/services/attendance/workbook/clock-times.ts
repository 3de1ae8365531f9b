import { COPY_NULL } from "#platform/database/copy-text.ts";
import type { CellDecoder } from "#platform/workbooks/raw-row.ts";
import type { DailySlot } from "#services/attendance/model.ts";
import {
  MARK,
  type MonthKept,
  NOTHING,
  openColumns,
  openPersonFields,
  type RowReader,
  toCopyText,
  toCopyValue,
} from "./fields.ts";
import { findDayColumns, type Layout } from "./layout.ts";
import { openPeople } from "./people-of-days.ts";
import { listDays, monthRange, placeClock, readClock } from "./times.ts";

export function openClockReader(layout: Layout, kept: MonthKept, decode: CellDecoder): RowReader {
  const period = { month: kept.month ?? "", periodStart: kept.periodStart };
  const taken = openColumns(layout, decode);
  const person = openPersonFields(taken, toCopyText);
  const group = taken.of("group", toCopyText);
  const people = openPeople(layout, taken);
  const { columns } = findDayColumns(layout, period);
  const days = listDays(monthRange(period)).map((day, index) => ({
    day,
    heading: layout.dayLabels.find(({ column }) => column === columns[index])?.label ?? day,
    read: taken.at(columns[index] ?? -1, readCell),
  }));
  return {
    columns: taken.columns,
    ruined: person.ruined,
    listPeople: people.list,
    read(row) {
      const what = person.judge(row);
      if (what !== "person") return what === "mark" ? MARK : NOTHING;
      const { name, userId, workNumber } = person.take(row);
      const [lines, cells]: [string[], [string, string][]] = [[], []];
      for (const { day, heading, read } of days) {
        const times = read(row);
        if (times === null) return { kind: "bad", field: heading, reason: "time" };
        if (times === "") continue;
        const slots = toCopyValue(JSON.stringify(toSlots(day, times.split(" "))));
        lines.push(
          `${row.row}\t${name}\t${userId}\t${workNumber}\t${day}\t\t${slots}\tf\t${COPY_NULL}\t${group(row)}\n`,
        );
        cells.push([day, `(${times.replaceAll(" ", ",")})`]);
      }
      people.see(row, cells);
      return { kind: "line", line: lines.join(""), count: lines.length };
    },
  };
}

const OFF_SITE = "外勤";
const CLOCK = new RegExp(String.raw`(\d{1,2}:\d{2})(?::\d{2})?\s*(${OFF_SITE})?`, "g");
const BETWEEN = /^[\s,，;；、-]*$/;

function readCell(text: string): string | null {
  const times = [...text.matchAll(CLOCK)].map(([, clock = "", mark = ""]) => ({ clock: readClock(clock), mark }));
  if (!BETWEEN.test(text.replace(CLOCK, "")) || times.some(({ clock }) => clock === null)) return null;
  return times.map(({ clock, mark }) => `${clock}${mark}`).join(" ");
}

/**
 * The first time is the punch in and the last is the punch out; times between them are ignored. A time that is earlier
 * than the first is on the next day.
 */
function toSlots(day: string, times: readonly string[]): DailySlot[] {
  const [first = "", last = first] = [times[0], times.at(-1)];
  const toSlot = (kind: DailySlot["kind"], time: string): DailySlot => {
    const clock = time.slice(0, "00:00".length);
    const isNextDay = clock < first.slice(0, clock.length);
    const result = time.endsWith(OFF_SITE) ? OFF_SITE : "";
    return { kind, number: 1, time: placeClock(isNextDay ? `>${clock}` : clock, day), result };
  };
  return [toSlot("上班", first), ...(times.length > 1 ? [toSlot("下班", last)] : [])];
}
