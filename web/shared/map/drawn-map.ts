import {
  circleMarker,
  control,
  divIcon,
  DomEvent,
  type LatLng,
  type LatLngTuple,
  layerGroup,
  type LayerGroup,
  type LeafletMouseEvent,
  map as openMap,
  type Map as LeafletMap,
  marker,
  type Path,
  polygon,
  polyline,
  svg,
  tileLayer,
} from "leaflet";
import { type Area, listAreas } from "#shared/map/areas.ts";
import { openLabels } from "#shared/map/label-layer.ts";
import { type Deeds, type Drawing, type MapSettings, type Mark, toTuple } from "#shared/map/map-parts.ts";
import { drawDots, drawHere, drawMarks } from "#shared/map/mark-layer.ts";
import { openView } from "#shared/map/view.ts";
import { toLines } from "#shared/map/coordinates.ts";
import type { Position } from "#platform/contract/datum.ts";
import "leaflet/dist/leaflet.css";

export interface MapOptions {
  readonly words: { readonly zoomIn: string; readonly zoomOut: string; readonly here: string };
  readonly several: (count: number) => string;
  readonly still: boolean;
  readonly opens: boolean;
  readonly picks: boolean;
  readonly deeds: () => Deeds;
}

export interface DrawnMap {
  draw(drawing: Drawing): void;
  close(): void;
}

/** Import this file dynamically only, since it loads Leaflet. */
export function openDrawnMap(box: HTMLElement, options: MapOptions): DrawnMap {
  const { words, still, picks } = options;
  const map = openMap(box, {
    zoomControl: false,
    attributionControl: false,
    minZoom: 3,
    maxZoom: 19,
    worldCopyJump: true,
    inertia: !still,
    fadeAnimation: false,
    // Zoom animation and resize tracking use Leaflet timers, which fail after the map is removed. A ResizeObserver
    // replaces the resize tracking.
    zoomAnimation: false,
    trackResize: false,
  });
  const view = openView(map, still);
  control.zoom({ position: "topright", zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  // The scale bar is at least half as wide as its maximum, so its label fits at any font size.
  const maxWidth = 8 * Number.parseFloat(getComputedStyle(map.getContainer()).fontSize);
  control.scale({ imperial: false, position: "bottomright", maxWidth }).addTo(map);
  const labels = openLabels(map);
  const stopPicking = picks ? listenForPicks(map, options.deeds) : undefined;
  const watch = new ResizeObserver(() => {
    map.invalidateSize({ pan: false });
    view.lookAgain();
  });
  watch.observe(box);
  const draw = compileDrawing(map, labels, options);
  return {
    draw: (drawing) => {
      // Tiles are sharp only at whole zoom levels; vector shapes are sharp at any.
      map.options.zoomSnap = drawing.settings?.tiles ? 1 : 0;
      // The view must be set first, since drawing depends on the zoom.
      view.look(drawing);
      draw(drawing);
    },
    close: () => {
      watch.disconnect();
      stopPicking?.();
      map.remove();
    },
  };
}

function compileDrawing(map: LeafletMap, labels: ReturnType<typeof openLabels>, options: MapOptions) {
  const areasOf = remember((areas: Drawing["areas"]) => listAreas(areas));
  const parts = {
    ground: redraw((areas: Drawing["areas"], settings: Drawing["settings"]) => drawGround(map, areas, settings)),
    areas: redraw((areas: Drawing["areas"], marks: Drawing["marks"], chosen: Drawing["chosen"]) =>
      drawAreas(map, areasOf(areas), { marks: marks ?? [], chosen, ...options }),
    ),
    dots: redraw((dots: Drawing["dots"]) => dots && drawDots(map, dots)),
    here: redraw((here: Drawing["here"]) => here && drawHere(map, here, options.words.here)),
    pin: redraw((place: Drawing["place"]) => place && drawPin(map, place, options)),
  };
  const marks = drawMarks(map, options);
  return (drawing: Drawing) => {
    parts.ground(drawing.areas, drawing.settings);
    parts.areas(drawing.areas, drawing.marks, drawing.chosen);
    marks(drawing.marks ?? [], drawing.chosen);
    parts.dots(drawing.dots);
    parts.here(drawing.here);
    parts.pin(drawing.place);
    labels.show(drawing.labels === false ? [] : areasOf(drawing.areas), {
      marks: drawing.labels === false ? [] : (drawing.marks ?? []),
      chosen: drawing.chosen,
    });
  };
}

function redraw<Given extends unknown[]>(draw: (...given: Given) => (() => void) | undefined) {
  let [before, takeAway]: [Given?, (() => void)?] = [];
  return (...given: Given): void => {
    if (before && given.every((one, place) => one === before?.[place])) return;
    takeAway?.();
    takeAway = draw(...given);
    before = given;
  };
}

function remember<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined;
  return (given) => {
    if (last?.given !== given || !last) last = { given, made: make(given) };
    return last.made;
  };
}

/** The base layer consists of tiles; without tiles it is empty under a city map, else a grid of coordinates. */
function drawGround(map: LeafletMap, areas: Drawing["areas"], settings: MapSettings | undefined): () => void {
  if (settings?.tiles) return drawTiles(map, settings.tiles, settings.attribution);
  return areas ? () => undefined : drawGrid(map);
}

function drawTiles(map: LeafletMap, address: string, attribution: string | null): () => void {
  // Tile services authorize by the Referer header, which the page's policy omits by default.
  const tiles = tileLayer(address, { maxZoom: 19, referrerPolicy: "origin" }).addTo(map);
  const words = document.createElement("span");
  words.className = "city-map-attribution";
  words.textContent = attribution;
  if (attribution) map.getContainer().append(words);
  return () => {
    tiles.remove();
    words.remove();
  };
}

interface AreaOptions {
  readonly marks: readonly Mark[];
  readonly chosen: Mark["id"] | undefined;
  readonly opens: boolean;
  readonly deeds: () => Deeds;
}

export function drawAreas(map: LeafletMap, areas: readonly Area[], options: AreaOptions): () => void {
  const layer = layerGroup().addTo(map);
  // The map is drawn half its size beyond each edge, so that dragging shows no empty border.
  const renderer = svg({ padding: 0.5 });
  const marked = new Map(
    options.marks.flatMap((mark) => (mark.area === undefined ? [] : [[mark.area, mark] as const])),
  );
  // Larger areas are drawn first, so that smaller areas within them stay visible.
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

const gridPane = "grid";
const redrawn = "moveend zoomend resize viewreset";

export function drawGrid(map: LeafletMap): () => void {
  // The grid has a pane of its own, which keeps it below the other layers after a redraw.
  if (!map.getPane(gridPane)) map.createPane(gridPane).style.zIndex = "350";
  const grid = layerGroup().addTo(map);
  const draw = () => addLines(map, grid.clearLayers());
  map.on(redrawn, draw);
  draw();
  return () => {
    map.off(redrawn, draw);
    grid.remove();
  };
}

function addLines(map: LeafletMap, grid: LayerGroup): void {
  const bounds = map.getBounds();
  const [west, east, south, north] = [bounds.getWest(), bounds.getEast(), bounds.getSouth(), bounds.getNorth()];
  const { x, y } = map.getSize();
  const bottom = map.containerPointToLatLng([0, y]).lat;
  for (const { degree, text } of toLines(west, east, x / 110)) {
    addLine(grid, [south, degree], [north, degree]);
    addDegree(grid, [bottom, degree], text, "x");
  }
  for (const { degree, text } of toLines(Math.max(south, -85), Math.min(north, 85), y / 80)) {
    addLine(grid, [degree, west], [degree, east]);
    addDegree(grid, [degree, west], text, "y");
  }
}

function addLine(grid: LayerGroup, from: LatLngTuple, to: LatLngTuple): void {
  polyline([from, to], { pane: gridPane, interactive: false, className: "city-map-line", weight: 1 }).addTo(grid);
}

function addDegree(grid: LayerGroup, at: LatLngTuple, text: string, along: "x" | "y"): void {
  const words = document.createElement("span");
  words.textContent = text;
  const icon = divIcon({ html: words, className: `city-map-degree city-map-degree-${along}`, iconSize: [0, 0] });
  marker(at, { pane: gridPane, icon, interactive: false, keyboard: false }).addTo(grid);
}

const pinIcon = divIcon({
  className: "city-map-pin",
  html: '<svg viewBox="0 0 24 36" width="28" height="42" aria-hidden="true"><path d="M12 0a12 12 0 0 0-12 12c0 9 12 24 12 24s12-15 12-24A12 12 0 0 0 12 0z"/><circle cx="12" cy="12" r="5"/></svg>',
  iconSize: [28, 42],
  iconAnchor: [14, 42],
});

/** Past the date line, Leaflet's longitudes exceed 180 degrees; the API's never do. */
function toPosition(point: LatLng): Position {
  const { lat, lng } = point.wrap();
  return [lng, lat];
}

export function listenForPicks(map: LeafletMap, deeds: () => Deeds): () => void {
  const box = map.getContainer();
  const pickClicked = ({ latlng }: LeafletMouseEvent) => deeds().onPick?.(toPosition(latlng));
  const pickMiddle = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.target !== box) return;
    event.preventDefault();
    deeds().onPick?.(toPosition(map.getCenter()));
  };
  map.on("click", pickClicked);
  box.addEventListener("keydown", pickMiddle);
  return () => {
    map.off("click", pickClicked);
    box.removeEventListener("keydown", pickMiddle);
  };
}

export function drawPin(
  map: LeafletMap,
  place: Position,
  { picks, deeds }: { readonly picks: boolean; readonly deeds: () => Deeds },
): () => void {
  const pin = marker(toTuple(place), { icon: pinIcon, draggable: picks, keyboard: false, interactive: picks });
  pin.on("dragend", () => deeds().onPick?.(toPosition(pin.getLatLng())));
  pin.addTo(map);
  return () => void pin.remove();
}
