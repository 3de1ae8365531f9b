import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import { readResult } from "#services/attendance/analysis/rules-results.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { countOutside } from "#services/attendance/coverage-store.ts";
import { daysOfMonth, sheetNames, writeRun } from "#services/attendance/coverage.ts";
import type { Span } from "#services/attendance/model.ts";
import { countWithoutUserId, listNamesakes } from "./import-store.ts";
import { listResultPlaces, type Marks } from "./marks-store.ts";
import { addUpStrange, warnOfAddresses } from "./told.ts";
import type { UnknownResult } from "./unknown-days.ts";

const mostUnknown = 20;

export interface ImportedRows {
  readonly id: number;
  readonly sheet: ImportSheet;
  readonly month: string;
  readonly covered: readonly Span[];
  /** What stands in the day cells of its month sheet that no rule knows. */
  readonly unknownDays: readonly UnknownResult[];
  /** Of a sheet that has any. */
  readonly marks: Marks | undefined;
}

export interface ImportWarnings {
  /** Of the rows themselves. */
  readonly lasting: Bilingual[];
  /** By the settings as they are. */
  readonly present: Bilingual[];
}

/** What is odd about the rows of an import that can be told from all of them together. None of it keeps them out. */
export async function listImportWarnings(db: Db, imported: ImportedRows): Promise<ImportWarnings> {
  const { id, sheet, month, covered, unknownDays, marks } = imported;
  const present = warnOfAddresses(addUpStrange(marks?.strange ?? []));
  const warnings: Bilingual[] = [];
  if (sheet !== "work") {
    const nameless = await countWithoutUserId(db, id, sheet);
    if (nameless > 0) warnings.push({ zh: `${nameless} 人没有 UserId`, en: `${nameless} people have no UserId` });
    warnings.push(
      ...unknownDays.slice(0, mostUnknown).map((found) => warnOfUnknown("每日考勤结果", found)),
      ...(await listUnknown(db, covered, marks)),
      ...(await listOutside(db, month, covered)),
    );
  }
  if (sheet !== "original") {
    const names = await listNamesakes(db, id, sheet);
    if (names.length > 0)
      warnings.push({ zh: `姓名重复：${names.join("、")}`, en: `Names that several people have: ${names.join(", ")}` });
  }
  return { lasting: warnings, present };
}

const warnOfUnknown = (what: "打卡结果" | "每日考勤结果", { result, count, examples }: UnknownResult): Bilingual => ({
  zh: `未知的${what}“${result}”出现 ${count} 次，如 ${examples.join("、")}`,
  en: `The unknown ${what === "打卡结果" ? "result" : "day result"} "${result}" stands ${count} times, as for ${examples.join(", ")}`,
});

async function listUnknown(db: Db, covered: readonly Span[], marks: Marks | undefined): Promise<Bilingual[]> {
  const found = marks?.results.filter(({ result }) => readResult(result) === "unknown").slice(0, mostUnknown) ?? [];
  const places = await listResultPlaces(db, covered, found);
  return found.map((each) => warnOfUnknown("打卡结果", { ...each, examples: places.get(each) ?? [] }));
}

// People cut rows out of an export and put others in, and leave the title as it was.
async function listOutside(db: Db, month: string, covered: readonly Span[]): Promise<Bilingual[]> {
  const whole = daysOfMonth(month);
  const warnings: Bilingual[] = [];
  for (const span of covered) {
    const { sheet, firstDay, lastDay } = span;
    if (sheet === "month" || (firstDay === whole.firstDay && lastDay === whole.lastDay)) continue;
    const count = await countOutside(db, { ...span, sheet });
    if (count === 0) continue;
    const name = sheetNames[sheet];
    warnings.push({
      zh: `${name}有 ${count} 行不在统计日期 ${writeRun(span)} 之内，未计入`,
      en: `${count} rows of ${name} are not of the days of its title, ${writeRun(span, "day", "en")}, and are not counted`,
    });
  }
  return warnings;
}
