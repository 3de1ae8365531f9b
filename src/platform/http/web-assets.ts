import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "#platform/contract/problem.ts";
import { sendStored, storeCompressed, type StoredAnswer } from "#platform/http/stored-answer.ts";

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
export function compileAssets(dist: URL) {
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
