import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { parseSync } from "oxc-parser";
import { rooms } from "./rooms.ts";
import type { SourceFile } from "./rules.ts";

const root = new URL("../../", import.meta.url);
const sources =
  "{*.md,docs/**/*.md,web/console/*.md,{src,demo,test,bench,scripts,web/{console/src,public,screen,shared}}/**/*.{ts,tsx,js,md},migrations/*.sql}";

const listPaths = async (pattern: string): Promise<string[]> =>
  (await Array.fromAsync(glob(pattern, { cwd: root.pathname }))).map((path) => path.replaceAll("\\", "/"));

const files: SourceFile[] = await Promise.all(
  (await listPaths(sources))
    // This file names what is not there.
    .filter((path) => path !== "test/architecture/documents.test.ts")
    .map(async (path) => ({ path, source: await readFile(new URL(path, root), "utf8") })),
);
const paths = new Set(await listPaths("{*,{deploy,docs,src,demo,test,bench,scripts,migrations,web}/**/*}"));

// Whether the ids of docs/interface.md that documents and code cite are there.

const interfacePage = "docs/interface.md";
const row = /^\| ([GRAPTD]\d{1,2}[a-z]?) \|/gm;
const citation = /\b[GRAPTD]\d{1,2}[a-z]?\b/g;
// A decision that a played operation names, such as decided("A6", …).
const citingText = /"([GRAPTD]\d{1,2}[a-z]?)"/g;

function* readCitations({ path: name, source }: SourceFile): Generator<string> {
  if (name.endsWith(".md")) {
    // Without its examples, in blocks or within a line, and where links lead.
    const prose = source.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, "");
    for (const [id] of prose.matchAll(citation)) yield id;
  } else if (name.endsWith(".sql")) {
    for (const [line] of source.matchAll(/--.*$/gm)) for (const [id] of line.matchAll(citation)) yield id;
  } else if (source.search(citation) >= 0) {
    for (const { value } of parseSync(name, source).comments) for (const [id] of value.matchAll(citation)) yield id;
    if (name.startsWith("test/old-clients/"))
      for (const [, id] of source.matchAll(citingText)) if (id !== undefined) yield id;
  }
}

/** The ids that docs/interface.md gives its rows, in their order. */
const listIds = (files: readonly SourceFile[]): string[] =>
  files
    .filter((file) => file.path === interfacePage)
    .flatMap(({ source }) => [...source.matchAll(row)].map(([, id]) => id ?? ""));

/** How often an id is cited outside of its own row, and where one is that is not there. */
function findDeadIds(files: readonly SourceFile[]) {
  const known = new Set(listIds(files));
  const cited = files.flatMap((file) => [...readCitations(file)].map((id) => ({ path: file.path, found: id })));
  return { cited: cited.length, dead: cited.filter(({ found }) => !known.has(found)) };
}

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

test("what is called met names a test that there is, by its words", () => {
  const [, table = ""] =
    files.find(({ path }) => path === "docs/assurance.md")?.source.split("## What holds, by the test") ?? [];
  const named = [...table.matchAll(/\| `(\S+\.test\.ts)`: (.+) \|$/gm)];
  assert.ok(named.length > 10, "the test must have read the table");
  assert.equal(
    named.length,
    table.match(/^\| /gm)?.length === undefined ? 0 : table.match(/^\| (?!what \|)/gm)?.length,
  );
  for (const [, file = "", words = ""] of named)
    assert.ok(files.find(({ path }) => path === file)?.source.includes(words), `${file}: ${words}`);
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
