import { place } from "#shared/place.ts";

// The formatter is created once, since creating one takes up to a millisecond and a table formats hundreds of times.
const formatter = new Intl.DateTimeFormat("sv-SE", {
  dateStyle: "short",
  timeStyle: "medium",
  timeZone: place.timeZone,
});

/** Formats an instant as yyyy-MM-dd HH:mm:ss in the institution's time zone. */
export const formatInstant = (epochMs: number): string => formatter.format(epochMs);
