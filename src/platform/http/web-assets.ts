import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { listTileHosts } from "#platform/contract/map-settings.ts";
import { Problem } from "#platform/contract/problem.ts";
import { listFileHosts } from "#platform/files/bucket/settings.ts";
import { sendStored, storeCompressed, type StoredAnswer } from "#platform/http/send.ts";
import type { Settings } from "#platform/process/config.ts";

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
};

/** The folder of a built application; undefined when it has not been built. `scripts/build-web.js` builds it. */
export function findBuilt(application: "console" | "pages"): URL | undefined {
  const folder = new URL(`../../../web/dist/${application}/`, import.meta.url);
  return existsSync(new URL(".vite/manifest.json", folder)) ? folder : undefined;
}

/**
 * A file whose name has its content's hash never changes, and an old page may ask for one that is gone. All are in
 * memory (2 MB): a build beside a running server takes the folder away.
 */
export function serveAssets(app: FastifyInstance, base: string, dist: URL): void {
  const folder = new URL("assets/", dist);
  const names = new Set(readdirSync(folder));
  const load = (name: string) => (names.has(name) ? readFileSync(new URL(name, folder)) : undefined);
  const stored = new Map(
    [...names].flatMap((name) => {
      const type = types[name.split(".").at(-1) ?? ""];
      const body = load(name);
      return type && body ? [[name, storeAsset(body, type, load(`${name}.br`), load(`${name}.gz`))] as const] : [];
    }),
  );
  app.get<{ Params: { name: string } }>(`${base}/assets/:name`, (request, reply) => {
    const answer = stored.get(request.params.name);
    if (!answer) throw new Problem("pathNotFound");
    return sendStored(request, reply, answer);
  });
}

const storeAsset = (body: Buffer, type: string, br: Buffer | undefined, gzip: Buffer | undefined): StoredAnswer =>
  storeCompressed(
    body,
    { ...(br && { br }), ...(gzip && { gzip }) },
    { "content-type": type, "cache-control": "public, max-age=31536000, immutable" },
  );

export type PlaceSettings = Pick<
  Settings,
  | "BASE_PATH"
  | "FILES_ENDPOINT"
  | "FILES_REDIRECT"
  | "MAP_TILES"
  | "PUBLIC_URL"
  | "TIME_ZONE"
  | "MAX_UPLOAD_MB"
  | "MAX_WORKBOOK_MB"
>;

/**
 * What a page cannot know by itself, as JSON: where it is, what is served here, the limits that a form names, and what
 * its service tells it. Everybody may read it.
 */
export const describePlace = (
  contracts: readonly ServiceContract[],
  settings: PlaceSettings,
  page: string,
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
    ...(told && { told }),
  });

/** What differs between the policies of pages. */
interface Allowed {
  readonly style?: string;
  readonly frame?: string;
  readonly forms?: readonly string[];
  readonly framedBy?: "'self'" | "'none'";
}

/** What a page may do: this host alone, and for pictures those of tiles and files. Files are previewed out of blobs. */
export const writePolicy = (
  settings: PlaceSettings,
  { style = "'self'", frame = "'none'", forms = [], framedBy = "'none'" }: Allowed,
): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    ["img-src 'self' data: blob:", ...listTileHosts(settings), ...listFileHosts(settings)].join(" "),
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frame}`,
    "base-uri 'none'",
    ["form-action 'self'", ...forms].join(" "),
    `frame-ancestors ${framedBy}`,
  ].join("; ");
