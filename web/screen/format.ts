import { currentLanguage } from "#shared/language/language.ts";
import { place } from "#shared/place.ts";

const numbers = (): string => (currentLanguage() === "zh" ? "zh-CN" : "en-GB");

/** 12345.6 is "12,345.6": at most two decimals. */
export const formatNumber = (value: number): string => value.toLocaleString(numbers(), { maximumFractionDigits: 2 });

export const formatCount = (value: number): string => Math.round(value).toLocaleString(numbers());

/** For an axis: compact from a hundred thousand on, "20万" or "200K". */
export const formatTick = (value: number): string =>
  value < 100_000 ? formatCount(value) : value.toLocaleString(numbers(), { notation: "compact" });

/** 0.972 is "97.2%"; below 1% it keeps two significant digits. */
export const formatShare = (share: number): string =>
  share.toLocaleString(numbers(), {
    style: "percent",
    maximumFractionDigits: share !== 0 && Math.abs(share) < 0.01 ? 2 : 1,
  });

/** An instant in the wire's format and the city's zone: "2026-11-20 09:30:00". */
export const formatInstant = (epochMs: number): string =>
  new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: place.timeZone }).format(
    epochMs,
  );

/** A full date: "2026年11月20日 星期五". */
export const formatDay = (epochMs: number): string =>
  new Intl.DateTimeFormat(numbers(), { dateStyle: "full", timeZone: place.timeZone }).format(epochMs);
