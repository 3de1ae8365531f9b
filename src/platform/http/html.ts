import type { Language } from "#platform/contract/language.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as it may stand in an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

const angles = [-90, -18, 54, 126, 198].map((degrees) => (degrees * Math.PI) / 180);
const petals = angles.map((angle) => ({
  x: (16 + 9 * Math.cos(angle)).toFixed(2),
  y: (16 + 9 * Math.sin(angle)).toFixed(2),
}));
const colours = ["#2563eb", "#0891b2", "#16a34a", "#d97706", "#db2777"] as const;

/** The mark of the platform: five services in a ring. */
export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">${petals
  .map(({ x, y }, index) => `<circle cx="${x}" cy="${y}" r="5.2" fill="${colours[index]}"/>`)
  .join("")}</svg>`;

/** The mark as the icon of a page, within the page, so that browsers do not look for one. */
export const icon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}">`;

/** A page up to the end of its head, in the reader's light or dark; what is given last is added to the head. */
export const beginPage = (language: Language, title: string, ...more: readonly string[]): string => `<!doctype html>
<html lang="${language === "zh" ? "zh-CN" : "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${[icon, ...more].join("\n")}
</head>`;
