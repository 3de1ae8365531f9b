import { currentLanguage } from "#shared/language/language.ts";
import { formatInstant } from "#shared/instant.ts";

const units = ["B", "KB", "MB", "GB"] as const;

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

export const formatCount = (count: number): string =>
  count.toLocaleString(currentLanguage() === "zh" ? "zh-CN" : "en-GB");

export const joinWords = (words: readonly string[]): string => words.join(currentLanguage() === "zh" ? "、" : ", ");

export const today = (): string => formatInstant(Date.now()).slice(0, 10);

const dayMs = 86_400_000;

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);

const collator = new Intl.Collator("zh-u-co-pinyin", { numeric: true });

export const compareNames = (one: string, other: string): number => collator.compare(one, other);
