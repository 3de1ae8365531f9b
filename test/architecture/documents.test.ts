import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { rooms } from "./rooms.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), "utf8");

const list = (pattern: string): Promise<string[]> =>
  Array.fromAsync(glob(pattern, { cwd: fileURLToPath(root), exclude: ["**/node_modules/**", "**/dist/**"] }));
const documents = new Map(
  await Promise.all((await list("**/*.md")).map(async (file) => [file, await read(file)] as const)),
);
const sources = await list("{src,demo,web,test,bench,scripts,migrations,deploy}/**/*.{ts,tsx,js,sql,yml,yaml}");

const listAnchors = (text: string): string[] =>
  [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );

function leads(from: string, to: string): boolean {
  const [file = "", anchor] = to.split("#");
  const target = file === "" ? from : path.join(path.dirname(from), file);
  const text = documents.get(target);
  return text === undefined
    ? existsSync(new URL(target, root))
    : anchor === undefined || listAnchors(text).includes(anchor);
}

test("every link of a document leads to a file and a heading", () => {
  const links = [...documents].flatMap(([file, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, to = ""]) => ({ file, to })),
  );
  assert.ok(links.length > 100, "the test must have read the links");
  assert.deepEqual(
    links.filter(({ file, to }) => !leads(file, to)),
    [],
  );
});

test("every rule of the interface that a comment or a document cites is there", async () => {
  const rules = new Set(
    [...documents].flatMap(([file, text]) =>
      file.startsWith("docs/interface/") ? [...text.matchAll(/^\| ([GRAPTD]\d+[a-z]?) \|/gm)].map(([, id]) => id) : [],
    ),
  );
  assert.ok(rules.size > 200, "the test must have read the rules");
  const comments = await Promise.all(
    sources.map(
      async (file) => [file, (await read(file)).match(/^\s*(?:\/\/|\/?\*|--).*$/gm)?.join("\n") ?? ""] as const,
    ),
  );
  const cited = [...documents, ...comments].flatMap(([file, text]) =>
    [...text.matchAll(/(?<![\w"'])[GRAPTD]\d{1,2}[a-z]?\b/g)].map(([id]) => ({ file, id })),
  );
  assert.ok(cited.length > 300, "the test must have read the citations");
  assert.deepEqual(
    cited.filter(({ id }) => !rules.has(id)),
    [],
  );
});

test("every document that the code names is there", async () => {
  for (const file of sources)
    for (const [named] of (await read(file)).matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g))
      assert.ok(leads("README.md", named), `${file}: ${named}`);
});

test("the index of decisions has every page", async () => {
  const index = await read("docs/decisions/README.md");
  const pages = await Array.fromAsync(glob("[0-9]*.md", { cwd: new URL("docs/decisions/", root).pathname }));
  assert.ok(pages.length > 20);
  for (const page of pages) assert.ok(index.includes(`](${page})`), page);
});

test("what is called met names a test that there is, by its words", async () => {
  const [, table = ""] = (await read("docs/security.md")).split("## What holds, by the test");
  const named = [...table.matchAll(/\| `(\S+\.test\.ts)`: (.+) \|$/gm)];
  assert.ok(named.length > 10, "the test must have read the table");
  assert.equal(named.length, table.match(/^\| (?!what \|)/gm)?.length);
  for (const [, file = "", words = ""] of named) assert.ok((await read(file)).includes(words), `${file}: ${words}`);
});

test("the table of the platform's rooms has every room, in their order", async () => {
  const [, table = ""] = (await read("docs/architecture.md")).split("## The platform's rooms");
  const named = [...table.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, room]) => room);
  assert.deepEqual(named, [...rooms]);
});

test("every file of the code that a document names is there", () => {
  const named = [...documents].flatMap(([file, text]) =>
    [...text.matchAll(/`([\w./-]+\.(?:tsx?|js|sql))`/g)].map(([, name = ""]) => ({ file, name })),
  );
  assert.ok(named.length > 50, "the test must have read the names");
  const paths = sources.map((source) => `/${source}`);
  assert.deepEqual(
    named.filter(({ name }) => !paths.some((source) => source.endsWith(`/${name}`))),
    [],
  );
});
