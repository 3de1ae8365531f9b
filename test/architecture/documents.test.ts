import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { rooms } from "./rooms.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), "utf8");

test("the index of decisions has every page", async () => {
  const index = await read("docs/decisions/README.md");
  const pages = await Array.fromAsync(glob("[0-9]*.md", { cwd: new URL("docs/decisions/", root).pathname }));
  assert.ok(pages.length > 20);
  for (const page of pages) assert.ok(index.includes(`](${page})`), page);
});

test("what is called met names a test that there is, by its words", async () => {
  const [, table = ""] = (await read("docs/assurance.md")).split("## What holds, by the test");
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
