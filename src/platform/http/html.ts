import { hash } from "node:crypto";
import { toAccents } from "#platform/contract/accent.ts";
import type { Language } from "#platform/contract/language.ts";
import type { Institution } from "#platform/process/institution.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

const angles = [-90, -18, 54, 126, 198].map((degrees) => (degrees * Math.PI) / 180);
const petals = angles.map((angle) => ({
  x: (16 + 9 * Math.cos(angle)).toFixed(2),
  y: (16 + 9 * Math.sin(angle)).toFixed(2),
}));
const colours = ["#2563eb", "#0891b2", "#16a34a", "#d97706", "#db2777"] as const;

export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">${petals
  .map(({ x, y }, index) => `<circle cx="${x}" cy="${y}" r="5.2" fill="${colours[index]}"/>`)
  .join("")}</svg>`;

export const icon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}">`;

export interface Branding {
  readonly name: string;
  readonly mark: string;
  readonly icon: string;
  readonly style: string;
  readonly styleSource: string;
}

export const pictureAddress = (base: string, picture: string): string =>
  picture === "" ? "" : `${base}/platform/institution/picture/${encodeURIComponent(picture)}`;

export function describeBranding(institution: Institution, language: Language, base: string): Branding {
  const { name, nameEn, color, logo } = institution;
  const picture = escapeHtml(pictureAddress(base, logo));
  const css = color === "" ? "" : writeColors(color);
  return {
    name: escapeHtml((language === "en" && nameEn) || name),
    mark: logo === "" ? mark : `<img src="${picture}" alt="">`,
    icon: logo === "" ? icon : `<link rel="icon" href="${picture}">`,
    style: css === "" ? "" : `<style>${css}</style>`,
    styleSource: css === "" ? "" : `'sha256-${hash("sha256", css, "base64")}'`,
  };
}

/** The colours apply to screens only, so that printed pages stay black on white. */
function writeColors(color: string): string {
  const { light, dark } = toAccents(color);
  const rule = (accent: string, soft: string, ground: string): string =>
    `:root{--accent:${accent};--link:${accent};--accent-soft:color-mix(in srgb,${accent} ${soft},${ground})}`;
  return `@media screen{${rule(light, "8%", "#fff")}}@media screen and (prefers-color-scheme:dark){${rule(dark, "16%", "#171a20")}}`;
}

interface PageStart {
  readonly head?: readonly string[];
  readonly branding?: Branding;
}

export const beginPage = (
  language: Language,
  title: string,
  { head = [], branding }: PageStart = {},
): string => `<!doctype html>
<html lang="${language === "zh" ? "zh-CN" : "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${branding?.name ? `${title} · ${branding.name}` : title}</title>
${[branding?.icon ?? icon, ...head, branding?.style ?? ""].join("\n")}
</head>`;
