import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { listTileHosts } from "#platform/contract/map-settings.ts";
import { listFileHosts } from "#platform/files/bucket/settings.ts";
import { escapeHtml, icon } from "#platform/http/html.ts";
import { describePlace, type PlaceSettings } from "#platform/http/web-place.ts";
import { describeSignOn, type SignOnSettings } from "#platform/sign-on/index.ts";
import { compileAssets, findBuilt } from "#platform/http/web-assets.ts";

/**
 * What the console may do: this host alone, scripts from our files, styles from our files or with the nonce of the
 * page, by which the component library's own sheets are known. Files are previewed out of blobs; tiles come from theirs.
 */
const policy = (nonce: string, pictureHosts: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' data: blob:", ...pictureHosts].join(" "),
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/**
 * Serves the built console below /console/: hashed files, and for every other path the one page, which finds out by
 * its address what to show. False, and nothing served, when it has not been built.
 */
export function serveConsole(
  app: FastifyInstance,
  contracts: readonly ServiceContract[],
  settings: PlaceSettings & SignOnSettings,
): boolean {
  const dist = findBuilt("console");
  if (!dist) return false;
  const page = new URL("index.html", dist);
  const base = `${settings.BASE_PATH}/console`;
  const place = describePlace(contracts, settings, "/console/", describeSignOn(settings));
  const sendPage = compilePage(readFileSync(page, "utf8"), {
    base,
    place,
    pictureHosts: [...listTileHosts(settings), ...listFileHosts(settings)],
  });
  const sendAsset = compileAssets(dist);
  app.get(base, (_request, reply) => reply.redirect(`${base}/`));
  app.get<{ Params: { name: string } }>(`${base}/assets/:name`, (request, reply) =>
    sendAsset(request, reply, request.params.name),
  );
  app.get(`${base}/*`, (_request, reply) => sendPage(reply));
  return true;
}

interface ConsolePage {
  readonly base: string;
  readonly place: string;
  readonly pictureHosts: readonly string[];
}

function compilePage(built: string, { base, place, pictureHosts }: ConsolePage): (reply: FastifyReply) => FastifyReply {
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
        "content-security-policy": policy(nonce, pictureHosts),
        "cross-origin-opener-policy": "same-origin",
      })
      .send(html.replace("NONCE", nonce));
  };
}
