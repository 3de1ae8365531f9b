import type { Position } from "#platform/contract/datum.ts";

type Ring = readonly Position[];

type Geometry =
  | { readonly type: "Point"; readonly coordinates: Position }
  | { readonly type: "MultiPoint"; readonly coordinates: readonly Position[] }
  | { readonly type: "Polygon"; readonly coordinates: readonly Ring[] }
  | { readonly type: "MultiPolygon"; readonly coordinates: readonly (readonly Ring[])[] };

export interface Areas {
  readonly type: "FeatureCollection";
  readonly features: readonly { readonly properties: { readonly name: string }; readonly geometry: Geometry }[];
}

export interface Area {
  readonly name: string;
  /** Each polygon is its outer ring and then its holes. Point features have no polygons. */
  readonly polygons: readonly (readonly Ring[])[];
  readonly points: readonly Position[];
  readonly middle: Position;
  /** The size of the largest polygon in square degrees; larger areas are labelled first. */
  readonly extent: number;
}

export function listAreas(areas: Areas | undefined): readonly Area[] {
  return (areas?.features ?? []).flatMap(({ properties: { name }, geometry }) => {
    const polygons = polygonsOf(geometry);
    const points = pointsOf(geometry);
    const largest = polygons.toSorted((a, b) => ringExtent(b[0] ?? []) - ringExtent(a[0] ?? []))[0];
    const middle = largest ? findMiddle(largest) : points[0];
    return middle ? [{ name, polygons, points, middle, extent: ringExtent(largest?.[0] ?? []) }] : [];
  });
}

export const findPlace = (areas: readonly Area[], name: string): Position | undefined =>
  areas.find((area) => area.name === name)?.middle;

function polygonsOf(geometry: Geometry): readonly (readonly Ring[])[] {
  if (geometry.type === "Polygon") return [geometry.coordinates];
  return geometry.type === "MultiPolygon" ? geometry.coordinates : [];
}

function pointsOf(geometry: Geometry): readonly Position[] {
  if (geometry.type === "Point") return [geometry.coordinates];
  return geometry.type === "MultiPoint" ? geometry.coordinates : [];
}

const edgesOf = (ring: Ring): (readonly [Position, Position])[] =>
  ring.slice(1).map((place, before) => [ring[before] ?? place, place] as const);

const ringExtent = (ring: Ring): number =>
  Math.abs(edgesOf(ring).reduce((sum, [[a, b], [c, d]]) => sum + a * d - c * b, 0)) / 2;

/**
 * Returns the midpoint of the polygon's widest span at the latitude of its centroid. The centroid itself may lie in a
 * hole or outside a concave polygon.
 */
function findMiddle(rings: readonly Ring[]): Position | undefined {
  const [edge = []] = rings;
  const height = centreHeight(edge);
  const crossings = rings.flatMap((ring) => crossingsAt(ring, height)).toSorted((a, b) => a - b);
  const stretches = crossings.flatMap((from, place) => {
    const to = crossings[place + 1];
    return place % 2 === 0 && to !== undefined ? [{ width: to - from, middle: (from + to) / 2 }] : [];
  });
  const widest = stretches.toSorted((a, b) => b.width - a.width)[0];
  return widest ? [widest.middle, height] : edge[0];
}

function centreHeight(ring: Ring): number {
  let [area, moment] = [0, 0];
  for (const [[a, b], [c, d]] of edgesOf(ring)) {
    const part = a * d - c * b;
    area += part;
    moment += (b + d) * part;
  }
  return area === 0 ? (ring[0]?.[1] ?? 0) : moment / (3 * area);
}

const crossingsAt = (ring: Ring, height: number): number[] =>
  edgesOf(ring).flatMap(([[a, b], [c, d]]) =>
    b > height !== d > height ? [a + ((height - b) / (d - b)) * (c - a)] : [],
  );
