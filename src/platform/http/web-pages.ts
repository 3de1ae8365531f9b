import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import { beginPage, type Branding, describeBranding, escapeHtml, pictureAddress } from "#platform/http/html.ts";
import { describePage } from "#platform/http/plain-pages.ts";
import { contentTypes, sendStored, storeAnswer, storeBilingual, type StoredAnswer } from "#platform/http/send.ts";
import type { Settings } from "#platform/process/config.ts";
import { type Institution, type InstitutionReader, perInstitution } from "#platform/process/institution.ts";
import type { WebPage } from "#platform/process/service.ts";
import { describeSignOn } from "#platform/sign-on/index.ts";

function findBuilt(application: "console" | "pages"): URL | undefined {
  const folder = new URL(`../../../web/dist/${application}/`, import.meta.url);
  return existsSync(new URL(".vite/manifest.json", folder)) ? folder : undefined;
}

const read = new Map<string, ReadonlyMap<string, StoredAnswer>>();

/**
 * All files are read once per process, because a rebuild replaces the folder and pages that are already open may still
 * request old files. A file's name contains its hash, so its content never changes.
 */
function readAssets(folder: URL): ReadonlyMap<string, StoredAnswer> {
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]));
  const stored = new Map<string, StoredAnswer>();
  const types: Readonly<Record<string, string>> = contentTypes;
  for (const [name, body] of files) {
    const type = types[name.split(".").at(-1) ?? ""];
    if (!type) continue;
    const [br, gzip] = [files.get(`${name}.br`), files.get(`${name}.gz`)];
    const headers = { "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
    stored.set(name, storeAnswer(body, headers, { ...(br && { br }), ...(gzip && { gzip }) }));
  }
  return stored;
}

function serveAssets(app: FastifyInstance, base: string, dist: URL): void {
  const folder = new URL("assets/", dist);
  const stored = read.getOrInsertComputed(folder.href, () => readAssets(folder));
  app.get<{ Params: { name: string } }>(`${base}/assets/:name`, (request, reply) => {
    const answer = stored.get(request.params.name);
    if (!answer) throw new Problem("pathNotFound");
    return sendStored(request, reply, answer);
  });
}

const describeClient = (
  contracts: readonly ServiceContract[],
  settings: Settings,
  page: string,
  institution: Institution,
  told?: object,
): string =>
  JSON.stringify({
    base: settings.BASE_PATH,
    page,
    publicUrl: settings.PUBLIC_URL ?? "",
    services: contracts.map(({ name }) => name).filter((name) => name !== "platform"),
    timeZone: settings.TIME_ZONE,
    maxUploadMb: settings.MAX_UPLOAD_MB,
    maxWorkbookMb: settings.MAX_WORKBOOK_MB,
    institution: {
      name: institution.name,
      nameEn: institution.nameEn,
      color: institution.color,
      logo: pictureAddress(settings.BASE_PATH, institution.logo),
    },
    ...(told && { told }),
  });

function writePolicy(
  settings: Settings,
  { style = "'self'", frame = "'none'", forms = [] as readonly string[], framedBy = "'none'" },
): string {
  const tiles = settings.MAP_TILES;
  const tileHosts = tiles === undefined || tiles.startsWith("/") ? [] : [new URL(tiles).origin];
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    ["img-src 'self' data: blob:", ...tileHosts].join(" "),
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frame}`,
    "base-uri 'none'",
    ["form-action 'self'", ...forms].join(" "),
    `frame-ancestors ${framedBy}`,
  ].join("; ");
}

/**
 * Answers every path below /console/, except those of assets, with the same page. Returns false if the console has not
 * been built.
 */
export function serveConsole(
  app: FastifyInstance,
  contracts: readonly ServiceContract[],
  settings: Settings,
  institution: InstitutionReader,
): boolean {
  const dist = findBuilt("console");
  if (!dist) return false;
  const base = `${settings.BASE_PATH}/console`;
  const built = readFileSync(new URL("index.html", dist), "utf8").replaceAll(
    /(href|src)="\.\/assets\//g,
    `$1="${base}/assets/`,
  );
  const render = perInstitution(institution, (whose) => {
    const clientJson = escapeHtml(describeClient(contracts, settings, "/console/", whose, describeSignOn(settings)));
    const { icon } = describeBranding(whose, "zh", settings.BASE_PATH);
    return built
      .replace('<link rel="icon" href="data:," />', () => icon)
      .replace(
        '<meta name="quintet" content="" />',
        () => `<meta name="quintet" content="${clientJson}" nonce="NONCE">`,
      );
  });
  serveAssets(app, base, dist);
  app.get(base, (request, reply) => reply.redirect(addSlash(base, request)));
  app.get(`${base}/*`, (_request, reply) => {
    // The nonce allows the style elements that the component library adds.
    const nonce = randomBytes(18).toString("base64");
    const policy = writePolicy(settings, { style: `'self' 'nonce-${nonce}'`, frame: "'self' blob:" });
    return reply
      .headers({
        "content-type": contentTypes.html,
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
      })
      .send(render().replace('nonce="NONCE"', `nonce="${nonce}"`));
  });
  return true;
}

const addSlash = (path: string, { raw: { url = "" } }: FastifyRequest): string =>
  `${path}/${/\?.*/s.exec(url)?.[0] ?? ""}`;

// Public pages are rendered here in the browser's language, so that the title is visible before any script runs. The
// addresses of their assets come from the bundler's manifest.

const texts = {
  zh: {
    waiting: "正在加载…",
    late: "页面加载未完成，请检查网络连接。",
    retry: "重试",
    noScript: "此页面需要启用 JavaScript。",
  },
  en: {
    waiting: "Loading…",
    late: "The page could not be loaded. Check your network connection.",
    retry: "Retry",
    noScript: "This page needs JavaScript.",
  },
} as const;

type Manifest = Readonly<
  Record<string, { readonly file: string; readonly css?: readonly string[]; readonly imports?: readonly string[] }>
>;

export function servePages(
  app: FastifyInstance,
  pages: readonly WebPage[],
  contracts: readonly ServiceContract[],
  settings: Settings,
  institution: InstitutionReader,
): readonly WebPage[] {
  const dist = findBuilt("pages");
  if (!dist) return [];
  const base = settings.BASE_PATH;
  const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8")) as Manifest;
  const built = pages.filter(({ entry }) => nameEntry(entry) in manifest);
  serveAssets(app, base, dist);
  for (const page of built) {
    const { exists, paths } = page;
    const files = listFiles(manifest, page);
    const render = perInstitution(institution, (whose) => {
      const clientJson = describeClient(contracts, settings, paths[0], whose, page.told);
      const write = (language: Language) => {
        const branding = describeBranding(whose, language, base);
        const html = renderDocument(page, language, { base, clientJson, files, branding });
        return { html, headers: describePage(language, writePagePolicy(settings, page, branding)) };
      };
      const written = { zh: write("zh"), en: write("en") };
      const send = storeBilingual((language) => storeAnswer(written[language].html, written[language].headers));
      return { written, send };
    });
    for (const path of paths)
      app.get<{ Params: Record<string, string> }>(base + path, async (request, reply) => {
        // If `exists` throws, the page is sent anyway; if the request of the page fails too, the page offers a retry.
        const { written, send } = render();
        if (!exists || (await exists(request.params).catch(() => true))) return send(request, reply);
        const { html, headers } = written[chooseLanguage(request.headers["accept-language"])];
        return reply.code(404).headers(headers).send(html);
      });
    const entrance = base + paths[0];
    const bare = entrance.slice(0, -1);
    app.get(bare, (request, reply) => reply.redirect(addSlash(bare, request)));
  }
  return built;
}

const writePagePolicy = (settings: Settings, { forms = [], framed }: WebPage, { styleSource }: Branding): string =>
  writePolicy(settings, { style: `'self' ${styleSource}`.trim(), forms, framedBy: framed ? "'self'" : "'none'" });

const nameEntry = (entry: string): string => `${entry}/main.tsx`;

function listFiles(manifest: Manifest, { entry }: WebPage) {
  const parts = new Map<string, Manifest[string]>();
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

interface PageParts {
  readonly base: string;
  readonly clientJson: string;
  readonly files: ReturnType<typeof listFiles>;
  readonly branding: Branding;
}

function renderDocument(
  { title, about }: WebPage,
  language: Language,
  { base, clientJson, files, branding }: PageParts,
): string {
  const { script, parts, sheets } = files;
  const text = texts[language];
  const head = [
    `<meta name="description" content="${escapeHtml(about[language])}">`,
    `<meta name="quintet" content="${escapeHtml(clientJson)}">`,
    `<link rel="apple-touch-icon" href="${base}/icon-192.png">`,
    ...sheets.map((file) => `<link rel="stylesheet" href="${base}/${file}">`),
    ...parts.map((file) => `<link rel="modulepreload" href="${base}/${file}">`),
    `<script type="module" src="${base}/${script}"></script>`,
  ];
  return `${beginPage(language, escapeHtml(title[language]), { head, branding })}
<body>
<div id="page">
${branding.name === "" ? "" : `<p class="page-institution">${branding.mark}${branding.name}</p>\n`}<header class="page-head">${branding.name === "" ? branding.mark : ""}<h1>${escapeHtml(title[language])}</h1></header>
<main class="page-main"><p role="status">${text.waiting}</p></main>
</div>
<p class="page-late">${text.late}<a href="">${text.retry}</a></p>
<noscript>${text.noScript}</noscript>
</body>
</html>
`;
}
