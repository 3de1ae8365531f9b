import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { analyseMonth, joinPeople } from "#services/attendance/analysis/analysis.ts";
import { composeEmployee } from "#services/attendance/compose.ts";
import { addUp } from "#services/attendance/analysis/explain.ts";
import { readDay } from "#services/attendance/local-times.ts";
import {
  type DailyRow,
  type DailySlot,
  type Minute,
  type MonthRow,
  type Person,
  type PunchRow,
  standardSettings,
} from "#services/attendance/model.ts";
import { basis } from "#test/attendance/employee-month.ts";
import { madeFields } from "#test/attendance/fictitious-department.ts";
import { type Generation, makeMonth, writeBook } from "#test/attendance/workbooks.ts";
import { readWorkbook } from "#services/attendance/workbook/index.ts";

const month = "2026-05";

/** A workbook as the readers see it, COPY lines as rows. */
async function readSheets(file: string) {
  const found: { summaries: MonthRow[]; daily: (Person & DailyRow)[]; punches: (Person & PunchRow)[] } = {
    summaries: [],
    daily: [],
    punches: [],
  };
  for await (const part of readWorkbook({ path: file, sheets: ["month", "daily", "original"] })) {
    assert.notEqual(part.kind, "bad-row");
    if (part.kind === "rows" && part.sheet === "month") found.summaries.push(...part.rows);
    if (part.kind !== "copy") continue;
    for (const line of Buffer.from(part.text).toString().trimEnd().split("\n")) {
      if (part.sheet === "daily") found.daily.push(toDaily(line.split("\t")));
      else found.punches.push(toPunch(line.split("\t")));
    }
  }
  return found;
}

type Values = readonly string[];
const toPerson = ([row, name = "", userId = "", workNumber = "", day = ""]: Values) => ({
  row: Number(row),
  name,
  userId,
  workNumber,
  day: readDay(day),
});
const toMinute = (value = ""): Minute | null =>
  value === String.raw`\N` ? null : Date.parse(`${value.replace(" ", "T")}Z`) / 60_000;
const toDaily = (values: Values): Person & DailyRow => ({
  ...toPerson(values),
  shift: values[5] ?? "",
  slots: JSON.parse(values[6] ?? "") as DailySlot[],
  isAbsent: values[7] === "t",
});
const toPunch = (values: Values): Person & PunchRow => ({
  ...toPerson(values),
  scheduled: toMinute(values[5]),
  time: toMinute(values[6]),
  mark: { result: values[7] ?? "", address: values[8] ?? "" },
});

async function analyseBook(folder: string, generation: Generation) {
  const file = path.join(folder, `${generation}.xlsx`);
  const made = makeMonth({ month, people: 60, seed: 11, generation });
  await writeBook(file, [made.monthSheet, made.dailySheet, made.originalSheet]);
  const { summaries, daily, punches } = await readSheets(file);
  const employees = summaries.map((summary) => ({ ...summary, employee: summary.row }));
  const group = <Row extends Person>(rows: Row[]) => {
    const found = joinPeople(employees, rows);
    return Map.groupBy(rows.entries(), ([index]) => found[index]?.employee);
  };
  const [dailyOf, punchesOf] = [group(daily), group(punches)];
  return employees.map((who) =>
    analyseMonth(
      {
        basis,
        summary: composeEmployee(who, [{ ...who, importId: 1 }], basis),
        daily: (dailyOf.get(who.employee) ?? []).map(([, row]) => row),
        punches: (punchesOf.get(who.employee) ?? []).map(([, row]) => row),
        idCard: "",
      },
      standardSettings,
    ),
  );
}

test("the same month in both generations gives the same figures, which the explanations add up to", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-generations-"));
  try {
    const [old, present] = await Promise.all([analyseBook(folder, 2020), analyseBook(folder, 2026)]);
    assert.equal(old.length, 60);
    const toFigures = ({ row }: (typeof old)[number]) => [row.workName, ...madeFields.map((field) => row[field])];
    assert.deepEqual(old.map(toFigures), present.map(toFigures));
    for (const { row, explain } of [...old, ...present]) {
      const explanation = explain("zh");
      assert.equal(explanation.length, 40);
      for (const { field, kind, entries } of explanation) assert.equal(addUp(kind, entries), String(row[field]), field);
    }
    const total = (field: (typeof madeFields)[number]) => present.reduce((sum, { row }) => sum + Number(row[field]), 0);
    for (const field of [
      "sumAttendanceInHuangjiahu",
      "daysOfcardShortageInMoxuanhu",
      "abnormalClockNumber",
      "lequalThirtyLateNumber",
      "geThirtyLeaveNumber",
    ] as const)
      assert.ok(total(field) > 0, `nobody has ${field}`);
  } finally {
    await rm(folder, { recursive: true });
  }
});
