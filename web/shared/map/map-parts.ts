import type { LatLngTuple } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import type { Areas } from "#shared/map/areas.ts";

// All coordinates are [longitude, latitude] in the datum MAP_DATUM.

export interface Mark {
  readonly id: string | number;
  readonly at: Position;
  /** The accessible name, which is also drawn where there is room. */
  readonly label: string;
  readonly kind: MarkKind;
  /** "quiet" marks are for orientation only. */
  readonly tone?: "quiet" | "warning" | "danger" | undefined;
  /** The name of the city map's feature that this mark represents; a click on the feature opens the mark. */
  readonly area?: string | undefined;
}

export type MarkKind = "toilet" | "spot" | "clinic" | "team" | "place";

export interface MapSettings {
  readonly tiles: string | null;
  readonly attribution: string | null;
  readonly center: readonly [number, number] | null;
  readonly zoom: number | null;
}

/** A layer is redrawn only if a field that it shows is not the same object as before. */
export interface Drawing {
  readonly areas?: Areas | undefined;
  readonly settings?: MapSettings | undefined;
  readonly marks?: readonly Mark[] | undefined;
  readonly dots?: readonly Position[] | undefined;
  readonly chosen?: Mark["id"] | undefined;
  readonly here?: Position | undefined;
  readonly place?: Position | undefined;
  readonly labels?: boolean | undefined;
}

export interface Deeds {
  readonly onOpen?: ((id: Mark["id"]) => void) | undefined;
  /** A position is picked by a click, by dragging the pin, or by Enter for the map's centre. */
  readonly onPick?: ((place: Position) => void) | undefined;
}

export const toTuple = ([longitude, latitude]: Position): LatLngTuple => [latitude, longitude];
