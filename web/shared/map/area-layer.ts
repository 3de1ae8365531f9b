import { circleMarker, DomEvent, layerGroup, type Map as LeafletMap, type Path, polygon, svg } from "leaflet";
import type { Area } from "#shared/map/areas.ts";
import { type Deeds, type Mark, toTuple } from "#shared/map/map-parts.ts";

interface AreaOptions {
  readonly marks: readonly Mark[];
  readonly chosen: Mark["id"] | undefined;
  readonly opens: boolean;
  readonly deeds: () => Deeds;
}

/** Draws the areas and points of the city's map; colours are the style sheet's. Returns how to take them away. */
export function drawAreas(map: LeafletMap, areas: readonly Area[], options: AreaOptions): () => void {
  const layer = layerGroup().addTo(map);
  // Half a map more on each side: while it is dragged there is something to see.
  const renderer = svg({ padding: 0.5 });
  const marked = new Map(
    options.marks.flatMap((mark) => (mark.area === undefined ? [] : [[mark.area, mark] as const])),
  );
  // Large ones below those that lie in them.
  for (const area of areas.toSorted((a, b) => b.extent - a.extent)) {
    const mark = marked.get(area.name);
    for (const path of toPaths(area, mark, { ...options, renderer })) path.addTo(layer);
  }
  return () => {
    layer.remove();
    renderer.remove();
  };
}

function toPaths(
  { polygons, points }: Area,
  mark: Mark | undefined,
  { chosen, opens, deeds, renderer }: AreaOptions & { readonly renderer: ReturnType<typeof svg> },
): Path[] {
  const interactive = opens && mark !== undefined;
  const state = mark === undefined ? "" : ` city-map-marked${mark.id === chosen ? " city-map-chosen" : ""}`;
  const shared = { renderer, interactive, weight: 1 };
  const paths: Path[] = [
    ...polygons.map((rings) =>
      polygon(
        rings.map((ring) => ring.map(toTuple)),
        { ...shared, smoothFactor: 1.5, className: `city-map-area${state}` },
      ),
    ),
    // What has a mark needs no dot below it.
    ...(mark
      ? []
      : points.map((at) => circleMarker(toTuple(at), { ...shared, radius: 4, className: "city-map-point" }))),
  ];
  if (interactive)
    for (const path of paths)
      path.on("click", (event) => {
        DomEvent.stop(event);
        deeds().onOpen?.(mark.id);
      });
  return paths;
}
