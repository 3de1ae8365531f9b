import { currentLanguage } from "#shared/language/language.ts";
import { place } from "#shared/place.ts";

const numbers = (): string => (currentLanguage() === "zh" ? "zh-CN" : "en-GB");

export const formatNumber = (value: number): string => value.toLocaleString(numbers(), { maximumFractionDigits: 2 });

export const formatCount = (value: number): string => Math.round(value).toLocaleString(numbers());

export const formatTick = (value: number): string =>
  value < 100_000 ? formatCount(value) : value.toLocaleString(numbers(), { notation: "compact" });

export const formatShare = (share: number): string =>
  share.toLocaleString(numbers(), {
    style: "percent",
    maximumFractionDigits: share !== 0 && Math.abs(share) < 0.01 ? 2 : 1,
  });

export const formatDay = (epochMs: number): string =>
  new Intl.DateTimeFormat(numbers(), {
    year: "numeric",
    month: "short",
    day: "numeric",
    weekday: "short",
    timeZone: place.timeZone,
  }).format(epochMs);
