import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { beginPage, escapeHtml, mark } from "#platform/http/html.ts";
import { describePage } from "#platform/http/plain-pages.ts";
import { storeAnswer, storeBilingual } from "#platform/http/send.ts";
import { describePlace, findBuilt, type PlaceSettings, serveAssets, writePolicy } from "#platform/http/web-assets.ts";
import type { WebPage } from "#platform/process/service.ts";

// The pages for everybody. Their documents are made here, in the language of the browser and with the page's name on
// them before any script has come; what a page is made of is found in the bundler's manifest.

const texts = {
  zh: {
    waiting: "正在加载…",
    late: "页面没有加载完，可能是网络中断了。",
    retry: "重试",
    noScript: "此页面需要启用 JavaScript。",
  },
  en: {
    waiting: "Loading…",
    late: "The page has not been loaded: the network may have failed.",
    retry: "Retry",
    noScript: "This page needs JavaScript.",
  },
} as const;

/** A part of the build, as the bundler's manifest has it. */
interface Part {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

type Manifest = Readonly<Record<string, Part>>;

/**
 * Serves the pages of the services, and returns them; those alone that have been built. Each stands at its paths; its
 * entrance without the last slash leads to it.
 */
export function servePages(
  app: FastifyInstance,
  pages: readonly WebPage[],
  contracts: readonly ServiceContract[],
  settings: PlaceSettings,
): readonly WebPage[] {
  const dist = findBuilt("pages");
  if (!dist) return [];
  const base = settings.BASE_PATH;
  const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8")) as Manifest;
  const built = pages.filter(({ entry }) => nameEntry(entry) in manifest);
  serveAssets(app, base, dist);
  for (const page of built) {
    const { forms = [], framed } = page;
    const policy = writePolicy(settings, { forms, framedBy: framed ? "'self'" : "'none'" });
    const place = describePlace(contracts, settings, page.paths[0], page.told);
    const render = (language: Language) =>
      renderDocument(page, language, { base, place, ...listFiles(manifest, page) });
    servePage(app, base, page, { policy, html: { zh: render("zh"), en: render("en") } });
  }
  return built;
}

const nameEntry = (entry: string): string => `${entry}/main.tsx`;

function servePage(
  app: FastifyInstance,
  base: string,
  page: WebPage,
  { policy, html }: { readonly policy: string; readonly html: Readonly<Record<Language, string>> },
): void {
  const send = storeBilingual((language) => storeAnswer(html[language], describePage(language, policy)));
  for (const path of page.paths)
    app.get<{ Params: Record<string, string> }>(base + path, async (request, reply) => {
      if (!page.exists || (await existsOrUnknown(page.exists, request.params))) return send(request, reply);
      const language = chooseLanguage(request.headers["accept-language"]);
      return reply.code(404).headers(describePage(language, policy)).send(html[language]);
    });
  const [entrance] = page.paths;
  app.get(base + entrance.slice(0, -1), (_request, reply) => reply.redirect(base + entrance));
}

/** What cannot be found out now, the page says itself, in words and with a way to try again. */
const existsOrUnknown = (exists: NonNullable<WebPage["exists"]>, params: Record<string, string>): Promise<boolean> =>
  exists(params).catch(() => true);

/** The script of a page, the parts that it cannot begin without, and the sheets of all of them. */
function listFiles(manifest: Manifest, { entry }: WebPage) {
  const parts = new Map<string, Part>();
  const add = (name: string): void => {
    const part = manifest[name];
    if (!part || parts.has(name)) return;
    parts.set(name, part);
    part.imports?.forEach(add);
  };
  add(nameEntry(entry));
  const [own, ...further] = parts.values();
  return {
    script: own?.file ?? "",
    parts: further.map(({ file }) => file),
    sheets: [...new Set([...parts.values()].toReversed().flatMap(({ css = [] }) => css))],
  };
}

interface Document {
  readonly base: string;
  readonly place: string;
  readonly script: string;
  readonly parts: readonly string[];
  readonly sheets: readonly string[];
}

function renderDocument(
  { title, about }: WebPage,
  language: Language,
  { base, place, script, parts, sheets }: Document,
): string {
  const text = texts[language];
  const head = [
    `<meta name="description" content="${escapeHtml(about[language])}">`,
    `<meta name="quintet" content="${escapeHtml(place)}">`,
    `<link rel="apple-touch-icon" href="${base}/icon-192.png">`,
    ...sheets.map((file) => `<link rel="stylesheet" href="${base}/${file}">`),
    ...parts.map((file) => `<link rel="modulepreload" href="${base}/${file}">`),
    `<script type="module" src="${base}/${script}"></script>`,
  ];
  return `${beginPage(language, escapeHtml(title[language]), ...head)}
<body>
<div id="page">
<header class="page-head">${mark}<h1>${escapeHtml(title[language])}</h1></header>
<main class="page-main"><p role="status">${text.waiting}</p></main>
</div>
<p class="page-late">${text.late}<a href="">${text.retry}</a></p>
<noscript>${text.noScript}</noscript>
</body>
</html>
`;
}
