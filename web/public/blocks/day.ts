import { place } from "#shared/place.ts";

/** The date of that many days ago at the institution, yyyy-MM-dd; 0 is today. */
export const dayBack = (days: number): string =>
  new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone: place.timeZone }).format(
    Date.now() - days * 86_400_000,
  );
