import type { LatLngTuple } from "leaflet";
import type { Position } from "#platform/contract/datum.ts";
import type { Areas } from "#shared/map/areas.ts";

// A map's input. All coordinates are [longitude, latitude] in MAP_DATUM.

export interface Mark {
  readonly id: string | number;
  readonly at: Position;
  /** The name: a label if there is room, and the accessible name. */
  readonly label: string;
  readonly kind: MarkKind;
  /** The mark's status: "quiet" for orientation only. */
  readonly tone?: "quiet" | "warning" | "danger" | undefined;
  /** The city map's feature that it stands for, which opens it too. */
  readonly area?: string | undefined;
}

export type MarkKind = "toilet" | "spot" | "clinic" | "team" | "place";

export interface MapSettings {
  readonly tiles: string | null;
  readonly attribution: string | null;
  readonly center: readonly [number, number] | null;
  readonly zoom: number | null;
}

/** The map's content; a part with unchanged identity is not redrawn. */
export interface Drawing {
  readonly areas?: Areas | undefined;
  readonly settings?: MapSettings | undefined;
  readonly marks?: readonly Mark[] | undefined;
  /** Unlabelled points without interaction, in any number. */
  readonly dots?: readonly Position[] | undefined;
  /** The selected mark, drawn larger and brought into view. */
  readonly chosen?: Mark["id"] | undefined;
  /** The user's position; the map moves there once it is known. */
  readonly here?: Position | undefined;
  readonly place?: Position | undefined;
  /** Whether areas and marks are labelled; true by default. */
  readonly labels?: boolean | undefined;
}

export interface Deeds {
  readonly onOpen?: ((id: Mark["id"]) => void) | undefined;
  /** Receives a picked position: by a click, by dragging the pin, or by Enter for the centre. */
  readonly onPick?: ((place: Position) => void) | undefined;
}

export const toTuple = ([longitude, latitude]: Position): LatLngTuple => [latitude, longitude];
