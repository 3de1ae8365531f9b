import type { Position } from "#platform/contract/datum.ts";

export interface MiniToilet {
  readonly id: number;
  readonly name: string;
  readonly longitudeAndLatitude: string;
  readonly flag: string;
}

export interface Facilities {
  readonly id: number;
  readonly addrDesc: string;
  readonly numOfBarrierFree: number;
  readonly numOfThird: number;
  readonly numOfMan: number;
  readonly numOfWoman: number;
  readonly numOfCommon: number;
}

export interface Toilet {
  readonly id: number;
  readonly name: string;
  /** In the datum `storedDatum`. */
  readonly at: Position;
  readonly flag: string;
  readonly has: Facilities | undefined;
}

export interface Found {
  readonly toilet: Toilet;
  readonly metres: number | undefined;
}

export interface Wanted {
  readonly barrierFree: boolean;
  readonly third: boolean;
}

export const joinFacilities = (
  list: readonly MiniToilet[],
  facilities: ReadonlyMap<number, Facilities> | undefined,
): Toilet[] =>
  list.map(({ id, name, longitudeAndLatitude, flag }) => ({
    id,
    name,
    at: readPosition(longitudeAndLatitude),
    flag,
    has: facilities?.get(id),
  }));

function readPosition(text: string): Position {
  const [longitude = "", latitude = ""] = text.split(",");
  return [Number(longitude), Number(latitude)];
}

/** The result is sorted by distance if the position is known, else as in `toilets`. */
export function findNearby(toilets: readonly Toilet[], wanted: Wanted, here: Position | undefined): Found[] {
  const fitting = toilets.filter((toilet) => fits(toilet, wanted));
  if (!here) return fitting.map((toilet) => ({ toilet, metres: undefined }));
  const measured = fitting.map((toilet) => ({ toilet, metres: metresBetween(here, toilet.at) }));
  return measured.toSorted((one, other) => one.metres - other.metres);
}

const fits = ({ has }: Toilet, { barrierFree, third }: Wanted): boolean =>
  (!barrierFree || (has?.numOfBarrierFree ?? 0) > 0) && (!third || (has?.numOfThird ?? 0) > 0);

const earthRadiusMetres = 6_371_009;
const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

export function metresBetween([fromEast, fromNorth]: Position, [toEast, toNorth]: Position): number {
  const [from, to] = [toRadians(fromNorth), toRadians(toNorth)];
  const half =
    Math.sin((to - from) / 2) ** 2 + Math.cos(from) * Math.cos(to) * Math.sin(toRadians(toEast - fromEast) / 2) ** 2;
  return 2 * earthRadiusMetres * Math.asin(Math.min(1, Math.sqrt(half)));
}

export const isLinked = ({ flag }: Toilet): boolean => flag !== "-1";

/** Undefined if the real-time link reports no plausible number (D10b in docs/interface/disease-command.md). */
export function countFree({ flag, has }: Toilet): number | undefined {
  if (!has || !/^\d{1,9}$/.test(flag)) return undefined;
  const free = Number(flag);
  const { numOfMan, numOfWoman, numOfCommon, numOfBarrierFree, numOfThird } = has;
  return free <= numOfMan + numOfWoman + numOfCommon + numOfBarrierFree + numOfThird ? free : undefined;
}
