import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { renderDevelopersPage } from "#platform/http/developers-page.ts";
import { describeEntrances, renderEntrances } from "#platform/http/entrances-page.ts";
import { serveIcons, serveManifest } from "#platform/http/home-screen.ts";
import { nameContent, sendStored, type StoredAnswer, storeAnswer } from "#platform/http/stored-answer.ts";
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

/** Where the sheet of the plain pages is. */
export const plainSheetAt = (base: string): string => `${base}/plain-${nameContent(sheet)}.css`;

export interface PlainPages {
  readonly base: string;
  readonly contracts: readonly ServiceContract[];
  readonly pages: readonly WebPage[];
  readonly hasConsole: boolean;
}

/** Serves the entrances, the developers' page, and what browsers ask for beside any page: icons and the manifest. */
export function servePlainPages(app: FastifyInstance, { base, contracts, pages, hasConsole }: PlainPages): void {
  const style = plainSheetAt(base);
  const colors = contracts.flatMap(({ name, color }) => (color === undefined ? [] : [`.${name}{--own:${color}}`]));
  const stored = storeAnswer([sheet, ...colors].join("\n"), {
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
  ["services", "platform"].flatMap((kind) =>
    contracts.filter(({ name }) => (name === "platform") === (kind === "platform")),
  );

/** Serves a page of both languages under a policy of its own, over the one of all answers. */
export function servePlain(
  app: FastifyInstance,
  addresses: readonly string[],
  render: (language: Language) => string,
  policy = plainPolicy,
): void {
  const store = (language: Language): StoredAnswer =>
    storeAnswer(render(language), {
      "content-type": contentTypes.html,
      "content-language": language,
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      vary: "accept-language",
    });
  const stored = { zh: store("zh"), en: store("en") };
  for (const address of addresses)
    app.get(address, (request, reply) =>
      sendStored(request, reply, stored[chooseLanguage(request.headers["accept-language"])]),
    );
}
