import {
  divIcon,
  type LatLngTuple,
  type LayerGroup,
  layerGroup,
  type Map as LeafletMap,
  marker,
  polyline,
} from "leaflet";
import { toLines } from "#shared/map/coordinates.ts";

const gridPane = "grid";
const redrawn = "moveend zoomend resize viewreset";

/** Lines at round degrees with their figures at the edge, drawn anew after every move. Returns how to take them away. */
export function drawGrid(map: LeafletMap): () => void {
  // Below what stands on it, however late it is drawn anew.
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
