import { COPY_NULL } from "#platform/database/copy-text.ts";
import type { CellDecoder, RawRow } from "#platform/workbooks/raw-row.ts";
import { copiedFields, heldFields, type MonthRow } from "#services/attendance/model.ts";
import {
  isOutside,
  MARK,
  type MonthKept,
  NOTHING,
  openColumns,
  openPersonFields,
  type Outcome,
  OUTSIDE,
  type RowReader,
  type TakenColumns,
  toCopyText,
  toCopyValue,
  trimText,
} from "./fields.ts";
import { openClockReader } from "./clock-times.ts";
import { type ColumnKey, normalize } from "./headings.ts";
import { findDayColumns, type Layout, nameColumn, type SlotColumns } from "./layout.ts";
import { openDayCell, openPeople } from "./people-of-days.ts";
import { isPlainMinute, placeClock, readClock, readDay, readMinute } from "./times.ts";

// A row with such a result may lack the time.
const MAY_LACK_TIME = /缺卡|未打卡|^(?:请假|出差|外出|加班|打卡无效)/;

function openOriginalReader(layout: Layout, kept: MonthKept, decode: CellDecoder): RowReader {
  const taken = openColumns(layout, decode);
  const person = openPersonFields(taken, toCopyText);
  const day = taken.of("day", (text) => readDay(text.trim()));
  const readTime = (text: string): string | null => (text.trim() === "" ? "" : readMinute(text.trim()));
  const scheduled = taken.of("scheduled", readTime, isPlainMinute);
  const time = taken.of("time", readTime, isPlainMinute);
  const result = taken.of("result", toCopyText);
  const lacksTime = taken.of("result", (text) => (MAY_LACK_TIME.test(text.trim()) ? "yes" : ""));
  const address = taken.of("address", toCopyText);
  const group = taken.of("group", toCopyText);
  const bad = (key: ColumnKey, reason: "day" | "time" | "no-time"): Outcome => {
    return { kind: "bad", field: nameColumn(key, "original"), reason };
  };
  return {
    columns: taken.columns,
    ruined: person.ruined,
    read(row) {
      const date = day(row);
      const at = time(row);
      if (person.isMark(row)) return MARK;
      if (date === null) return person.isNobody(row) && at === "" ? NOTHING : bad("day", "day");
      if (isOutside(kept, date)) return OUTSIDE;
      const planned = scheduled(row);
      if (planned === null) return bad("scheduled", "time");
      if (at === null) return bad("time", "time");
      if (at === "" && lacksTime(row) !== "yes") return bad("time", "no-time");
      const { name, userId, workNumber } = person.take(row);
      const line = `${row.row}\t${name}\t${userId}\t${workNumber}\t${date}\t${planned || COPY_NULL}\t${at || COPY_NULL}`;
      return { kind: "line", line: `${line}\t${result(row)}\t${address(row)}\t${group(row)}\n` };
    },
  };
}

// Exports of 2021 and 2022 have a row of totals for each person.
const TOTALS = /^(?:总计|合计)$/;

function openDailyReader(layout: Layout, kept: MonthKept, decode: CellDecoder, standsIn: boolean): RowReader {
  const taken = openColumns(layout, decode);
  const person = openPersonFields(taken, toCopyText);
  const day = taken.of("day", (text) => (TOTALS.test(text.trim()) ? "" : readDay(text.trim())));
  const shift = taken.of("shift", toCopyText);
  const group = taken.of("group", toCopyText);
  const absent = taken.of("absenteeismDay", (text) => (Number(text) >= 1 ? "t" : "f"));
  const counted = openCounted(taken, layout);
  const clocks = layout.slots
    .toSorted(
      (left, right) => left.number - right.number || slotKinds.indexOf(left.kind) - slotKinds.indexOf(right.kind),
    )
    .map((slot) => openClock(slot, taken));
  const people = standsIn ? openPeople(layout, taken) : undefined;
  const dayCell = standsIn ? openDayCell(layout.slots, taken) : undefined;
  return {
    columns: taken.columns,
    ruined: person.ruined,
    ...(people && { listPeople: people.list, listUnlike: people.listUnlike }),
    read(row) {
      const date = day(row);
      if (date === "") return NOTHING;
      if (person.isMark(row)) return MARK;
      if (date === null)
        return person.isNobody(row) ? NOTHING : { kind: "bad", field: nameColumn("day", "daily"), reason: "day" };
      if (isOutside(kept, date)) return OUTSIDE;
      let found = "";
      for (const clock of clocks) {
        const slot = clock.read(row, date);
        if (slot === null) return { kind: "bad", field: clock.heading, reason: "time" };
        if (slot !== "") found += found === "" ? slot : `,${slot}`;
      }
      const { name, userId, workNumber } = person.take(row);
      const line = `${row.row}\t${name}\t${userId}\t${workNumber}\t${date}\t${shift(row)}\t[${found}]\t${absent(row)}\t${counted(row)}\t${group(row)}\n`;
      people?.see(row, [[date, dayCell?.(row) ?? ""]]);
      return { kind: "line", line };
    },
  };
}

const COUNT = /^\d{1,3}(?:\.\d{1,2})?$/;

/** Writes the counts as in `DailyRow.counted` (A12b). A blank counts as 0; other text counts as a missing column. */
function openCounted(taken: TakenColumns, { columns }: Layout): (row: RawRow) => string {
  if (!heldFields.some((field) => columns.has(field))) return () => COPY_NULL;
  const readCount = (text: string): string => (COUNT.test(text.trim() || "0") ? String(Number(text)) : "-");
  const fields = heldFields.map((field) => (columns.has(field) ? taken.of(field, readCount) : () => "-"));
  const [days = () => "-", clockIns = days, clockOuts = days] = fields;
  return (row) => `${days(row)} ${clockIns(row)} ${clockOuts(row)}`;
}

const toJson = (value: string): string => toCopyValue(JSON.stringify(value));

// The JSON text is assembled directly, since creating an object per clock time took 10 % of the time of reading the
// sheet.
function openClock({ kind, number, time, result }: SlotColumns, taken: TakenColumns) {
  const readTime = taken.at(time, (text) => (noTimes.has(text.trim()) ? text.trim() : readClock(text.trim())));
  const readResult = taken.at(result, (text) => toJson(text.trim()));
  const [start, noResult] = [`{"kind":${toJson(kind)},"number":${number},"time":`, toJson("")];
  return {
    heading: `${kind}${number}打卡时间`,
    /** Returns a `DailySlot` as JSON for COPY, "" if both cells are empty, or null if the time is invalid. */
    read(row: RawRow, day: string): string | null {
      const [clock, result] = [readTime(row), readResult(row) ?? noResult];
      if (clock === null) return null;
      if (clock === "" && result === noResult) return "";
      const at = noTimes.has(clock) ? "null" : `"${placeClock(clock, day)}"`;
      return `${start}${at},"result":${result}}`;
    },
  };
}

const noTimes: ReadonlySet<string> = new Set(["", "-"]);
const slotKinds = ["上班", "下班"];

function openMonthReader(layout: Layout, kept: MonthKept, decode: CellDecoder): RowReader {
  const taken = openColumns(layout, decode);
  const person = openPersonFields(taken, trimText);
  const group = taken.of("group", trimText);
  const department = taken.of("department", trimText);
  // Figures are stored as the export writes them, except that 5.0 becomes 5.
  const readFigure = (text: string): string => text.trim().replace(/^(-?\d+)\.0+$/, "$1");
  const readExtra = (text: string): string => (NOT_MORE.test(text.trim()) ? "" : readFigure(text));
  const dayColumns = findDayColumns(layout, { month: kept.month ?? "", periodStart: kept.periodStart });
  const extra = [...layout.extra].filter(([, column]) => !dayColumns.all.has(column));
  const figures = [
    ...copiedFields.map((key) => [key, taken.of(key, readFigure)] as const),
    ...extra.map(([heading, column]) => [heading, taken.at(column, readExtra)] as const),
  ];
  // Blank lines are kept, since each represents a slot that is excused by leave.
  const readDayCell = (text: string): string => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);
  const days = dayColumns.columns.map((column) => taken.at(column, readDayCell));
  const left = openLeftColumns(layout, dayColumns.all, taken);
  return {
    columns: taken.columns,
    ruined: person.ruined,
    listLeft: left.list,
    read(row) {
      const what = person.judge(row);
      if (what !== "person") return what === "mark" ? MARK : NOTHING;
      left.see(row);
      const copied = Object.fromEntries(figures.map(([key, read]) => [key, read(row) ?? ""]));
      return {
        kind: "row",
        row: {
          ...person.take(row),
          group: group(row) ?? "",
          department: department(row) ?? "",
          copied: copied as MonthRow["copied"],
          days: days.map((read) => read(row) ?? ""),
        },
      };
    },
  };
}

// Columns that describe a person are not reported as ignored.
const OF_PEOPLE = /^(?:职位|职务|岗位|序号|编号|手机号?|手机号码|入职日期|离职日期)$/;
const NOT_MORE = /^(?:[-—/]*|0+(?:\.0+)?(?:天|小时|分钟|次)?|0小时0分钟)$/;

function openLeftColumns(layout: Layout, dayColumns: ReadonlySet<number>, columns: TakenColumns) {
  const slots = layout.slots.flatMap(({ time, result }) => [time, result]);
  const taken = new Set([...layout.columns.values(), ...layout.extra.values(), ...dayColumns, ...slots]);
  const found: string[] = [];
  const isOpen = (column: number, heading: string): boolean =>
    !taken.has(column) && !OF_PEOPLE.test(normalize(heading)) && !layout.repeated.includes(heading);
  const readMore = (text: string): string => (NOT_MORE.test(text.trim()) ? "" : "more");
  let open = [...layout.headings].flatMap(([column, heading]) =>
    isOpen(column, heading) ? { heading, read: columns.at(column, readMore) } : [],
  );
  return {
    see(row: RawRow): void {
      const filled = open.filter(({ read }) => read(row) === "more");
      if (filled.length === 0) return;
      found.push(...filled.map(({ heading }) => heading));
      open = open.filter((column) => !filled.includes(column));
    },
    list: () => found,
  };
}

function openIdentityReader(layout: Layout, _kept: MonthKept, decode: CellDecoder): RowReader {
  const taken = openColumns(layout, decode);
  const person = openPersonFields(taken, trimText);
  const idCard = taken.of("idCard", (text) =>
    text.length > MOST_CARD_CHARS ? text.trim() : text.normalize("NFKC").replace(/[\s']/g, "").toUpperCase(),
  );
  return {
    columns: taken.columns,
    ruined: person.ruined,
    read(row) {
      const what = person.judge(row);
      if (what === "mark" || what === "nobody") return what === "mark" ? MARK : NOTHING;
      return { kind: "row", row: { ...person.take(row), idCard: idCard(row) ?? "" } };
    },
  };
}

// Identity cards, even with spaces, are shorter than this; a longer text is not normalised.
const MOST_CARD_CHARS = 64;

export const ROW_READERS = {
  month: openMonthReader,
  daily: openDailyReader,
  original: openOriginalReader,
  identity: openIdentityReader,
  "clock-times": openClockReader,
} as const;
