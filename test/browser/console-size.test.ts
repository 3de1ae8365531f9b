import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { test } from "node:test";
import { buildWeb } from "#test/browser/console.ts";

const dist = new URL("../../web/dist/console/", import.meta.url);
const kilobyte = 1000;
const mostFirst = 320 * kilobyte;
const mostOfRoute = 190 * kilobyte;

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

function listScripts(manifest: Manifest, key: string, later: boolean, seen = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk || seen.has(key)) return seen;
  seen.add(key);
  for (const next of [...(chunk.imports ?? []), ...(later ? (chunk.dynamicImports ?? []) : [])])
    listScripts(manifest, next, later, seen);
  return seen;
}

async function sumCompressed(manifest: Manifest, keys: Iterable<string>): Promise<number> {
  const files = [...keys].map((key) => manifest[key]?.file ?? "").filter((file) => file.endsWith(".js"));
  const sizes = await Promise.all(
    files.map(
      async (file) => (await stat(new URL(existsSync(new URL(`${file}.br`, dist)) ? `${file}.br` : file, dist))).size,
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

await buildWeb();
const manifest = JSON.parse(await readFile(new URL(".vite/manifest.json", dist), "utf8")) as Manifest;
const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry) ?? "";
const first = listScripts(manifest, entry, false);

test("the first load is under 320 KB of compressed script", async (context) => {
  const bytes = await sumCompressed(manifest, first);
  context.diagnostic(`first load read: ${(bytes / kilobyte).toFixed(0)} KB`);
  assert.ok(bytes > 100 * kilobyte, "the test must have read the build");
  assert.ok(bytes < mostFirst, `${bytes} bytes`);
});

test("a route's own is under 190 KB, charts included", async (context) => {
  const pages = Object.keys(manifest).filter((key) => /src\/pages\/.*-page\.tsx$/.test(key));
  assert.ok(pages.length > 5, "the test must have found the pages");
  for (const page of pages) {
    const own = [...listScripts(manifest, page, true, new Set(first))].filter((key) => !first.has(key));
    const bytes = await sumCompressed(manifest, own);
    context.diagnostic(`${page.split("/").at(-1)} read: ${(bytes / kilobyte).toFixed(0)} KB`);
    assert.ok(bytes < mostOfRoute, `${page}: ${bytes} bytes`);
  }
});
