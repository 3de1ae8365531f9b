import { control, map as openMap, type Map as LeafletMap, tileLayer } from "leaflet";
import "leaflet/dist/leaflet.css";
import { listAreas } from "#shared/map/areas.ts";
import { drawAreas } from "#shared/map/area-layer.ts";
import { drawGrid } from "#shared/map/grid-layer.ts";
import { openLabels } from "#shared/map/label-layer.ts";
import type { Deeds, Drawing, MapSettings } from "#shared/map/map-parts.ts";
import { drawDots, drawHere, drawMarks } from "#shared/map/mark-layer.ts";
import { drawPin, listenForPicks } from "#shared/map/pin-layer.ts";
import { openView } from "#shared/map/view.ts";

export interface MapOptions {
  readonly words: { readonly zoomIn: string; readonly zoomOut: string; readonly here: string };
  readonly several: (count: number) => string;
  /** Nothing moves by itself. */
  readonly still: boolean;
  readonly opens: boolean;
  readonly picks: boolean;
  readonly deeds: () => Deeds;
}

export interface DrawnMap {
  draw(drawing: Drawing): void;
  close(): void;
}

/** Opens a map in a box. The library comes with this file, which is why nobody imports it but late. */
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
    // The library ends both by a timer that outlives the map, and fails when the page has been left meanwhile. The size
    // is watched below.
    zoomAnimation: false,
    trackResize: false,
  });
  const view = openView(map, still);
  control.zoom({ position: "topright", zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  control.scale({ imperial: false, position: "bottomright" }).addTo(map);
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
      // Tiles are sharp at whole steps alone; what is drawn fits its frame better between them.
      map.options.zoomSnap = drawing.settings?.tiles ? 1 : 0.25;
      // The view first: what is drawn depends on how near it is looked at.
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

/** Draws each part anew when what it is made of has changed. */
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

/** Takes away what it drew before, and draws again, when something of what it is given is another. */
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

/** What everything stands on: tiles, and without them and a map of the city a grid of degrees. */
function drawGround(map: LeafletMap, areas: Drawing["areas"], settings: MapSettings | undefined): () => void {
  if (settings?.tiles) return drawTiles(map, settings.tiles, settings.attribution);
  return areas ? () => undefined : drawGrid(map);
}

function drawTiles(map: LeafletMap, address: string, attribution: string | null): () => void {
  // Services that give tiles tell by the referring host who may have them; pages otherwise send none.
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
