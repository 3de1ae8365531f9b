import type { Datum } from "#platform/contract/datum.ts";
import type { MapSettings } from "#shared/map/city-map.tsx";
import { place } from "#shared/place.ts";

/** How maps are set, as the server told it with the page: distances need it before any map is there. */
export const settingsOfMap = (place.told as { readonly map: MapSettings & { readonly datum: Datum } }).map;
