import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { commonHeaders } from "#platform/http/connections.ts";
import { serveDocuments } from "#platform/http/documents.ts";
import { servePlainPages } from "#platform/http/plain-pages.ts";
import { noInstitution } from "#test/no-institution.ts";
import { contracts } from "#quintet/app.ts";

async function serve(base = "") {
  const app = Fastify();
  app.addHook("onRequest", async (_request, reply) => void reply.headers(commonHeaders));
  servePlainPages(app, { base, contracts, pages: [], hasConsole: false, institution: noInstitution });
  serveDocuments(app, contracts, base, noInstitution);
  return app;
}

test("the document of all contracts and of each is served below the base path", async () => {
  const app = await serve("/base");
  const all = (await app.inject("/base/openapi.json")).json();
  assert.deepEqual(all.servers, [{ url: "/base" }]);
  assert.equal(all.tags.length, contracts.length);
  const one = (await app.inject("/base/openapi/push-relay.json")).json();
  assert.ok(Object.keys(one.paths).every((path) => path.startsWith("/wx/")));
  assert.equal((await app.inject("/openapi.json")).statusCode, 404);
});

test("a document is compressed as the client likes, and not sent again to who has it", async () => {
  const app = await serve();
  const get = (headers: Record<string, string>) => app.inject({ url: "/openapi.json", headers });
  const plain = await get({});
  const brotli = await get({ "accept-encoding": "gzip, deflate, br" });
  const zipped = await get({ "accept-encoding": "gzip, br;q=0" });
  assert.equal(brotli.headers["content-encoding"], "br");
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body);
  assert.equal(zipped.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body);
  assert.equal(plain.headers["vary"], "accept-encoding");
  assert.equal(new Set([plain, brotli, zipped].map(({ headers }) => headers["etag"])).size, 3);
  const again = await get({ "accept-encoding": "br", "if-none-match": `"other", W/${brotli.headers["etag"]}` });
  assert.deepEqual([again.statusCode, again.body], [304, ""]);
  assert.equal((await get({ "if-none-match": '"other"' })).statusCode, 200);
});

test("the pages come in the language asked for, under policies of their own", async () => {
  const app = await serve();
  for (const url of ["/", "/developers", "/docs"]) {
    const chinese = await app.inject(url);
    const english = await app.inject({ url, headers: { "accept-language": "en-GB,en;q=0.9" } });
    assert.match(chinese.body, /<html lang="zh-CN">/);
    assert.match(english.body, /<html lang="en">/);
    assert.equal(english.headers["vary"], "accept-language, accept-encoding");
    const policy = String(english.headers["content-security-policy"]);
    assert.equal(english.headers["cross-origin-opener-policy"], "same-origin");
    assert.match(policy, /^default-src 'none'; .*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /https?:|script-src[^;]*unsafe/);
  }
});

test("the developers' page links the reference of every service that is served, and of no other", async () => {
  const app = await serve("/base");
  const { body } = await app.inject("/base/developers");
  const links = [...body.matchAll(/href="\/base\/docs\?api=([^"]*)"/g)].map(([, service]) => service);
  assert.deepEqual(links.toSorted(), contracts.map(({ name }) => name).toSorted());
});

test("every asset of the pages is there, and never asked for twice", async () => {
  const app = await serve("/base");
  const pages = await Promise.all(["/base/developers", "/base/docs"].map((url) => app.inject(url)));
  const addresses = pages.flatMap(({ body }) =>
    [...body.matchAll(/"(\/base\/(?:docs\/assets\/|plain-)[^"]+)"/g)].map(([, address = ""]) => address),
  );
  assert.equal(addresses.length, 3);
  for (const url of addresses) {
    const asset = await app.inject({ url, headers: { "accept-encoding": "br" } });
    assert.equal(asset.statusCode, 200, url);
    assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.ok(asset.rawPayload.length < 1_200_000, `${url} has ${asset.rawPayload.length} bytes`);
  }
});
