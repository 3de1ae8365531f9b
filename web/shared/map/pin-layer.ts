import { divIcon, type LatLng, type LeafletMouseEvent, type Map as LeafletMap, marker } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import { type Deeds, toTuple } from "#shared/map/map-parts.ts";

const pinIcon = divIcon({
  className: "city-map-pin",
  html: '<svg viewBox="0 0 24 36" width="28" height="42" aria-hidden="true"><path d="M12 0a12 12 0 0 0-12 12c0 9 12 24 12 24s12-15 12-24A12 12 0 0 0 12 0z"/><circle cx="12" cy="12" r="5"/></svg>',
  iconSize: [28, 42],
  iconAnchor: [14, 42],
});

/** A click beyond the date line counts on; the wire ends at 180. */
function toPosition(point: LatLng): Position {
  const { lat, lng } = point.wrap();
  return [lng, lat];
}

/** Listens for places that are meant: clicks, and Enter for the middle. Returns how to stop. */
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

/** The place that is meant; it can be dragged where places are picked. Returns how to take it away. */
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
