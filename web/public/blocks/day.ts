import { formatInstant } from "#shared/instant.ts";

/** The date of that many days ago at the institution, yyyy-MM-dd; 0 is today. */
export const dayBack = (days: number): string => formatInstant(Date.now() - days * 86_400_000).slice(0, 10);
