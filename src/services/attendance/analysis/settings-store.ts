import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { type AnalysisSettings, type KnownPlace, standardSettings } from "#services/attendance/model.ts";
import { mostCampuses, mostKeywords } from "#services/attendance/record-contract.ts";

export async function findSettings(db: Db): Promise<AnalysisSettings> {
  const [row] = await db<AnalysisSettings[]>`select campuses, bucket_edges as "bucketEdges" from attendance.settings`;
  return row ?? standardSettings;
}

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

interface KeywordOrder {
  readonly campus: KnownPlace;
  readonly keyword: string;
}

/**
 * Returns the changed campuses and the number of keywords added.
 * @throws {Problem} alreadyExists if a keyword belongs to another place, notAllowedNow if the limit is reached
 */
export function addKeywords(present: Campuses, orders: readonly KeywordOrder[]) {
  let [campuses, added] = [present, 0];
  for (const { campus, keyword } of orders) {
    const more = addKeyword(campuses, campus, keyword.trim());
    if (more === undefined) continue;
    campuses = more;
    added++;
  }
  return { campuses, added };
}

function addKeyword(campuses: Campuses, campus: KnownPlace, keyword: string): Campuses | undefined {
  const owner = campuses.find(({ keywords }) =>
    keywords.some((known) => known.toLowerCase() === keyword.toLowerCase()),
  );
  if (owner?.campus === campus) return undefined;
  if (owner) {
    const { zh, en } = namePlace(owner.campus);
    throw explain("alreadyExists", `“${keyword}”已是${zh}的关键词`, `"${keyword}" is already a keyword of ${en}`);
  }
  const place = campuses.findIndex((each) => each.campus === campus && each.keywords.length < mostKeywords);
  if (place === -1 && campuses.length >= mostCampuses)
    throw explain("notAllowedNow", "关键词已达上限", "the maximum number of keywords has been reached");
  if (place === -1) return [...campuses, { campus, keywords: [keyword] }];
  return campuses.map((each, index) => (index === place ? { campus, keywords: [...each.keywords, keyword] } : each));
}

const namePlace = (campus: KnownPlace): Bilingual =>
  campus === 0 ? { zh: "校区外", en: "off-site places" } : { zh: `校区${campus}`, en: `campus ${campus}` };
