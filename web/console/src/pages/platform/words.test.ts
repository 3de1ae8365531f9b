import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { test } from "node:test";
import { type ActionTable, listActions } from "#console/pages/platform/action-names.ts";
import { describeSettings, readSettings } from "#quintet/settings.ts";

async function importEach(pattern: string): Promise<Record<string, object>[]> {
  const folder = new URL("../../../../", import.meta.url);
  const files = await Array.fromAsync(glob(pattern, { cwd: folder.pathname }));
  assert.ok(files.length > 2, `the test must have read ${pattern}`);
  return Promise.all(files.map(async (file) => import(new URL(file, folder).href) as Promise<Record<string, object>>));
}

test("every setting has its meaning in Chinese", async () => {
  const settingWords = Object.assign(
    {},
    ...(await importEach("console/src/pages/*/setting-words.ts")).map((words) => words["settingWords"]),
  );
  const without = describeSettings(readSettings({})).filter(({ key }) => !(key in settingWords));
  assert.deepEqual(
    without.map(({ key, description }) => `${key}: ${description}`),
    [],
  );
});

test("every operation that the audit log can name has a Chinese name of its own", async () => {
  const tables = (await importEach("shared/api/*.ts")).flatMap((exported) => Object.values(exported) as ActionTable[]);
  const actions = listActions("zh", tables);
  assert.ok(actions.length > 50, "the test must have read the operations");
  assert.deepEqual(
    actions.filter(({ label }) => !/^\p{Script=Han}+$/u.test(label)),
    [],
  );
});
