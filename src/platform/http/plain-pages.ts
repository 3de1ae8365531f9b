import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import { renderDevelopersPage } from "#platform/http/developers-page.ts";
import { describeEntrances, renderEntrances } from "#platform/http/entrances-page.ts";
import { serveIcons, serveManifest } from "#platform/http/home-screen.ts";
import { nameContent, sendStored, storeAnswer, storeBilingual } from "#platform/http/stored-answer.ts";
import type { WebPage } from "#platform/process/service.ts";

// The pages that are text and one style sheet: the entrances, the developers' page, and the page of what is not there.

export const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const contentTypes = {
  html: "text/html; charset=utf-8",
  json: "application/json; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
} as const;

const sheet = readFileSync(new URL("plain-pages.css", import.meta.url), "utf8");

/** The plain pages run no script. */
export const plainPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The sheet of the plain pages, with the services' colours, and where it is: under a name made of all of it. */
export function writePlainSheet(base: string, contracts: readonly ServiceContract[]) {
  const colors = contracts.flatMap(({ name, color }) => (color === undefined ? [] : [`.${name}{--own:${color}}`]));
  const text = [sheet, ...colors].join("\n");
  return { text, address: `${base}/plain-${nameContent(text)}.css` };
}

export interface PlainPages {
  readonly base: string;
  readonly contracts: readonly ServiceContract[];
  readonly pages: readonly WebPage[];
  readonly hasConsole: boolean;
}

/** Serves the entrances, the developers' page, and what browsers ask for beside any page: icons and the manifest. */
export function servePlainPages(app: FastifyInstance, { base, contracts, pages, hasConsole }: PlainPages): void {
  const { text, address: style } = writePlainSheet(base, contracts);
  const stored = storeAnswer(text, {
    "content-type": contentTypes.css,
    "cache-control": "public, max-age=31536000, immutable",
  });
  app.get(style, (request, reply) => sendStored(request, reply, stored));
  servePlain(app, base === "" ? ["/"] : [base, `${base}/`], (language) =>
    renderEntrances(language, { base, style, pages, hasConsole }),
  );
  servePlain(app, [`${base}/developers`], (language) =>
    renderDevelopersPage(language, orderForReaders(contracts), { base, style, version }),
  );
  serveIcons(app, base);
  serveManifest(app, base, "/", describeEntrances);
}

/** Readers come for the services; the platform's own operations stand behind them. */
export const orderForReaders = (contracts: readonly ServiceContract[]): readonly ServiceContract[] =>
  contracts.toSorted((a, b) => Number(a.name === "platform") - Number(b.name === "platform"));

/** Serves a page of both languages under a policy of its own, over the one of all answers. */
export function servePlain(
  app: FastifyInstance,
  addresses: readonly string[],
  render: (language: Language) => string,
  policy = plainPolicy,
): void {
  const send = storeBilingual((language) => storeAnswer(render(language), describePage(language, policy)));
  for (const address of addresses) app.get(address, send);
}

/** The headers of a page that is another in the other language. */
export const describePage = (language: Language, policy: string) => ({
  "content-type": contentTypes.html,
  "content-language": language,
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  vary: "accept-language",
});
