import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import { beginPage, type Branding, escapeHtml } from "#platform/http/html.ts";
import { orderForReaders, servePlain, version } from "#platform/http/plain-pages.ts";
import { contentTypes, nameContent, sendStored, type StoredAnswer, storeAnswer } from "#platform/http/send.ts";
import { describeApi } from "#platform/openapi/index.ts";
import type { InstitutionReader } from "#platform/process/institution.ts";

export function serveDocuments(
  app: FastifyInstance,
  served: readonly ServiceContract[],
  base: string,
  institution: InstitutionReader,
): void {
  const contracts = orderForReaders(served);
  const serve = (path: string, title: string, described: readonly ServiceContract[]): void =>
    serveLate(app, `${base}${path}`, async () => {
      const document = describeApi(described, { title, version, basePath: base });
      return storeAnswer(JSON.stringify(document), { "content-type": contentTypes.json });
    });
  serve("/openapi.json", "Quintet", contracts);
  for (const contract of contracts)
    serve(`/openapi/${contract.name}.json`, `Quintet: ${contract.title.en}`, [contract]);
  serveReference(app, contracts, base, institution);
}

/**
 * The answer is built on first use, because building the API documents at startup took 0.6 s of the startup's 1.1 s.
 */
function serveLate(app: FastifyInstance, address: string, store: () => Promise<StoredAnswer>): void {
  let answer: Promise<StoredAnswer> | undefined;
  app.get(address, async (request, reply) => sendStored(request, reply, await (answer ??= store())));
}

// Scalar's script is taken from its Fastify plugin, because the original package has 270 dependencies and takes 290 MB.
const bundle = "@scalar/fastify-api-reference";
const packageJson = readFileSync(new URL("../package.json", import.meta.resolve(bundle)), "utf8");
const { version: scalarVersion } = JSON.parse(packageJson) as { version: string };

async function loadScalar(): Promise<string> {
  const [{ default: plugin }, { default: Fastify }] = await Promise.all([
    import("@scalar/fastify-api-reference"),
    import("fastify"),
  ]);
  const carrier = Fastify();
  await carrier.register(plugin, { routePrefix: "/reference", configuration: { url: "unused" } });
  const { body, statusCode } = await carrier.inject("/reference/js/scalar.js");
  await carrier.close();
  if (statusCode !== 200) throw new Error(`${bundle} ${scalarVersion} does not serve its script at the expected path`);
  return body;
}

/** The starting script is served as a file, because the Content-Security-Policy allows no inline scripts. */
const starterScript = `const place = document.querySelector("#reference");
Scalar.createApiReference(place, JSON.parse(place.dataset.configuration));
`;

/**
 * The policy allows scripts only from this host, no other hosts and no framing. It allows inline styles, because Scalar
 * sets style attributes, which a hash or nonce alone cannot allow.
 */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const texts = {
  zh: { title: "Quintet 接口文档", all: "全部服务", noScript: "接口文档需要启用 JavaScript。" },
  en: { title: "Quintet API reference", all: "All services", noScript: "The reference needs JavaScript." },
} as const;

const agent = { disabled: true };

const options = {
  // Scalar's features that contact other hosts are disabled. The policy would block them anyway.
  withDefaultFonts: false,
  telemetry: false,
  agent,
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
  theme: "default",
  documentDownloadType: "json",
  orderSchemaPropertiesBy: "preserve",
  hideModels: true,
  authentication: { preferredSecurityScheme: "admin_token" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
} as const;

function serveReference(
  app: FastifyInstance,
  contracts: readonly ServiceContract[],
  base: string,
  institution: InstitutionReader,
): void {
  const headers = { "content-type": contentTypes.js, "cache-control": "public, max-age=31536000, immutable" };
  const scalar = `${base}/docs/assets/scalar-${scalarVersion}.js`;
  const starter = `${base}/docs/assets/${nameContent(starterScript)}.js`;
  serveLate(app, scalar, async () => storeAnswer(await loadScalar(), headers));
  serveLate(app, starter, async () => storeAnswer(starterScript, headers));
  const render = (language: Language, branding: Branding): string => {
    const { title, all, noScript } = texts[language];
    const configuration = {
      ...options,
      sources: [
        { title: all, slug: "all", url: `${base}/openapi.json`, agent, default: true },
        ...contracts.map(({ name, title: titles }) => ({
          title: titles[language],
          slug: name,
          url: `${base}/openapi/${name}.json`,
          agent,
        })),
      ],
      localization: { locale: language === "zh" ? "zh-CN" : "en" },
    };
    return `${beginPage(language, title, { branding })}
<body>
<noscript>${noScript}</noscript>
<div id="reference" data-configuration="${escapeHtml(JSON.stringify(configuration))}"></div>
<script src="${scalar}"></script>
<script src="${starter}"></script>
</body>
</html>
`;
  };
  servePlain(app, { addresses: [`${base}/docs`], base, institution, render, policy: referencePolicy });
}
