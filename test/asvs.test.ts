import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { judgeTable } from "#test/asvs.ts";

const root = new URL("../", import.meta.url);
const page = await readFile(new URL("docs/asvs.md", root), "utf8");

test("every item of ASVS 5.0, levels 1 and 2, is judged once, the counts are right, and what is cited is there", (t) => {
  const { items, counts, files, faults } = judgeTable(page);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(faults, []);
  assert.equal(items.length, 253);
  assert.ok(files.length > 80, "the test must have found what is cited");
  assert.deepEqual(
    files.filter((file) => !existsSync(new URL(file, root))),
    [],
  );
});

for (const [what, change] of Object.entries<(text: string) => string>({
  "an item that is missing": (text) => text.replace(/^\| 6\.2\.1 .*\n/m, ""),
  "an item twice": (text) => text.replace(/^\| 6\.2\.1 .*\n/m, "$&$&"),
  "a level that is another": (text) => text.replace("| 6.2.1 | 1 |", "| 6.2.1 | 2 |"),
  "a state that there is not": (text) => text.replace(/^(\| 6\.2\.1 .*)\| met \|/m, "$1| mostly |"),
  "no reason": (text) => text.replace(/^(\| 6\.2\.1 .* met \|).*$/m, "$1 |"),
  "another count": (text) => text.replace(/\*\*Of 253 items \d+/, "**Of 253 items 200"),
}))
  test(`what is wrong with the table is found: ${what}`, () => {
    assert.notEqual(change(page), page);
    assert.notEqual(judgeTable(change(page)).faults.length, 0);
  });
