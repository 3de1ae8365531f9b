import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import {
  loadScalar,
  referencePolicy,
  renderReferencePage,
  scalarVersion,
  starterScript,
} from "#platform/http/reference-page.ts";
import { contentTypes, orderForReaders, servePlain, version } from "#platform/http/plain-pages.ts";
import { nameContent, sendStored, type StoredAnswer, storeAnswer } from "#platform/http/stored-answer.ts";
import { describeApi } from "#platform/openapi/index.ts";

const product = "Quintet";

/**
 * Serves what is to be read of the interface: the OpenAPI document of all contracts and of each, and the reference, in
 * which operations can be tried. Nothing of it loads anything from another host.
 */
export function serveDocuments(app: FastifyInstance, served: readonly ServiceContract[], base: string): void {
  const contracts = orderForReaders(served);
  serveOpenApi(app, contracts, base);
  serveReference(app, contracts, base);
}

function serveOpenApi(app: FastifyInstance, contracts: readonly ServiceContract[], base: string): void {
  const serve = (path: string, title: string, described: readonly ServiceContract[]): void => {
    // When it is first wanted: at the start all of them took as long as everything else together (0.6 of 1.1 s).
    let answer: StoredAnswer | undefined;
    const store = (): StoredAnswer =>
      storeAnswer(JSON.stringify(describeApi(described, { title, version, basePath: base })), {
        "content-type": contentTypes.json,
      });
    app.get(base + path, (request, reply) => sendStored(request, reply, (answer ??= store())));
  };
  serve("/openapi.json", product, contracts);
  for (const contract of contracts)
    serve(`/openapi/${contract.name}.json`, `${product}: ${contract.title.en}`, [contract]);
}

function serveReference(app: FastifyInstance, contracts: readonly ServiceContract[], base: string): void {
  const scalar = serveAsset(app, base, `scalar-${scalarVersion}.js`, "js", loadScalar);
  const starter = serveText(app, base, "js", starterScript);
  const render = (language: Language): string => renderReferencePage(language, contracts, { base, scalar, starter });
  servePlain(app, [`${base}/docs`], render, referencePolicy);
}

/** Serves a small file under a name made of its content, and returns its address. */
const serveText = (app: FastifyInstance, base: string, type: keyof typeof contentTypes, text: string): string =>
  serveAsset(app, base, `${nameContent(text)}.${type}`, type, () => Promise.resolve(text));

/** Serves a file that never changes under its name, read when it is first wanted; returns its address. */
function serveAsset(
  app: FastifyInstance,
  base: string,
  name: string,
  type: keyof typeof contentTypes,
  load: () => Promise<string>,
): string {
  const address = `${base}/docs/assets/${name}`;
  let answer: Promise<StoredAnswer> | undefined;
  const store = async () =>
    storeAnswer(await load(), {
      "content-type": contentTypes[type],
      "cache-control": "public, max-age=31536000, immutable",
    });
  app.get(address, async (request, reply) => sendStored(request, reply, await (answer ??= store())));
  return address;
}
