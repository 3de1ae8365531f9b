import { latLngBounds, type LatLngBounds, type LatLngTuple, type Map as LeafletMap } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import type { Areas } from "#shared/map/areas.ts";
import { type Drawing, type Mark, toTuple } from "#shared/map/map-parts.ts";

const country: LatLngTuple = [35.5, 105];
const countryZoom = 4;
const cityZoom = 11;
const hereZoom = 15;
const placeZoom = 16;

export interface View {
  look(drawing: Drawing): void;
  lookAgain(): void;
}

type Begin = { readonly at: LatLngTuple; readonly zoom: number } | { readonly bounds: LatLngBounds };

export function openView(map: LeafletMap, still: boolean): View {
  let isTaken = false;
  let [last, begun]: [Drawing, string?] = [{}];
  const begin = () => lookAt(map, findBegin(last));
  for (const deed of ["pointerdown", "keydown", "wheel"])
    map.getContainer().addEventListener(deed, () => (isTaken = true), { passive: true });
  begin();
  return {
    look: (drawing) => {
      const before = last;
      last = drawing;
      const now = describeBegin(drawing);
      const isFirst = begun === undefined;
      if (now !== begun && (!isTaken || (drawing.here && !before.here))) begin();
      begun = now;
      const meant = findMeant(drawing);
      if (meant && String(meant) !== String(findMeant(before)) && !map.getBounds().pad(-0.05).contains(toTuple(meant)))
        map.panTo(toTuple(meant), { animate: !still && !isFirst });
    },
    lookAgain: () => {
      if (!isTaken) begin();
    },
  };
}

const findMeant = ({ place, marks, chosen }: Drawing): Position | undefined =>
  place ?? (chosen === undefined ? undefined : marks?.find(({ id }) => id === chosen)?.at);

/**
 * Names the data that determines the initial view, so that data of lower priority that loads later does not move the
 * view.
 */
function describeBegin({ place, here, settings, areas, marks }: Drawing): string {
  if (place) return "place";
  if (here) return marks && marks.length > 0 ? "here and marks" : "here";
  if (settings?.center && settings.zoom !== null) return "centre";
  if (areas) return `areas ${areas.features.length}`;
  if (settings?.center) return "centre";
  return marks && marks.length > 0 ? "marks" : "country";
}

function findBegin(drawing: Drawing): Begin {
  const { place, here, settings, areas, marks = [] } = drawing;
  const by = describeBegin(drawing);
  if (by === "place" && place) return { at: toTuple(place), zoom: placeZoom };
  if (by.startsWith("here") && here) return findBeginHere(here, marks);
  if (by === "centre" && settings?.center) return { at: toTuple(settings.center), zoom: settings.zoom ?? cityZoom };
  if (by === "marks") return { bounds: latLngBounds(marks.map(({ at }) => toTuple(at))) };
  const bounds = areas && latLngBounds([...listPositions(areas)].map(toTuple));
  return bounds?.isValid() ? { bounds } : { at: country, zoom: countryZoom };
}

const mostAround = 5;

function findBeginHere(here: Position, marks: readonly Mark[]): Begin {
  if (marks.length === 0) return { at: toTuple(here), zoom: hereZoom };
  const width = Math.cos((here[1] / 180) * Math.PI);
  const farness = ({ at }: Mark): number => Math.hypot((at[0] - here[0]) * width, at[1] - here[1]);
  const nearest = marks.toSorted((a, b) => farness(a) - farness(b)).slice(0, mostAround);
  return { bounds: latLngBounds([here, ...nearest.map(({ at }) => at)].map(toTuple)) };
}

function lookAt(map: LeafletMap, begin: Begin): void {
  if ("at" in begin) map.setView(begin.at, begin.zoom, { animate: false });
  else map.fitBounds(begin.bounds, { padding: [12, 12], maxZoom: placeZoom, animate: false });
}

function* listPositions({ features }: Areas): Generator<Position> {
  for (const { geometry } of features) {
    if (geometry.type === "Point") yield geometry.coordinates;
    else if (geometry.type === "MultiPoint") yield* geometry.coordinates;
    else if (geometry.type === "Polygon") yield* geometry.coordinates[0] ?? [];
    else for (const [edge = []] of geometry.coordinates) yield* edge;
  }
}
