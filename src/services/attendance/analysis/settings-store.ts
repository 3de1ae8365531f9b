import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { type AnalysisSettings, standardSettings } from "#services/attendance/model.ts";
import { mostCampuses, mostKeywords } from "#services/attendance/record-contract.ts";

export async function findSettings(db: Db): Promise<AnalysisSettings> {
  const [row] = await db<AnalysisSettings[]>`select campuses, bucket_edges as "bucketEdges" from attendance.settings`;
  return row ?? standardSettings;
}

/** The same, which nobody else changes until the transaction ends. */
export async function holdSettings(tx: Db): Promise<AnalysisSettings> {
  const { campuses, bucketEdges } = standardSettings;
  await tx`
    insert into attendance.settings (campuses, bucket_edges) values (${JSON.stringify(campuses)}, ${bucketEdges}) on conflict do nothing`;
  await tx`select from attendance.settings for update`;
  return findSettings(tx);
}

export async function saveSettings(tx: Db, { campuses, bucketEdges }: AnalysisSettings): Promise<void> {
  await tx`update attendance.settings set campuses = ${JSON.stringify(campuses)}, bucket_edges = ${bucketEdges}`;
}

type Campuses = AnalysisSettings["campuses"];

/** The campuses with a keyword more; undefined where the campus has it already. @throws {Problem} where there is no room */
export function addKeyword(campuses: Campuses, campus: 1 | 2, keyword: string): Campuses | undefined {
  const owner = campuses.find(({ keywords }) =>
    keywords.some((known) => known.toLowerCase() === keyword.toLowerCase()),
  );
  if (owner?.campus === campus) return undefined;
  if (owner)
    throw explain(
      "alreadyExists",
      `“${keyword}”已是校区${owner.campus}的关键词`,
      `"${keyword}" is a keyword of campus ${owner.campus}`,
    );
  const place = campuses.findIndex((each) => each.campus === campus && each.keywords.length < mostKeywords);
  if (place === -1 && campuses.length >= mostCampuses)
    throw explain("notAllowedNow", "关键词已达上限", "there are as many keywords as there may be");
  if (place === -1) return [...campuses, { campus, keywords: [keyword] }];
  return campuses.map((each, index) => (index === place ? { campus, keywords: [...each.keywords, keyword] } : each));
}
