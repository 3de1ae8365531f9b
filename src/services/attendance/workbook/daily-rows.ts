import type { CellDecoder, RawRow } from "#platform/workbooks/raw-row.ts";
import { toCopyText, toCopyValue } from "./copy-text.ts";
import { openField } from "./fields.ts";
import { nameColumn } from "./layout.ts";
import type { Layout, SlotColumns } from "./layout.ts";
import { isNobody, openPersonFields, openSlots } from "./person-fields.ts";
import type { Slots } from "./person-fields.ts";
import { isOutside, MARK, NOTHING, OUTSIDE } from "./row-outcome.ts";
import type { MonthKept, RowReader } from "./row-outcome.ts";
import { placeClock, readClock, readDay } from "./times.ts";

// A row of totals for each person, in exports of 2021 and 2022.
const TOTALS = /^(?:总计|合计)$/;

/** 每日统计: one COPY line a day of an employee. */
export function openDailyReader(layout: Layout, kept: MonthKept, decode: CellDecoder): RowReader {
  const slots = openSlots();
  const person = openPersonFields(layout, slots, decode, toCopyText);
  const day = openField(slots.add(layout.columns.get("day") ?? -1), decode, (text) =>
    TOTALS.test(text.trim()) ? "" : readDay(text.trim()),
  );
  const shift = openField(slots.add(layout.columns.get("shift") ?? -1), decode, toCopyText);
  const absent = openField(slots.add(layout.columns.get("absenteeismDay") ?? -1), decode, (text) =>
    Number(text) >= 1 ? "t" : "f",
  );
  const clocks = layout.slots.toSorted(compareSlots).map((slot) => openClock(slot, slots, decode));
  return {
    columns: slots.columns,
    ruined: person.ruined,
    read(row) {
      const date = day(row);
      if (date === "") return NOTHING;
      if (person.userId(row) === "" && person.judge(row) === "mark") return MARK;
      if (date === null)
        return isNobody(person.judge(row))
          ? NOTHING
          : { kind: "bad", field: nameColumn("day", "daily"), reason: "day" };
      if (isOutside(kept, date)) return OUTSIDE;
      let found = "";
      for (const clock of clocks) {
        const slot = clock.read(row, date);
        if (slot === null) return { kind: "bad", field: clock.heading, reason: "time" };
        if (slot !== "") found += found === "" ? slot : `,${slot}`;
      }
      person.note(row);
      const who = `${row.row}\t${person.name(row)}\t${person.userId(row)}\t${person.workNumber(row)}`;
      return { kind: "line", line: `${who}\t${date}\t${shift(row)}\t[${found}]\t${absent(row)}\n` };
    },
  };
}

interface Clock {
  readonly heading: string;
  /** A `DailySlot` as JSON in a line of COPY; "" where both cells are empty, null where the time is none. */
  read(row: RawRow, day: string): string | null;
}

const toJson = (value: string): string => toCopyValue(JSON.stringify(value));

// Put together of texts that are ready: as an object for each clock, these were a tenth of the time of a sheet.
function openClock({ kind, number, time, result }: SlotColumns, slots: Slots, decode: CellDecoder): Clock {
  const readTime = openField(slots.add(time), decode, (text) =>
    noTimes.has(text.trim()) ? text.trim() : readClock(text.trim()),
  );
  const readResult = openField(slots.add(result), decode, (text) => toJson(text.trim()));
  const [start, noResult] = [`{"kind":${toJson(kind)},"number":${number},"time":`, toJson("")];
  return {
    heading: `${kind}${number}打卡时间`,
    read(row, day) {
      const [clock, result] = [readTime(row), readResult(row) ?? noResult];
      if (clock === null) return null;
      if (clock === "" && result === noResult) return "";
      const at = noTimes.has(clock) ? "null" : `"${placeClock(clock, day)}"`;
      return `${start}${at},"result":${result}}`;
    },
  };
}

const noTimes: ReadonlySet<string> = new Set(["", "-"]);

function compareSlots(left: SlotColumns, right: SlotColumns): number {
  return left.number - right.number || (left.kind === right.kind ? 0 : left.kind === "上班" ? -1 : 1);
}
