import { DomUtil, type Map as LeafletMap, type Point } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import type { Area } from "#shared/map/areas.ts";
import { type Mark, toTuple } from "#shared/map/map-parts.ts";

interface Named {
  readonly text: string;
  readonly at: Position;
  /** Of a mark the name stands beside it, of an area in its middle. */
  readonly of: "mark" | "area";
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Labels {
  show(areas: readonly Area[], marked: { marks: readonly Mark[]; chosen: Mark["id"] | undefined }): void;
}

const signPixels = 26;

/**
 * Names on the map, those that matter most first: the chosen mark, marks, areas by their size. One that would lie on
 * another, or on a mark, is left out until there is room.
 */
export function openLabels(map: LeafletMap): Labels {
  const pane = map.createPane("names");
  pane.classList.add("city-map-names");
  const measure = openMeasure(pane);
  const drawn = new Map<string, HTMLElement>();
  let [named, signs]: [readonly Named[], readonly Position[]] = [[], []];
  const draw = () => {
    const fitting = place(map, named, signs, measure);
    for (const [key, old] of drawn)
      if (!fitting.has(key)) {
        old.remove();
        drawn.delete(key);
      }
    for (const [key, { text, of, point }] of fitting) {
      const label = drawn.get(key) ?? addLabel(pane, text, of);
      drawn.set(key, label);
      DomUtil.setPosition(label, point);
    }
  };
  map.on("moveend zoomend viewreset", draw);
  let last: readonly unknown[] = [];
  return {
    show: (areas, { marks, chosen }) => {
      if (last[0] === areas && last[1] === marks && last[2] === chosen) return;
      last = [areas, marks, chosen];
      named = listNames(areas, marks, chosen);
      signs = marks.map(({ at }) => at);
      draw();
    },
  };
}

function listNames(areas: readonly Area[], marks: readonly Mark[], chosen: Mark["id"] | undefined): Named[] {
  const marked = new Set(marks.flatMap(({ area }) => area ?? []));
  const first = marks.filter(({ id }) => id === chosen);
  const rest = marks.filter(({ id }) => id !== chosen);
  return [
    ...[...first, ...rest].map(({ label, at }) => ({ text: label, at, of: "mark" as const })),
    ...areas
      .filter(({ name }) => !marked.has(name))
      .toSorted((a, b) => b.extent - a.extent)
      .map(({ name, middle }) => ({ text: name, at: middle, of: "area" as const })),
  ];
}

interface Placed extends Named {
  readonly point: Point;
}

function place(
  map: LeafletMap,
  named: readonly Named[],
  signs: readonly Position[],
  measure: Measure,
): ReadonlyMap<string, Placed> {
  const sight = map.getBounds().pad(0.2);
  const isInSight = (at: Position) => sight.contains(toTuple(at));
  const taken: Box[] = signs
    .filter(isInSight)
    .map((at) => boxAround(map.latLngToLayerPoint(toTuple(at)), signPixels, signPixels));
  const placed = new Map<string, Placed>();
  for (const one of named) {
    if (!isInSight(one.at)) continue;
    const middle = map.latLngToLayerPoint(toTuple(one.at));
    const { width, height } = measure(one.text);
    const point = one.of === "area" ? middle : middle.add([signPixels / 2 + 2 + width / 2, 0]);
    const box = boxAround(point, width, height);
    if (taken.some((other) => overlaps(box, other))) continue;
    taken.push(box);
    placed.set(`${one.of} ${one.text} ${String(one.at)}`, { ...one, point });
  }
  return placed;
}

const boxAround = ({ x, y }: Point, width: number, height: number): Box => ({
  left: x - width / 2,
  top: y - height / 2,
  right: x + width / 2,
  bottom: y + height / 2,
});

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function addLabel(pane: HTMLElement, text: string, of: Named["of"]): HTMLElement {
  const label = document.createElement("span");
  label.className = `city-map-name city-map-name-${of}`;
  const words = document.createElement("span");
  words.textContent = text;
  // What a mark is called is said by its button.
  if (of === "mark") words.setAttribute("aria-hidden", "true");
  label.append(words);
  pane.append(label);
  return label;
}

type Measure = (text: string) => { readonly width: number; readonly height: number };

/** How much room a text takes, each measured once: by letters alone, since a layout a name would take a second. */
function openMeasure(pane: HTMLElement): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const known = new Map<string, number>();
  let font = "";
  return (text) => {
    const { fontFamily, fontSize, fontWeight } = getComputedStyle(pane);
    const now = `${fontWeight} ${fontSize} ${fontFamily}`;
    if (now !== font) known.clear();
    font = now;
    if (context) context.font = font;
    const width = known.get(text) ?? context?.measureText(text).width ?? 0;
    known.set(text, width);
    return {
      width: Math.min(width, maxEms * Number.parseFloat(fontSize)) + 12,
      height: Number.parseFloat(fontSize) * 1.8,
    };
  };
}

// Longer names are cut with an ellipsis.
const maxEms = 14;
