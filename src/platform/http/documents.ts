import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import {
  loadScalar,
  referencePolicy,
  renderReferencePage,
  scalarVersion,
  starterScript,
} from "#platform/http/reference-page.ts";
import { renderStartPage, startPolicy } from "#platform/http/start-page.ts";
import { nameContent, sendStored, type StoredAnswer, storeAnswer } from "#platform/http/stored-answer.ts";
import { describeApi } from "#platform/openapi/index.ts";
import type { Settings } from "#platform/process/config.ts";

const product = "Quintet";
const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const types = {
  html: "text/html; charset=utf-8",
  json: "application/json; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
} as const;
type Type = keyof typeof types;

/**
 * Serves what is to be read of the interface: the start page, the OpenAPI document of all contracts and of each, and
 * the reference, in which operations can be tried. Nothing of it loads anything from another host.
 */
export function serveDocuments(
  app: FastifyInstance,
  contracts: readonly ServiceContract[],
  settings: Pick<Settings, "BASE_PATH">,
  hasConsole = false,
): void {
  const base = settings.BASE_PATH;
  // Readers come for the services; the platform's own operations stand behind them.
  const [services, own] = [
    contracts.filter(({ name }) => name !== "platform"),
    contracts.filter(({ name }) => name === "platform"),
  ];
  const ordered = [...services, ...own];
  serveOpenApi(app, ordered, base);
  serveStartPage(app, ordered, base, hasConsole);
  serveReference(app, ordered, base);
}

function serveOpenApi(app: FastifyInstance, contracts: readonly ServiceContract[], base: string): void {
  const serve = (path: string, title: string, described: readonly ServiceContract[]): void => {
    // When it is first wanted: at the start all of them took as long as everything else together (0.6 of 1.1 s).
    let answer: StoredAnswer | undefined;
    const store = (): StoredAnswer =>
      storeAnswer(JSON.stringify(describeApi(described, { title, version, basePath: base })), {
        "content-type": types.json,
      });
    app.get(base + path, (request, reply) => sendStored(request, reply, (answer ??= store())));
  };
  serve("/openapi.json", product, contracts);
  for (const contract of contracts)
    serve(`/openapi/${contract.name}.json`, `${product}: ${contract.title.en}`, [contract]);
}

function serveStartPage(
  app: FastifyInstance,
  contracts: readonly ServiceContract[],
  base: string,
  hasConsole: boolean,
): void {
  const sheet = readFileSync(new URL("start-page.css", import.meta.url), "utf8");
  const colors = contracts.flatMap(({ name, color }) => (color === undefined ? [] : [`.${name}{--own:${color}}`]));
  const style = serveText(app, base, "css", [sheet, ...colors].join("\n"));
  const addresses = base === "" ? ["/"] : [base, `${base}/`];
  servePage(app, addresses, startPolicy, (language) =>
    renderStartPage(language, contracts, { base, style, version, hasConsole }),
  );
}

function serveReference(app: FastifyInstance, contracts: readonly ServiceContract[], base: string): void {
  const scalar = serveAsset(app, base, `scalar-${scalarVersion}.js`, "js", loadScalar);
  const starter = serveText(app, base, "js", starterScript);
  servePage(app, [`${base}/docs`], referencePolicy, (language) =>
    renderReferencePage(language, contracts, { base, scalar, starter }),
  );
}

/** Serves a page of both languages with a policy of its own, over the one of all answers. */
function servePage(
  app: FastifyInstance,
  addresses: readonly string[],
  policy: string,
  render: (language: Language) => string,
): void {
  const store = (language: Language): StoredAnswer =>
    storeAnswer(render(language), {
      "content-type": types.html,
      "content-language": language,
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      vary: "accept-language",
    });
  const pages = { zh: store("zh"), en: store("en") };
  for (const address of addresses) {
    app.get(address, (request, reply) =>
      sendStored(request, reply, pages[chooseLanguage(request.headers["accept-language"])]),
    );
  }
}

/** Serves a small file under a name made of its content, and returns its address. */
const serveText = (app: FastifyInstance, base: string, type: Type, text: string): string =>
  serveAsset(app, base, `${nameContent(text)}.${type}`, type, () => Promise.resolve(text));

/** Serves a file that never changes under its name, read when it is first wanted; returns its address. */
function serveAsset(app: FastifyInstance, base: string, name: string, type: Type, load: () => Promise<string>): string {
  const address = `${base}/docs/assets/${name}`;
  let answer: Promise<StoredAnswer> | undefined;
  const store = async () =>
    storeAnswer(await load(), {
      "content-type": types[type],
      "cache-control": "public, max-age=31536000, immutable",
    });
  app.get(address, async (request, reply) => sendStored(request, reply, await (answer ??= store())));
  return address;
}
