import { DomUtil, type Map as LeafletMap, type Point } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import type { Area } from "#shared/map/areas.ts";
import { type Mark, toTuple } from "#shared/map/map-parts.ts";
import { gather, type Group, middleOf } from "#shared/map/mark-layer.ts";

interface Named {
  readonly text: string;
  readonly at: Position;
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

const bubblePixels = 40;

/**
 * Places labels by priority: the selected mark, other unclustered marks, then areas by size. A mark's label is on the
 * right of the mark, else left, below or above. A label that would overlap another label or a mark is hidden.
 */
export function openLabels(map: LeafletMap): Labels {
  const pane = map.createPane("names");
  pane.classList.add("city-map-names");
  const measure = openMeasure(pane);
  const drawn = new Map<string, HTMLElement>();
  let shown: Shown = { areas: [], marks: [], chosen: undefined };
  const draw = () => {
    const groups = gather(map, shown.marks, shown.chosen);
    const fitting = place(map, listNames(shown, groups), groups, { sign: readSign(pane), measure });
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
  return {
    show: (areas, { marks, chosen }) => {
      if (shown.areas === areas && shown.marks === marks && shown.chosen === chosen) return;
      shown = { areas, marks, chosen };
      draw();
    },
  };
}

interface Shown {
  readonly areas: readonly Area[];
  readonly marks: readonly Mark[];
  readonly chosen: Mark["id"] | undefined;
}

function listNames({ areas, marks, chosen }: Shown, groups: readonly Group[]): Named[] {
  const marked = new Set(marks.flatMap(({ area }) => area ?? []));
  const alone = groups.flatMap((group) => (group.length === 1 ? group : []));
  return [
    ...alone.filter(({ id }) => id === chosen).map(toNamed),
    ...alone.filter(({ id }) => id !== chosen).map(toNamed),
    ...areas
      .filter(({ name }) => !marked.has(name))
      .toSorted((a, b) => b.extent - a.extent)
      .map(({ name, middle }) => ({ text: name, at: middle, of: "area" as const })),
  ];
}

const toNamed = ({ label, at }: Mark): Named => ({ text: label, at, of: "mark" });

interface Placed extends Named {
  readonly point: Point;
}

function place(
  map: LeafletMap,
  named: readonly Named[],
  groups: readonly Group[],
  { sign, measure }: { readonly sign: number; readonly measure: Measure },
): ReadonlyMap<string, Placed> {
  const sight = map.getBounds().pad(0.2);
  const isInSight = (at: Position) => sight.contains(toTuple(at));
  const taken: Box[] = groups
    .filter((group) => group.some(({ at }) => isInSight(at)))
    .map((group) => {
      const [mark] = group;
      const isAlone = group.length === 1 && mark !== undefined;
      const size = isAlone ? sign : bubblePixels;
      return boxAround(map.latLngToLayerPoint(isAlone ? toTuple(mark.at) : middleOf(group)), size, size);
    });
  const placed = new Map<string, Placed>();
  for (const one of named) {
    if (!isInSight(one.at)) continue;
    const middle = map.latLngToLayerPoint(toTuple(one.at));
    const { width, height } = measure(one.text);
    const free = listPoints(one, middle, { width, height, sign })
      .map((point) => ({ point, box: boxAround(point, width, height) }))
      .find(({ box }) => !taken.some((other) => overlaps(box, other)));
    if (!free) continue;
    taken.push(free.box);
    placed.set(`${one.of} ${one.text} ${String(one.at)}`, { ...one, point: free.point });
  }
  return placed;
}

function listPoints({ of }: Named, middle: Point, size: Size & { readonly sign: number }): Point[] {
  if (of === "area") return [middle];
  const [aside, under] = [size.sign / 2 + 2 + size.width / 2, (size.sign + size.height) / 2];
  return [middle.add([aside, 0]), middle.add([-aside, 0]), middle.add([0, under]), middle.add([0, -under])];
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
  if (of === "mark") words.setAttribute("aria-hidden", "true");
  label.append(words);
  pane.append(label);
  return label;
}

/** The style sheet registers the property as a length, so that its value is read in pixels. */
const readSign = (pane: HTMLElement): number =>
  Number.parseFloat(getComputedStyle(pane).getPropertyValue("--map-sign"));

interface Size {
  readonly width: number;
  readonly height: number;
}

type Measure = (text: string) => Size;

/** Measures text on a canvas and caches its width, since a layout per label would take a second in total. */
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

const maxEms = 14;
