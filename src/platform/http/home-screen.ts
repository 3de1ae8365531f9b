import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { Language } from "#platform/contract/language.ts";
import { mark } from "#platform/http/html.ts";
import { sendStored, storeAnswer, storeBilingual, storeCompressed } from "#platform/http/stored-answer.ts";

// What a browser asks for beside a page: its icon, and the manifest by which a phone puts the page on its home screen.

const sizes = [192, 512] as const;
const iconPath = (size: number): string => `/icon-${size}.png`;
const keptForADay = "public, max-age=86400";

/** Serves the icons; `/favicon.ico` at the root of the host too, where browsers look of their own accord. */
export function serveIcons(app: FastifyInstance, base: string): void {
  const small = storeAnswer(mark, { "content-type": "image/svg+xml", "cache-control": keptForADay });
  for (const address of new Set([`${base}/favicon.ico`, "/favicon.ico"]))
    app.get(address, (request, reply) => sendStored(request, reply, small));
  for (const size of sizes) {
    const body = readFileSync(new URL(`icons/icon-${size}.png`, import.meta.url));
    const large = storeCompressed(body, {}, { "content-type": "image/png", "cache-control": keptForADay });
    app.get(base + iconPath(size), (request, reply) => sendStored(request, reply, large));
  }
}

/** What a page is called. */
export interface Described {
  readonly title: string;
  readonly about: string;
}

/** Where the manifest of a page is, whose path ends with a slash. */
export const manifestAt = (base: string, page: string): string => `${base}${page}manifest.webmanifest`;

/** Serves the manifest of the page and of what is below it. */
export function serveManifest(
  app: FastifyInstance,
  base: string,
  page: string,
  describe: (language: Language) => Described,
): void {
  const store = (language: Language) =>
    storeAnswer(JSON.stringify(writeManifest(base, page, language, describe(language))), {
      "content-type": "application/manifest+json; charset=utf-8",
      vary: "accept-language",
    });
  app.get(manifestAt(base, page), storeBilingual(store));
}

const writeManifest = (base: string, page: string, language: Language, { title, about }: Described) => ({
  name: title,
  short_name: title,
  description: about,
  lang: language === "zh" ? "zh-CN" : "en",
  id: base + page,
  start_url: base + page,
  scope: base + page,
  display: "standalone",
  background_color: "#f6f7f9",
  theme_color: "#1d4ed8",
  icons: [
    ...sizes.map((size) => ({ src: base + iconPath(size), sizes: `${size}x${size}`, type: "image/png" })),
    { src: `${base}/favicon.ico`, sizes: "any", type: "image/svg+xml" },
  ],
});
