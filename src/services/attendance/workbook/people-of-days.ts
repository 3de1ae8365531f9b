import type { RawRow } from "#platform/workbooks/raw-row.ts";
import type { Period } from "#services/attendance/days.ts";
import { headingOf, readMinutes, writeMinutes } from "#services/attendance/figures.ts";
import { copiedFields, type MonthRow } from "#services/attendance/model.ts";
import { openPersonFields, type TakenColumns, trimText } from "./fields.ts";
import type { Layout, SlotColumns } from "./layout.ts";
import { listDays, monthRange } from "./times.ts";

// If 月度汇总 is missing, its rows are derived from 每日统计 or 打卡时间 (A1a).

interface Draft extends Omit<MonthRow, "copied" | "days"> {
  readonly sums: Map<string, number>;
  readonly cells: Map<string, string>;
}

const FIGURE = /^-?\d{1,9}(?:\.\d{1,4})?$/;
const NO_FIGURE = /^[-—/]*$/;
const SUM_DECIMALS = 10_000;

export function openPeople(layout: Layout, taken: TakenColumns) {
  const person = openPersonFields(taken, trimText);
  const [group, department] = (["group", "department"] as const).map((key) => taken.of(key, trimText));
  const present = copiedFields.filter((field) => layout.columns.has(field));
  const figures = [
    ...present.map((field) => [field, taken.of(field, readFigure)] as const),
    ...[...layout.extra].map(([heading, column]) => [heading, taken.at(column, readFigure)] as const),
  ];
  const drafts = new Map<string, Draft>();
  // A column's first figure other than 0 decides whether the column has numbers or durations. Figures of the other form
  // cannot be added.
  const writings = new Map<string, "number" | "duration">();
  const unlike = new Set<string>();
  const toAmount = (field: string, figure: string): number => {
    const number = Number(figure);
    const minutes = Number.isNaN(number) ? readMinutes(figure) : null;
    const amount = minutes ?? number;
    if (amount === 0) return 0;
    const writing = minutes === null ? "number" : "duration";
    if (!Number.isNaN(amount) && (writings.get(field) ?? writing) === writing) {
      writings.set(field, writing);
      return amount;
    }
    unlike.add(field);
    return Number.NaN;
  };
  const writeSum = (field: string, sum: number): string => {
    if (Number.isNaN(sum)) return "";
    if (writings.get(field) === "duration" && sum > 0) return writeMinutes(sum);
    return String(Math.round(sum * SUM_DECIMALS) / SUM_DECIMALS);
  };
  return {
    listUnlike: () => [...unlike].map(headingOf),
    see(row: RawRow, cells: readonly (readonly [day: string, cell: string])[]): void {
      if (person.isNobody(row)) return;
      const { name, userId, workNumber } = person.take(row);
      const key = userId === "" ? JSON.stringify([workNumber, name]) : userId;
      let draft = drafts.get(key);
      if (!draft) {
        const belongings = { group: group?.(row) ?? "", department: department?.(row) ?? "" };
        draft = { row: row.row, name, userId, workNumber, ...belongings, sums: new Map(), cells: new Map() };
        drafts.set(key, draft);
      }
      for (const [field, read] of figures) {
        const figure = read(row) ?? "";
        if (figure !== "") draft.sums.set(field, (draft.sums.get(field) ?? 0) + toAmount(field, figure));
      }
      // An employee in two attendance groups has two rows a day, one of which only says 不在考勤组, so the cell with a clock
      // time is kept.
      for (const [day, cell] of cells) if (!/\d/.test(draft.cells.get(day) ?? "")) draft.cells.set(day, cell);
    },
    list: (period: Period): MonthRow[] => {
      const days = listDays(monthRange(period));
      const blank = copiedFields.map((field) => [field, ""] as const);
      return [...drafts.values()].map(({ sums, cells, ...who }) => ({
        ...who,
        copied: Object.fromEntries([
          ...blank,
          ...[...sums].map(([field, sum]) => [field, writeSum(field, sum)]),
        ]) as MonthRow["copied"],
        days: days.map((day) => cells.get(day) ?? ""),
      }));
    },
  };
}

/** Returns "" if there is no figure, and "NaN" for a text that is neither a number nor a duration. */
function readFigure(text: string): string {
  const figure = text.trim();
  if (NO_FIGURE.test(figure)) return "";
  return FIGURE.test(figure) || readMinutes(figure) !== null ? figure : "NaN";
}

export function openDayCell(slots: readonly SlotColumns[], taken: TakenColumns): (row: RawRow) => string {
  const shift = taken.of("shift", trimText);
  const absent = taken.of("absenteeismDay", (text) => (Number(text) >= 1 ? "旷工" : ""));
  const clocks = slots.map((slot) => ({
    ...slot,
    readTime: taken.at(slot.time, readTime),
    readResult: taken.at(slot.result, trimText),
  }));
  return (row) => {
    const used = clocks.flatMap(({ kind, number, ...read }) => {
      const [time, result] = [read.readTime(row) ?? "", read.readResult(row) ?? ""];
      return time === "" && result === "" ? [] : { kind, number, time, result };
    });
    const isNumbered = used.some(({ number }) => number > 1);
    const events = new Set(
      used.flatMap(({ kind, number, result }) => nameEvent(isNumbered ? `${kind}${number}` : kind, result)),
    );
    const isThere = used.some(({ time }) => time !== "");
    const rest = /^(?:休息|节假日|不在考勤组|未排班)/.exec(shift(row) ?? "")?.[0];
    const usual = rest === undefined ? (used.length > 0 ? "正常" : "") : isThere ? `${rest}并打卡` : rest;
    const said = absent(row) || [...events].join(",") || usual;
    return said && `${said}\n(${isThere ? used.map(({ time }) => time || "-").join(",") : "-"})`;
  };
}

const readTime = (text: string): string => /\d{1,2}:\d{2}/.exec(text)?.[0].padStart(5, "0") ?? "";

// As in the day cells of 月度汇总, only these results follow the name of the slot, as in 上班1缺卡.
function nameEvent(word: string, result: string): string[] {
  if (result === "" || result === "正常") return [];
  return /^(?:缺卡|(?:严重|旷工)?迟到|早退)/.test(result) ? [`${word}${result}`] : [result];
}
