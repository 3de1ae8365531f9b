import {
  circleMarker,
  control,
  divIcon,
  type LatLng,
  latLngBounds,
  type LatLngTuple,
  type LayerGroup,
  layerGroup,
  map as openMap,
  type Map as LeafletMap,
  marker,
  type Marker,
  polyline,
} from "leaflet";
import "leaflet/dist/leaflet.css";
import { type RefObject, useEffect, useRef } from "react";
import { useTexts } from "#shared/language/language.ts";
import { type Place, toLines } from "#console/pages/disease-command/map/coordinates.ts";
import "#console/pages/disease-command/map/drawn-map.css";
import type { Mark, MapProps } from "#console/pages/disease-command/map/map.tsx";
import { texts } from "#console/pages/disease-command/map/texts.ts";

const toTuple = ({ latitude, longitude }: Place): LatLngTuple => [latitude, longitude];

/** A click beyond the date line counts on; the wire ends at 180. */
function toPlace(point: LatLng): Place {
  const { lat, lng } = point.wrap();
  return { longitude: lng, latitude: lat };
}

// The whole country: what is looked at while nothing is known.
const country: LatLngTuple = [35.5, 105];
const countryZoom = 4;
const placeZoom = 16;
const labelledMarks = 40;

export function DrawnMap({ label, height, marks, place, onPick }: MapProps) {
  const t = useTexts(texts);
  const box = useRef<HTMLDivElement>(null);
  const map = useMap(box, { zoomIn: t.zoomIn, zoomOut: t.zoomOut }, [place, ...marks]);
  useMarks(map, marks);
  usePin(map, place, onPick);
  return (
    <div className={`q-disease-map ${onPick ? "q-disease-map-picks" : ""}`}>
      <div ref={box} role="application" aria-label={onPick ? `${label}: ${t.pickAbout}` : label} style={{ height }} />
      {onPick && <span className="q-disease-map-middle" aria-hidden />}
    </div>
  );
}

type Opened = RefObject<LeafletMap | null>;

/** Opens the map on what is known, with its grid and its scale. */
function useMap(
  box: RefObject<HTMLDivElement | null>,
  titles: { zoomIn: string; zoomOut: string },
  known: readonly (Place | undefined)[],
): Opened {
  const opened = useRef<LeafletMap>(null);
  const shown = useRef(0);
  useEffect(() => {
    if (!box.current) return undefined;
    const map = openMap(box.current, {
      zoomControl: false,
      attributionControl: false,
      minZoom: 3,
      maxZoom: 19,
      worldCopyJump: true,
      // The library ends both by a timer that outlives the map, and fails when the page has been left meanwhile. The size
      // is watched below.
      zoomAnimation: false,
      trackResize: false,
    });
    opened.current = map;
    map.setView(country, countryZoom);
    control.zoom({ position: "topright", zoomInTitle: titles.zoomIn, zoomOutTitle: titles.zoomOut }).addTo(map);
    control.scale({ imperial: false, position: "bottomright" }).addTo(map);
    drawGrid(map);
    const watch = new ResizeObserver(() => map.invalidateSize());
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      map.remove();
      opened.current = null;
      shown.current = 0;
    };
  }, [box, titles.zoomIn, titles.zoomOut]);
  useEffect(() => {
    const places = known.filter((one) => one !== undefined);
    // Once what is known has arrived; afterwards the view is the person's own.
    if (!opened.current || places.length === 0 || shown.current > 0) return;
    shown.current = places.length;
    const [first] = known;
    if (first) opened.current.setView(toTuple(first), placeZoom, { animate: false });
    else opened.current.fitBounds(latLngBounds(places.map(toTuple)), { padding: [40, 40], maxZoom: placeZoom });
  });
  return opened;
}

const gridPane = "grid";

/** Lines at round degrees with their figures at the edge, drawn anew after every move. */
function drawGrid(map: LeafletMap): void {
  // Below what stands on it, however late it is drawn anew.
  map.createPane(gridPane).style.zIndex = "350";
  const grid = layerGroup().addTo(map);
  const draw = () => {
    grid.clearLayers();
    const bounds = map.getBounds();
    const [west, east, south, north] = [bounds.getWest(), bounds.getEast(), bounds.getSouth(), bounds.getNorth()];
    const { x, y } = map.getSize();
    for (const { degree, text } of toLines(west, east, x / 110))
      addLine(
        grid,
        [
          [south, degree],
          [north, degree],
        ],
        text,
        map.containerPointToLatLng([0, y]).lat,
        degree,
        "x",
      );
    for (const { degree, text } of toLines(Math.max(south, -85), Math.min(north, 85), y / 80))
      addLine(
        grid,
        [
          [degree, west],
          [degree, east],
        ],
        text,
        degree,
        west,
        "y",
      );
  };
  map.on("moveend zoomend resize viewreset", draw);
  draw();
}

function addLine(
  grid: LayerGroup,
  line: LatLngTuple[],
  text: string,
  latitude: number,
  longitude: number,
  along: "x" | "y",
): void {
  polyline(line, { pane: gridPane, interactive: false, className: "q-disease-map-line", weight: 1 }).addTo(grid);
  const icon = divIcon({
    html: `<span>${text}</span>`,
    className: `q-disease-map-degree q-disease-map-${along}`,
    iconSize: [0, 0],
  });
  marker([latitude, longitude], { pane: gridPane, icon, interactive: false, keyboard: false }).addTo(grid);
}

/** What else is known, each with its name: all of them while they are few, else the one that is pointed at. */
function useMarks(map: Opened, marks: readonly Mark[]): void {
  useEffect(() => {
    if (!map.current) return undefined;
    const layer = layerGroup().addTo(map.current);
    for (const mark of marks) {
      const name = document.createElement("span");
      name.textContent = mark.name;
      const drawn = circleMarker(toTuple(mark), { radius: 5, className: "q-disease-map-mark" })
        .bindTooltip(name, { permanent: marks.length <= labelledMarks, direction: "right", offset: [6, 0] })
        .addTo(layer);
      // A tooltip listens for the focus, by which a browser takes a shape for something to tab to: hundreds of them.
      drawn.getElement()?.setAttribute("tabindex", "-1");
    }
    return () => void layer.remove();
  }, [map, marks]);
}

const pinIcon = divIcon({
  className: "q-disease-map-pin",
  html: '<svg viewBox="0 0 24 36" width="28" height="42" aria-hidden="true"><path d="M12 0a12 12 0 0 0-12 12c0 9 12 24 12 24s12-15 12-24A12 12 0 0 0 12 0z"/><circle cx="12" cy="12" r="5"/></svg>',
  iconSize: [28, 42],
  iconAnchor: [14, 42],
});

/** The place that is meant, and the ways to mean another. */
function usePin(map: Opened, place: Place | undefined, onPick: MapProps["onPick"]): void {
  const pin = useRef<Marker>(null);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  }, [onPick]);
  const picks = onPick !== undefined;
  useEffect(() => {
    const opened = map.current;
    if (!opened || !picks) return undefined;
    const box = opened.getContainer();
    const pickMiddle = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || event.target !== box) return;
      event.preventDefault();
      pick.current?.(toPlace(opened.getCenter()));
    };
    opened.on("click", ({ latlng }) => pick.current?.(toPlace(latlng)));
    box.addEventListener("keydown", pickMiddle);
    return () => {
      opened.off("click");
      box.removeEventListener("keydown", pickMiddle);
    };
  }, [map, picks]);
  useEffect(() => {
    const opened = map.current;
    if (!opened || !place) return undefined;
    const drawn = marker(toTuple(place), { icon: pinIcon, draggable: picks, keyboard: false, interactive: picks });
    drawn.on("dragend", () => pick.current?.(toPlace(drawn.getLatLng())));
    drawn.addTo(opened);
    pin.current = drawn;
    if (!opened.getBounds().contains(drawn.getLatLng())) opened.panTo(drawn.getLatLng());
    return () => void drawn.remove();
  }, [map, place, picks]);
}
