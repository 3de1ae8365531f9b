import type { Datum } from "#platform/contract/datum.ts";
import { place } from "#shared/place.ts";

/** What all coordinates that are stored are measured against, as the server told it with the page. */
export const storedDatum: Datum = (place.told as { readonly datum: Datum }).datum;
