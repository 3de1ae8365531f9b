import { type Bilingual, countOf, type Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, sql, streamRows, type Within } from "#platform/database/index.ts";
import { listAnalysisWarnings, listStrangeAddresses } from "#services/attendance/analysis/analysis-store.ts";
import { readDayCell } from "#services/attendance/analysis/rules-missing.ts";
import { isValidPunch, readResult } from "#services/attendance/analysis/rules-punches.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import {
  type DayRun,
  daysOf,
  findOwner,
  listDays,
  listImportsOf,
  type Period,
  sheetNames,
  warnOfCoverage,
  writeDay,
  writeRun,
  writeRuns,
} from "#services/attendance/days.ts";
import { type AnalysisSettings, type Day, type MonthRow, type Span, warnIf } from "#services/attendance/model.ts";
import { countOutside, type MonthState, readBasis } from "#services/attendance/month-store.ts";
import { countWithoutUserId, listFileWarnings, listNamesakes } from "./import-store.ts";
import { listResultPlaces, type Marks } from "./marks-store.ts";

export async function listDayWarnings(
  db: Db,
  state: Pick<MonthState, keyof Period | "spans">,
  today: Day,
): Promise<readonly Bilingual[]> {
  const { plan } = await readBasis(db, state);
  return [...warnOfCoverage(state, state.spans, today), ...plan.warnings];
}

/**
 * Lists the month's warnings. A user with a scope gets no warnings that name people outside the scope.
 * @param most the number of warnings of the analysis that are listed, by default as many as a status shows
 */
export async function listMonthWarnings(
  db: Db,
  state: MonthState,
  today: Day,
  within: Within,
  most?: number,
): Promise<Bilingual[]> {
  const isFinished = state.statu === 2;
  const [failure, people] = state.statu === 3 ? [state.warnings, []] : [[], state.warnings];
  return [
    ...failure,
    ...(await listDayWarnings(db, state, today)),
    ...(within.isEverywhere ? await tellOfAll(db, state, people) : []),
    // Clients poll while an analysis runs, so the analysis's warnings are read only after it has finished.
    ...(isFinished ? await listAnalysisWarnings(db, state.month, within, most) : []),
  ];
}

const tellOfAll = async (db: Db, state: MonthState, people: readonly Bilingual[]): Promise<Bilingual[]> => [
  ...(await tellFiles(db, state)),
  ...people,
  ...(state.statu === 2 ? warnOfAddresses(await listStrangeAddresses(db, state.run)) : []),
];

/**
 * Prefixes each warning with the days of the file that it concerns, unless all files of the sheet have the same
 * warning.
 */
async function tellFiles(db: Db, { month, spans }: MonthState): Promise<Bilingual[]> {
  const files = await listFileWarnings(db, month);
  const told = files.flatMap(({ sheet, importId, warnings }) => warnings.map((says) => ({ sheet, importId, says })));
  return [...Map.groupBy(told, ({ sheet, says }) => `${sheet} ${says.zh}`).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const isOfAll = files.filter(({ sheet }) => sheet === first.sheet).length === alike.length;
    const own = alike.flatMap(({ importId }) => spans.filter((span) => span.importId === importId));
    const { zh, en } = first.says;
    const name = sheetNames[first.sheet];
    return isOfAll
      ? first.says
      : { zh: `${name} ${writeRuns(own)}：${zh}`, en: `${name} ${writeRuns(own, "en")}: ${en}` };
  });
}

const shownAddresses = 10;

export function warnOfAddresses(found: readonly { readonly address: string; readonly count: number }[]): Bilingual[] {
  const punches = found.reduce((sum, { count }) => sum + count, 0);
  const shown = found.slice(0, shownAddresses);
  const more = found.length > shownAddresses ? "…" : "";
  const zh = shown.map(({ address, count }) => `${address}（${count} 次）`).join("、");
  const en = shown.map(({ address, count }) => `${address} (${count})`).join(", ");
  return warnIf(
    found.length > 0,
    `${found.length} 个打卡地址不属于任何校区，共 ${punches} 次打卡：${zh}${more}`,
    `${countOf(found.length, "punch address matches", "punch addresses match")} no campus (${countOf(punches, "punch", "punches")}): ${en}${more}`,
  );
}

export const listKeywords = ({ campuses }: Pick<AnalysisSettings, "campuses">): string[] =>
  campuses.flatMap(({ keywords }) => keywords.filter((keyword) => keyword !== ""));

export function addUpStrange(marks: Marks["strange"]): { address: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { address, result, count } of marks)
    if (isValidPunch(result)) counts.set(address, (counts.get(address) ?? 0) + count);
  return [...counts].map(([address, count]) => ({ address, count })).sort((left, right) => right.count - left.count);
}

export function joinWarnings(parts: readonly { readonly month: string; readonly warnings: readonly Bilingual[] }[]) {
  const holders = Map.groupBy(
    parts.flatMap(({ month, warnings }) => warnings.map((says) => ({ month, says }))),
    ({ says }) => says.zh,
  );
  return [...holders.values()].flatMap((alike) => {
    const isOfAll = new Set(alike.map(({ month }) => month)).size === parts.length;
    if (isOfAll) return alike.slice(0, 1).map(({ says }) => says);
    return alike.map(({ month, says: { zh, en } }) => ({ zh: `${month}：${zh}`, en: `${month}: ${en}` }));
  });
}

export const toWaring = (warnings: readonly Bilingual[], language: Language): string =>
  warnings.map((warning) => warning[language]).join("\n");

export const toTime = (instant: Date | null, zone: string): string | null => instant && formatDateTime(instant, zone);

const mostUnknown = 20;

/**
 * Lists oddities that are not errors.
 * @param unknownDays unknown results in the day cells of the month sheet
 */
export async function listImportWarnings(
  db: Db,
  { id, sheet, period }: { readonly id: number; readonly sheet: ImportSheet; readonly period: Period },
  covered: readonly Span[],
  unknownDays: readonly UnknownResult[],
  marks: Marks | undefined,
): Promise<Bilingual[]> {
  const nameless = sheet === "work" ? 0 : await countWithoutUserId(db, id, sheet);
  const names = sheet === "original" ? [] : await listNamesakes(db, id, sheet);
  const unknown = marks?.results.filter(({ result }) => readResult(result) === "unknown").slice(0, mostUnknown) ?? [];
  const places = await listResultPlaces(db, covered, unknown);
  return [
    ...warnIf(nameless > 0, `${nameless} 人没有 UserId`, `${countOf(nameless, "person has", "people have")} no UserId`),
    ...unknownDays.slice(0, mostUnknown).map((found) => warnOfUnknown("每日考勤结果", found)),
    ...unknown.map((found) => warnOfUnknown("打卡结果", { ...found, examples: places.get(found) ?? [] })),
    ...(await listOutside(db, daysOf(period), covered)),
    ...warnIf(names.length > 0, `姓名重复：${names.join("、")}`, `Names shared by several people: ${names.join(", ")}`),
  ];
}

const warnOfUnknown = (what: "打卡结果" | "每日考勤结果", { result, count, examples }: UnknownResult): Bilingual => ({
  zh: `未知的${what}“${result}”出现 ${count} 次，如 ${examples.join("、")}`,
  en: `The unknown ${what === "打卡结果" ? "result" : "day result"} "${result}" occurs ${countOf(count, "time")}, for example for ${examples.join(", ")}`,
});

// Warns of rows outside the title's days, since people edit the rows of an export but leave its title unchanged.
async function listOutside(db: Db, whole: DayRun, covered: readonly Span[]): Promise<Bilingual[]> {
  const warnings: Bilingual[] = [];
  for (const span of covered) {
    const { sheet, firstDay, lastDay } = span;
    if (sheet === "month" || (firstDay === whole.firstDay && lastDay === whole.lastDay)) continue;
    const count = await countOutside(db, { ...span, sheet });
    const name = sheetNames[sheet];
    warnings.push(
      ...warnIf(
        count > 0,
        `${name}有 ${count} 行不在统计日期 ${writeRun(span)} 之内，未计入`,
        `${countOf(count, `row of ${name} is`, `rows of ${name} are`)} outside the dates in its title (${writeRun(span, "day", "en")}) and not counted`,
      ),
    );
  }
  return warnings;
}

interface UnknownResult {
  readonly result: string;
  readonly count: number;
  readonly examples: readonly string[];
}

export type UnknownDays = ReturnType<typeof collectUnknownDays>;

const keptKinds = 1_000;
const keptExamples = 3;

export function collectUnknownDays({ firstDay }: DayRun) {
  const found = new Map<string, { result: string; count: number; examples: string[] }>();
  const note = (result: string, place: string): void => {
    const known = found.get(result) ?? { result, count: 0, examples: [] };
    if (known.count === 0 && found.size >= keptKinds) return;
    found.set(result, known);
    known.count++;
    if (known.examples.length < keptExamples) known.examples.push(place);
  };
  return {
    seeMonthRow({ name, days }: Pick<MonthRow, "name" | "days">, counts: (index: number) => boolean) {
      for (const [index, cell] of days.entries()) {
        if (cell === "" || !counts(index)) continue;
        for (const result of readDayCell(cell).unknown) note(result, `${name} ${writeDay(firstDay + index)}`);
      }
    },
    /** At most a thousand different results are collected, since a hostile sheet may have any number. */
    list: (): UnknownResult[] => [...found.values()].sort((left, right) => right.count - left.count),
  };
}

const rowsAtOnce = 200;

export async function listUnknownDays(
  db: Db,
  { spans, ...period }: Pick<MonthState, keyof Period | "spans">,
): Promise<UnknownResult[]> {
  const days = daysOf(period);
  const found = collectUnknownDays(days);
  const owners = listDays(days).map((day) => findOwner(spans, "month", day));
  const rows = sql`
    select import_id as "importId", name, days from attendance.employee
    where import_id = any(${listImportsOf(spans, "month")}::bigint[]) order by import_id, row`;
  for await (const batch of streamRows<Pick<MonthRow, "name" | "days"> & { importId: number }>(db, rows, rowsAtOnce)) {
    for (const row of batch) found.seeMonthRow(row, (index) => owners[index] === row.importId);
  }
  return found.list();
}
