import assert from "node:assert/strict";
import { get } from "node:http";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildWeb } from "#test/browser/console.ts";

await buildWeb();
const app = await startTestApp({ settings: { BASE_PATH: "/campus" } });

const ask = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    get(new URL(path, app.url), { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
      );
    }).on("error", reject);
  });

test("every address below /console/ is the page, with a nonce of its own each time", async () => {
  const first = await ask("/campus/console/");
  const second = await ask("/campus/console/reporting/reports?open=1");
  for (const { status, headers, body } of [first, second]) {
    assert.equal(status, 200);
    const [, nonce] = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"])) ?? [];
    assert.ok(nonce && body.includes(`nonce="${nonce}"`));
  }
  assert.notEqual(first.headers["content-security-policy"], second.headers["content-security-policy"]);
  assert.doesNotMatch(first.body, /<script(?![^>]*src=)/);
});

test("the page knows where it is, and nothing that is secret", async () => {
  const { body } = await ask("/campus/console/");
  const [, written = ""] = /name="quintet" content="([^"]*)"/.exec(body) ?? [];
  const place = JSON.parse(written.replaceAll("&quot;", '"')) as Record<string, unknown>;
  assert.equal(
    Object.keys(place).join(" "),
    "base page publicUrl services timeZone maxUploadMb maxWorkbookMb institution",
  );
  assert.equal(place["base"], "/campus");
});

test("its files are sent compressed, once for ever", async () => {
  const { body } = await ask("/campus/console/");
  const [, script = ""] = /href="([^"]*assets\/libraries-[^"]*\.js)"/.exec(body) ?? [];
  assert.match(script, /^\/campus\/console\/assets\//);
  const plain = await ask(script);
  const brotli = await ask(script, { "accept-encoding": "gzip, br" });
  assert.equal(brotli.headers["content-encoding"], "br");
  assert.match(String(brotli.headers["cache-control"]), /immutable/);
  assert.ok(Number(brotli.headers["content-length"]) < Number(plain.headers["content-length"]) / 2);
});

test("a file of an older build is not there, nor anything outside of the folder", async () => {
  for (const name of ["index-old.js", "..%2Findex.html", "%2e%2e%2fpackage.json"]) {
    const { status, body } = await ask(`/campus/console/assets/${name}`);
    assert.equal(status, 404, name);
    assert.equal((JSON.parse(body) as { code: string }).code, "20003");
  }
});

test("without the last slash it leads to the page, and the entrances lead to it", async () => {
  const { status, headers } = await ask("/campus/console");
  assert.equal(status, 302);
  assert.equal(headers["location"], "/campus/console/");
  const page = await ask("/campus/h5/tuition?openId=o-1&x=//y/");
  assert.deepEqual([page.status, page.headers["location"]], [302, "/campus/h5/tuition/?openId=o-1&x=//y/"]);
  assert.match((await ask("/campus/")).body, /href="\/campus\/console\/"/);
  assert.equal(app.server.console, `${app.url}/console/`);
});
