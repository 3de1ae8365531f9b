import type { Db } from "#platform/database.ts";
import type { Bilingual } from "#platform/language.ts";
import type { ImportSheet } from "./contract.ts";
import { listNamesakes, countWithoutUserId } from "./import-store.ts";
import { countSheetResults, listResultPlaces } from "./result-store.ts";
import { readResult } from "./rules-results.ts";

const mostUnknown = 20;

/** What is odd about the rows of an import that can be told from all of them together. None of it keeps them out. */
export async function listImportWarnings(db: Db, id: number, sheet: ImportSheet): Promise<Bilingual[]> {
  const warnings: Bilingual[] = [];
  if (sheet !== "work") {
    const nameless = await countWithoutUserId(db, id, sheet);
    if (nameless > 0) warnings.push({ zh: `${nameless} 人没有 UserId`, en: `${nameless} people have no UserId` });
    warnings.push(...(await listUnknown(db, id, sheet)));
  }
  if (sheet !== "original") {
    const names = await listNamesakes(db, id, sheet);
    if (names.length > 0)
      warnings.push({ zh: `姓名重复：${names.join("、")}`, en: `Names that several people have: ${names.join(", ")}` });
  }
  return warnings;
}

async function listUnknown(db: Db, id: number, sheet: "month" | "original"): Promise<Bilingual[]> {
  const imports = { monthImport: sheet === "month" ? id : null, originalImport: sheet === "original" ? id : null };
  const unknown = (await countSheetResults(db, imports))
    .filter(({ result }) => readResult(result) === "unknown")
    .slice(0, mostUnknown);
  const warnings: Bilingual[] = [];
  for (const found of unknown) {
    const examples = (await listResultPlaces(db, imports, found)).join("、");
    warnings.push({
      zh: `未知的打卡结果“${found.result}”出现 ${found.count} 次，如 ${examples}`,
      en: `The unknown result "${found.result}" stands ${found.count} times, as for ${examples}`,
    });
  }
  return warnings;
}
