import type { Db } from "#platform/database.ts";
import type { Bilingual } from "#platform/language.ts";
import type { ImportSheet } from "./contract.ts";
import { listNamesakes, countWithoutUserId } from "./import-store.ts";
import { countSheetResults, listResultPlaces } from "./result-store.ts";
import { readResult } from "./rules-results.ts";
import { listUnknownDays, type UnknownResult } from "./unknown-days.ts";

const mostUnknown = 20;

/** What is odd about the rows of an import that can be told from all of them together. None of it keeps them out. */
export async function listImportWarnings(db: Db, id: number, sheet: ImportSheet, month: string): Promise<Bilingual[]> {
  const warnings: Bilingual[] = [];
  if (sheet !== "work") {
    const nameless = await countWithoutUserId(db, id, sheet);
    if (nameless > 0) warnings.push({ zh: `${nameless} 人没有 UserId`, en: `${nameless} people have no UserId` });
    if (sheet === "month") warnings.push(...(await listUnknownCells(db, id, month)));
    warnings.push(...(await listUnknown(db, id, sheet)));
  }
  if (sheet !== "original") {
    const names = await listNamesakes(db, id, sheet);
    if (names.length > 0)
      warnings.push({ zh: `姓名重复：${names.join("、")}`, en: `Names that several people have: ${names.join(", ")}` });
  }
  return warnings;
}

async function listUnknownCells(db: Db, id: number, month: string): Promise<Bilingual[]> {
  const unknown = await listUnknownDays(db, month, id);
  return unknown.slice(0, mostUnknown).map((found) => warnOfUnknown("每日考勤结果", found));
}

const warnOfUnknown = (what: "打卡结果" | "每日考勤结果", { result, count, examples }: UnknownResult): Bilingual => ({
  zh: `未知的${what}“${result}”出现 ${count} 次，如 ${examples.join("、")}`,
  en: `The unknown ${what === "打卡结果" ? "result" : "day result"} "${result}" stands ${count} times, as for ${examples.join(", ")}`,
});

async function listUnknown(db: Db, id: number, sheet: "month" | "original"): Promise<Bilingual[]> {
  const imports = { monthImport: sheet === "month" ? id : null, originalImport: sheet === "original" ? id : null };
  const unknown = (await countSheetResults(db, imports))
    .filter(({ result }) => readResult(result) === "unknown")
    .slice(0, mostUnknown);
  const warnings: Bilingual[] = [];
  for (const found of unknown) {
    warnings.push(warnOfUnknown("打卡结果", { ...found, examples: await listResultPlaces(db, imports, found) }));
  }
  return warnings;
}
