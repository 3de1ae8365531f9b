import { circleMarker, divIcon, latLngBounds, layerGroup, type Map as LeafletMap, marker, type Marker } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import { type Deeds, type Mark, type MarkKind, toTuple } from "#shared/map/map-parts.ts";

interface MarkOptions {
  readonly opens: boolean;
  readonly deeds: () => Deeds;
  readonly several: (count: number) => string;
}

export type Group = readonly Mark[];

// Up to this number, marks are not clustered, so that a screen reader reads them one by one.
const mostUngathered = 100;
const cellPixels = 64;
const targetPixels = 44;

/** Redraws the marks after each movement of the map; unchanged marks keep their elements and with them the focus. */
export function drawMarks(map: LeafletMap, options: MarkOptions) {
  const drawn = new Map<string, Marker>();
  let [marks, chosen]: [readonly Mark[], Mark["id"]?] = [[]];
  const openMeant = (mark: Mark, event: MouseEvent) => options.deeds().onOpen?.(findMeant(map, marks, mark, event).id);
  const draw = () => {
    const groups = new Map(inSight(map, gather(map, marks, chosen)).map((group) => [keyOf(group, chosen), group]));
    for (const [key, old] of drawn)
      if (!groups.has(key)) {
        old.remove();
        drawn.delete(key);
      }
    for (const [key, group] of groups)
      if (!drawn.has(key)) drawn.set(key, toMarker(map, group, chosen, { ...options, openMeant }).addTo(map));
  };
  map.on("moveend", draw);
  return (nextMarks: readonly Mark[], nextChosen: Mark["id"] | undefined): void => {
    if (nextMarks === marks && nextChosen === chosen) return;
    [marks, chosen] = [nextMarks, nextChosen];
    draw();
  };
}

const keyOf = (group: Group, chosen: Mark["id"] | undefined): string =>
  JSON.stringify(
    group.length === 1
      ? group.map(({ id, at, label, kind, tone }) => [id, at, label, kind, tone, id === chosen])
      : [group.length, group[0]?.at, group.at(-1)?.at],
  );

/**
 * Touch targets may overlap, so a click means the mark nearest to the pointer. A key press, whose `detail` is 0, means
 * the focused mark.
 */
function findMeant(map: LeafletMap, marks: readonly Mark[], touched: Mark, event: MouseEvent): Mark {
  if (event.detail === 0) return touched;
  const point = map.mouseEventToContainerPoint(event);
  const farness = ({ at }: Mark): number => map.latLngToContainerPoint(toTuple(at)).distanceTo(point);
  return marks.reduce((nearest, mark) => (farness(mark) < farness(nearest) ? mark : nearest), touched);
}

/**
 * Clusters the marks by screen cell if there are many and the map is not at its maximum zoom. The selected mark is
 * never clustered.
 */
export function gather(map: LeafletMap, marks: readonly Mark[], chosen: Mark["id"] | undefined): Group[] {
  if (marks.length <= mostUngathered || map.getZoom() >= map.getMaxZoom()) return marks.map((mark) => [mark]);
  // Map.groupBy is missing in older WebViews of messaging apps.
  const cells = new Map<string, Mark[]>();
  for (const mark of marks) {
    const { x, y } = map.project(toTuple(mark.at)).divideBy(cellPixels).floor();
    const key = mark.id === chosen ? "chosen" : `${x} ${y}`;
    const cell = cells.get(key);
    if (cell) cell.push(mark);
    else cells.set(key, [mark]);
  }
  return [...cells.values()];
}

function inSight(map: LeafletMap, groups: readonly Group[]): Group[] {
  if (groups.length <= mostUngathered) return [...groups];
  const bounds = map.getBounds().pad(0.3);
  return groups.filter((group) => group.some(({ at }) => bounds.contains(toTuple(at))));
}

interface SignOptions extends MarkOptions {
  readonly openMeant: (mark: Mark, event: MouseEvent) => void;
}

function toMarker(map: LeafletMap, group: Group, chosen: Mark["id"] | undefined, options: SignOptions): Marker {
  const [mark] = group;
  const isAlone = group.length === 1 && mark !== undefined;
  const html = isAlone
    ? toSign(mark, mark.id === chosen, options)
    : toBubble(map, group, options.several(group.length));
  const icon = divIcon({
    html,
    className: "city-map-target",
    iconSize: [targetPixels, targetPixels],
  });
  return marker(isAlone ? toTuple(mark.at) : middleOf(group), {
    icon,
    keyboard: false,
    interactive: false,
    zIndexOffset: isAlone && mark.id === chosen ? 1000 : 0,
  });
}

export const middleOf = (group: Group) => latLngBounds(group.map(({ at }) => toTuple(at))).getCenter();

function toSign(mark: Mark, isChosen: boolean, { opens, openMeant }: SignOptions): HTMLElement {
  const sign = document.createElement(opens ? "button" : "span");
  sign.className = ["city-map-mark", `city-map-${mark.kind}`, mark.tone ?? "", isChosen ? "city-map-chosen" : ""]
    .filter((name) => name !== "")
    .join(" ");
  sign.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/><path d="${signs[mark.kind]}"/></svg>`;
  if (opens) listen(sign, mark.label, (event) => openMeant(mark, event));
  if (isChosen) sign.setAttribute("aria-current", "true");
  return sign;
}

function toBubble(map: LeafletMap, group: Group, words: string): HTMLElement {
  const bubble = document.createElement("button");
  bubble.className = "city-map-bubble";
  bubble.textContent = String(group.length);
  listen(bubble, words, () => {
    const bounds = latLngBounds(group.map(({ at }) => toTuple(at)));
    map.fitBounds(bounds, { padding: [40, 40], animate: false });
  });
  return bubble;
}

function listen(button: HTMLElement, words: string, act: (event: MouseEvent) => void): void {
  button.setAttribute("type", "button");
  button.setAttribute("aria-label", words);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    act(event);
  });
  button.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") event.stopPropagation();
  });
}

const signs: Readonly<Record<MarkKind, string>> = {
  toilet:
    "M8.8 5.7a1.5 1.5 0 1 1-.01 0zM7.3 9.2h3v4.2h-.5V18H7.8v-4.6h-.5zM15.2 5.7a1.5 1.5 0 1 1-.01 0zM15.2 9.2l2.4 5.4h-1.4V18h-2v-3.4h-1.4z",
  spot: "M4 17.5 9.5 8l3 5 2-3 5.5 7.5z",
  clinic: "M10.2 6h3.6v4.2H18v3.6h-4.2V18h-3.6v-4.2H6v-3.6h4.2z",
  team: "M12 5.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM6 18.5a6 6 0 0 1 12 0z",
  place: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
};

const dotPane = "dots";

export function drawDots(map: LeafletMap, dots: readonly Position[]): () => void {
  // A pane of their own keeps the dots above the areas, which may load later.
  if (!map.getPane(dotPane)) map.createPane(dotPane).style.zIndex = "410";
  const radius = Math.max(4, Number.parseFloat(getComputedStyle(map.getContainer()).fontSize) / 7);
  const drawn = layerGroup(
    dots.map((at) =>
      circleMarker(toTuple(at), { radius, pane: dotPane, interactive: false, className: "city-map-point" }),
    ),
  ).addTo(map);
  return () => void drawn.remove();
}

export function drawHere(map: LeafletMap, here: Position, words: string): () => void {
  const dot = document.createElement("span");
  dot.setAttribute("role", "img");
  dot.setAttribute("aria-label", words);
  const icon = divIcon({ html: dot, className: "city-map-here", iconSize: [24, 24] });
  const drawn = marker(toTuple(here), { icon, keyboard: false, interactive: false, zIndexOffset: -1000 }).addTo(map);
  return () => void drawn.remove();
}
