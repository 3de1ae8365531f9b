import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import { listAnalysisWarnings, listStrangeAddresses } from "#services/attendance/analysis/analysis-store.ts";
import { readBasis } from "#services/attendance/coverage-store.ts";
import { sheetNames, warnOfCoverage, writeRuns } from "#services/attendance/coverage.ts";
import type { AnalysisSettings, Day } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import { listFileWarnings } from "./import-store.ts";
import { isValidPunch } from "#services/attendance/analysis/rules-results.ts";
import type { StrangeMark } from "./marks-store.ts";

// What the figures of a month rest on (A19): told with every import, analysis and download.

/** What the month lacks of days, and which copied figures could not be added up. */
export async function tellDays(
  db: Db,
  state: Pick<MonthState, "month" | "spans">,
  today: Day,
): Promise<readonly Bilingual[]> {
  const { plan } = await readBasis(db, state);
  return [...warnOfCoverage(state.month, state.spans, today), ...plan.warnings];
}

/** All that there is to tell of a month as it is now. */
export async function tellMonth(db: Db, state: MonthState, today: Day): Promise<Bilingual[]> {
  const isFinished = state.statu === 2;
  // Of an analysis that failed, why.
  const [failure, people] = state.statu === 3 ? [state.warnings, []] : [[], state.warnings];
  return [
    ...failure,
    ...(await tellDays(db, state, today)),
    ...(await tellFiles(db, state)),
    ...people,
    ...(isFinished ? warnOfAddresses(await listStrangeAddresses(db, state.run)) : []),
    // Whoever waits for the end asks often, and the end brings them all.
    ...(isFinished ? await listAnalysisWarnings(db, state.month) : []),
  ];
}

/** What the files said that the month's days come from; where not all that a sheet came in say it, which do. */
async function tellFiles(db: Db, { month, spans }: MonthState): Promise<Bilingual[]> {
  const files = await listFileWarnings(db, month);
  const told = files.flatMap(({ sheet, importId, warnings }) => warnings.map((says) => ({ sheet, importId, says })));
  return [...Map.groupBy(told, ({ sheet, says }) => `${sheet} ${says.zh}`).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const isOfAll = files.filter(({ sheet }) => sheet === first.sheet).length === alike.length;
    const own = alike.flatMap(({ importId }) => spans.filter((span) => span.importId === importId));
    return isOfAll
      ? first.says
      : prefix(first.says, (language) => `${sheetNames[first.sheet]} ${writeRuns(own, language)}`);
  });
}

const prefix = ({ zh, en }: Bilingual, where: (language: "zh" | "en") => string): Bilingual => ({
  zh: `${where("zh")}：${zh}`,
  en: `${where("en")}: ${en}`,
});

const shownAddresses = 10;

/** Addresses that no campus's keyword stands in, most punches first. */
export function warnOfAddresses(found: readonly { readonly address: string; readonly count: number }[]): Bilingual[] {
  if (found.length === 0) return [];
  const punches = found.reduce((sum, { count }) => sum + count, 0);
  const shown = found.slice(0, shownAddresses);
  const more = found.length > shownAddresses ? "…" : "";
  const zh = shown.map(({ address, count }) => `${address}（${count} 次）`).join("、");
  const en = shown.map(({ address, count }) => `${address} (${count})`).join(", ");
  return [
    {
      zh: `${found.length} 个打卡地址不属于任何校区，共 ${punches} 次打卡：${zh}${more}`,
      en: `${found.length} addresses belong to no campus, with ${punches} punches: ${en}${more}`,
    },
  ];
}

/** Every keyword of every campus. */
export const listKeywords = ({ campuses }: Pick<AnalysisSettings, "campuses">): string[] =>
  campuses.flatMap(({ keywords }) => keywords.filter((keyword) => keyword !== ""));

/** The addresses of valid punches in which no keyword stands, with how many punches, most first. */
export function addUpStrange(marks: readonly StrangeMark[]): { address: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { address, result, count } of marks)
    if (isValidPunch(result)) counts.set(address, (counts.get(address) ?? 0) + count);
  return [...counts].map(([address, count]) => ({ address, count })).sort((left, right) => right.count - left.count);
}
