import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { escapeHtml, icon } from "#platform/http/html.ts";
import { describePlace, findBuilt, type PlaceSettings, serveAssets, writePolicy } from "#platform/http/web-assets.ts";
import { describeSignOn, type SignOnSettings } from "#platform/sign-on/index.ts";

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
  const base = `${settings.BASE_PATH}/console`;
  const place = describePlace(contracts, settings, "/console/", describeSignOn(settings));
  const html = readFileSync(new URL("index.html", dist), "utf8")
    .replaceAll(/(href|src)="\.\/assets\//g, `$1="${base}/assets/`)
    .replace('<link rel="icon" href="data:," />', icon)
    .replace(
      '<meta name="quintet" content="" />',
      `<meta name="quintet" content="${escapeHtml(place)}" nonce="NONCE">`,
    );
  serveAssets(app, base, dist);
  app.get(base, (_request, reply) => reply.redirect(`${base}/`));
  app.get(`${base}/*`, (_request, reply) => {
    // By it the component library's own sheets are known.
    const nonce = randomBytes(18).toString("base64");
    const policy = writePolicy(settings, { style: `'self' 'nonce-${nonce}'`, frame: "'self' blob:" });
    return reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
      })
      .send(html.replace("NONCE", nonce));
  });
  return true;
}
