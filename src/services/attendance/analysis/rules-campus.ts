import type { AnalysisSettings } from "#services/attendance/model.ts";

export type Campus = 1 | 2;
/** Where a day counts. */
export type Place = Campus | "off-site";
/** Why a day counts there: the first rule of A11 that decides. */
export type Ground = "punch" | "elsewhere" | "usual" | "belonging" | "nothing";

export interface PlacedDay {
  readonly place: Place;
  readonly ground: Ground;
}

/** Finds the campus whose keyword stands in a text, in the order of the settings; case does not matter. */
export type FindCampus = (text: string) => Campus | undefined;

// Addresses repeat: a few hundred clocks and networks for a whole month. Outdoor ones do not, hence the limit.
const rememberedTexts = 10_000;
const finders = new WeakMap<AnalysisSettings, FindCampus>();

export function openCampusFinder(settings: AnalysisSettings): FindCampus {
  const known = finders.get(settings);
  if (known) return known;
  const finder = rememberAnswers(settings);
  finders.set(settings, finder);
  return finder;
}

function rememberAnswers({ campuses }: AnalysisSettings): FindCampus {
  const keywords = campuses.flatMap(({ campus, keywords }) =>
    keywords.filter((keyword) => keyword !== "").map((keyword) => ({ campus, text: keyword.toLowerCase() })),
  );
  const answers = new Map<string, Campus | null>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known ?? undefined;
    const lower = text.toLowerCase();
    const campus = keywords.find((keyword) => lower.includes(keyword.text))?.campus;
    if (answers.size >= rememberedTexts) answers.clear();
    answers.set(text, campus ?? null);
    return campus;
  };
}

/** What a punch says of the place; `isElsewhere` for a known address outside every campus, or 外勤 without a keyword. */
export interface PunchPlace {
  readonly campus: Campus | undefined;
  readonly isElsewhere: boolean;
}

/** Where a day's own punches, first to last, put it; undefined if none of them has an address. */
export function placeByPunches(punches: readonly { readonly says: PunchPlace }[]): PlacedDay | undefined {
  const campus = punches.find(({ says }) => says.campus !== undefined)?.says.campus;
  if (campus !== undefined) return { place: campus, ground: "punch" };
  return punches.some(({ says }) => says.isElsewhere) ? { place: "off-site", ground: "elsewhere" } : undefined;
}

/**
 * Where a day without any address counts.
 * @param placed the days of the month that punches put somewhere
 * @param belongings the department and the attendance group
 */
export function placeWithoutAddress(
  placed: Iterable<PlacedDay>,
  belongings: readonly string[],
  findCampus: FindCampus,
): PlacedDay {
  const days = { 1: 0, 2: 0, "off-site": 0 };
  for (const { place } of placed) days[place]++;
  if (days[1] + days[2] > 0) return { place: days[1] >= days[2] ? 1 : 2, ground: "usual" };
  const campus = belongings.map(findCampus).find((found) => found !== undefined);
  return campus === undefined ? { place: "off-site", ground: "nothing" } : { place: campus, ground: "belonging" };
}
