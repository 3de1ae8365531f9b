import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { Problem } from "#platform/contract/problem.ts";
import { escapeHtml, icon } from "#platform/http/html.ts";
import { sendStored, storeCompressed, type StoredAnswer } from "#platform/http/stored-answer.ts";
import type { Settings } from "#platform/process/config.ts";

const dist = new URL("../../../web/console/dist/", import.meta.url);
const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
};

/**
 * What the console may do: this host alone, scripts from our files, styles from our files or with the nonce of the
 * page, by which the component library's own sheets are known. Files are previewed out of blobs.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

type ConsoleSettings = Pick<Settings, "BASE_PATH" | "PUBLIC_URL" | "TIME_ZONE" | "MAX_UPLOAD_MB" | "MAX_WORKBOOK_MB">;

/**
 * Serves the built console below /console/: hashed files, and for every other path the one page, which finds out by
 * its address what to show. False, and nothing served, when it has not been built.
 */
export function serveConsole(
  app: FastifyInstance,
  contracts: readonly ServiceContract[],
  settings: ConsoleSettings,
): boolean {
  const page = new URL("index.html", dist);
  if (!existsSync(page)) return false;
  const base = `${settings.BASE_PATH}/console`;
  const sendPage = compilePage(readFileSync(page, "utf8"), base, describePlace(contracts, settings));
  const sendAsset = compileAssets();
  app.get(base, (_request, reply) => reply.redirect(`${base}/`));
  app.get<{ Params: { name: string } }>(`${base}/assets/:name`, (request, reply) =>
    sendAsset(request, reply, request.params.name),
  );
  app.get(`${base}/*`, (_request, reply) => sendPage(reply));
  return true;
}

/** What the console cannot know by itself: where it is, what is served here, and the limits that a form names. */
const describePlace = (contracts: readonly ServiceContract[], settings: ConsoleSettings): string =>
  JSON.stringify({
    base: settings.BASE_PATH,
    publicUrl: settings.PUBLIC_URL ?? "",
    services: contracts.map(({ name }) => name).filter((name) => name !== "platform"),
    timeZone: settings.TIME_ZONE,
    maxUploadMb: settings.MAX_UPLOAD_MB,
    maxWorkbookMb: settings.MAX_WORKBOOK_MB,
  });

function compilePage(built: string, base: string, place: string): (reply: FastifyReply) => FastifyReply {
  const html = built
    .replaceAll(/(href|src)="\.\/assets\//g, `$1="${base}/assets/`)
    .replace('<link rel="icon" href="data:," />', icon)
    .replace(
      '<meta name="quintet" content="" />',
      `<meta name="quintet" content="${escapeHtml(place)}" nonce="NONCE">`,
    );
  return (reply) => {
    const nonce = randomBytes(18).toString("base64");
    return reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": policy(nonce),
        "cross-origin-opener-policy": "same-origin",
      })
      .send(html.replace("NONCE", nonce));
  };
}

/**
 * A file whose name has its content's hash never changes, and an old page may ask for one that is gone. All are in
 * memory (2 MB): a build beside a running server takes the folder away.
 */
function compileAssets() {
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
  return (request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> => {
    const answer = stored.get(name);
    if (!answer) throw new Problem("pathNotFound");
    return sendStored(request, reply, answer);
  };
}

const storeAsset = (body: Buffer, type: string, br: Buffer | undefined, gzip: Buffer | undefined): StoredAnswer =>
  storeCompressed(
    body,
    { ...(br && { br }), ...(gzip && { gzip }) },
    { "content-type": type, "cache-control": "public, max-age=31536000, immutable" },
  );
