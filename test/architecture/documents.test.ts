import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { findDeadIds, listIds } from "./documents.ts";
import { rooms } from "./rooms.ts";
import type { SourceFile } from "./rules.ts";

const root = new URL("../../", import.meta.url);
const sources =
  "{*.md,docs/**/*.md,web/console/*.md,{src,demo,test,bench,scripts,web/{console/src,public,screen,shared}}/**/*.{ts,tsx,js,md},migrations/*.sql}";

async function listPaths(pattern: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern, { cwd: root.pathname })) paths.push(path.replaceAll("\\", "/"));
  return paths;
}

const files: SourceFile[] = await Promise.all(
  (await listPaths(sources))
    // This file names what is not there.
    .filter((path) => path !== "test/architecture/documents.test.ts")
    .map(async (path) => ({ path, source: await readFile(new URL(path, root), "utf8") })),
);
const paths = new Set(await listPaths("{*,{deploy,docs,src,demo,test,bench,scripts,migrations,web}/**/*}"));

test("ids of the interface are given once, and those that are cited are there", (context) => {
  const ids = listIds(files);
  const { cited, dead } = findDeadIds(files);
  context.diagnostic(`${ids.length} ids, cited ${cited} times`);
  assert.ok(ids.length > 100 && cited > 100, "the test must have read the project");
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
  assert.deepEqual(dead, []);
});

test("the index of decisions has every page", () => {
  const index = files.find(({ path }) => path === "docs/decisions/README.md")?.source ?? "";
  const pages = [...paths].filter((path) => /^docs\/decisions\/\d.*\.md$/.test(path));
  assert.ok(pages.length > 20);
  for (const page of pages) assert.ok(index.includes(`](${page.replace("docs/decisions/", "")})`), page);
});

test("the table of the platform's rooms has every room, in their order", () => {
  const table =
    files.find(({ path }) => path === "docs/architecture.md")?.source.split("## The platform's rooms")[1] ?? "";
  assert.deepEqual(
    [...table.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, room]) => room),
    [...rooms],
  );
});

const page = files.find(({ path }) => path === "docs/interface.md");
assert.ok(page, "the interface must be there");

test("an id that is not there is found, and one in code is passed over", () => {
  const file = { path: "docs/x.md", source: "See P77, and `P78`, which is code." };
  assert.deepEqual(
    findDeadIds([page, file]).dead.map(({ path, found }) => [path, found]),
    [["docs/x.md", "P77"]],
  );
});
