import type { LatLngTuple } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import type { Areas } from "#shared/map/areas.ts";

// What a map is given, by whoever draws one. All coordinates are [longitude, latitude] in MAP_DATUM.

export interface Mark {
  readonly id: string | number;
  readonly at: Position;
  /** Its name: text beside it where there is room, and what a screen reader says. */
  readonly label: string;
  readonly kind: MarkKind;
  /** How it is: "quiet" for what is there for orientation only. */
  readonly tone?: "quiet" | "warning" | "danger" | undefined;
  /** The feature of the city's map that it is: a touch on that opens it too. */
  readonly area?: string | undefined;
}

export type MarkKind = "toilet" | "spot" | "clinic" | "team" | "place";

export interface MapSettings {
  readonly tiles: string | null;
  readonly attribution: string | null;
  readonly center: readonly [number, number] | null;
  readonly zoom: number | null;
}

/** What is drawn; a part that is the same object as before is left as it is. */
export interface Drawing {
  /** The city's own map, with names and areas. */
  readonly areas?: Areas | undefined;
  readonly settings?: MapSettings | undefined;
  readonly marks?: readonly Mark[] | undefined;
  /** What is seen and no more, however many: points without a name. */
  readonly dots?: readonly Position[] | undefined;
  /** The mark that is meant: it is drawn larger, and brought into view. */
  readonly chosen?: Mark["id"] | undefined;
  /** Where the person is; the map goes there when it becomes known. */
  readonly here?: Position | undefined;
  readonly place?: Position | undefined;
  /** Names of areas and marks as texts; left out, they are there. */
  readonly labels?: boolean | undefined;
}

export interface Deeds {
  readonly onOpen?: ((id: Mark["id"]) => void) | undefined;
  /** Means a place: by a click, by dragging the pin, by Enter in the middle. */
  readonly onPick?: ((place: Position) => void) | undefined;
}

export const toTuple = ([longitude, latitude]: Position): LatLngTuple => [latitude, longitude];
