import { readFileSync } from "node:fs";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import { beginPage, escapeHtml } from "#platform/http/html.ts";

// The reference is Scalar's. Its script comes out of the Fastify plugin, which carries it as a text: the package that
// it is made from would bring 270 others and 290 MB.
const bundle = "@scalar/fastify-api-reference";
const packageJson = readFileSync(new URL("../package.json", import.meta.resolve(bundle)), "utf8");

/** The version of the script, for its path. */
export const scalarVersion = (JSON.parse(packageJson) as { version: string }).version;

/** The script of 4.3 MB, as the plugin serves it to a browser. */
export async function loadScalar(): Promise<string> {
  const [{ default: plugin }, { default: Fastify }] = await Promise.all([
    import("@scalar/fastify-api-reference"),
    import("fastify"),
  ]);
  const carrier = Fastify();
  await carrier.register(plugin, { routePrefix: "/reference", configuration: { url: "unused" } });
  const { body, statusCode } = await carrier.inject("/reference/js/scalar.js");
  await carrier.close();
  if (statusCode !== 200) throw new Error(`${bundle} ${scalarVersion} has its script in another place`);
  return body;
}

/** Shows the reference in the page's element; the page allows no script within itself. */
export const starterScript = `const place = document.querySelector("#reference");
Scalar.createApiReference(place, JSON.parse(place.dataset.configuration));
`;

/**
 * What the page may do: only this host, no script but our files, no frame around it. Scalar sets style attributes, so
 * styles cannot be named by hash or nonce.
 */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const texts = {
  zh: { title: "Quintet 接口文档", all: "全部服务", noScript: "接口文档需要启用 JavaScript。" },
  en: {
    title: "Quintet API reference",
    all: "All services",
    noScript: "The reference needs JavaScript.",
  },
} as const;

/** Everything that would ask another host is off, and has no address to ask either; the policy would stop it anyway. */
const quiet = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
} as const;

const look = {
  theme: "default",
  documentDownloadType: "json",
  orderSchemaPropertiesBy: "preserve",
  hideModels: true,
  authentication: { preferredSecurityScheme: "admin_token" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
} as const;

function configure(language: Language, base: string, contracts: readonly ServiceContract[]): object {
  const { agent } = quiet;
  const sources = [
    { title: texts[language].all, slug: "all", url: `${base}/openapi.json`, agent, default: true },
    ...contracts.map(({ name, title }) => ({
      title: title[language],
      slug: name,
      url: `${base}/openapi/${name}.json`,
      agent,
    })),
  ];
  return {
    ...quiet,
    ...look,
    sources,
    localization: { locale: language === "zh" ? "zh-CN" : "en" },
  };
}

export interface ReferenceAddresses {
  readonly base: string;
  readonly scalar: string;
  readonly starter: string;
}

/** The page of the reference; `?api=<service>` shows one service alone. */
export function renderReferencePage(
  language: Language,
  contracts: readonly ServiceContract[],
  { base, scalar, starter }: ReferenceAddresses,
): string {
  const { title, noScript } = texts[language];
  return `${beginPage(language, title)}
<body>
<noscript>${noScript}</noscript>
<div id="reference" data-configuration="${escapeHtml(JSON.stringify(configure(language, base, contracts)))}"></div>
<script src="${scalar}"></script>
<script src="${starter}"></script>
</body>
</html>
`;
}
