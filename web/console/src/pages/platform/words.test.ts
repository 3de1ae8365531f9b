import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { test } from "node:test";
import { type ActionTable, listActions } from "#console/pages/platform/action-names.ts";
import { settingWords } from "#console/pages/platform/setting-words.ts";
import { describeSettings, readSettings } from "#quintet/settings.ts";

test("every setting has its meaning in Chinese", () => {
  const without = describeSettings(readSettings({})).filter(({ key }) => !(key in settingWords));
  assert.deepEqual(
    without.map(({ key, description }) => `${key}: ${description}`),
    [],
  );
});

test("every operation that the audit log can name has a Chinese name of its own", async () => {
  const files = await Array.fromAsync(glob("*.ts", { cwd: new URL("../../api", import.meta.url).pathname }));
  const tables = await Promise.all(
    files.map(async (file) => Object.values((await import(`#console/api/${file}`)) as Record<string, ActionTable>)),
  );
  assert.ok(tables.length > 5, "the test must have read the services");
  const actions = listActions("zh", tables.flat());
  assert.ok(actions.length > 50, "the test must have read the operations");
  assert.deepEqual(
    actions.filter(({ label }) => !/^\p{Script=Han}+$/u.test(label)),
    [],
  );
});
