import assert from "node:assert/strict";
import { test } from "node:test";
import { listActions } from "#console/pages/platform/action-names.ts";
import { settingWords } from "#console/pages/platform/setting-words.ts";
import { describeSettings, readSettings } from "#platform/process/config.ts";

test("every setting has its meaning in Chinese", () => {
  const without = describeSettings(readSettings({})).filter(({ key }) => !(key in settingWords));
  assert.deepEqual(
    without.map(({ key, description }) => `${key}: ${description}`),
    [],
  );
});

test("every operation that the audit log can name has a Chinese name of its own", () => {
  const actions = listActions("zh");
  assert.ok(actions.length > 50, "the test must have read the operations");
  assert.deepEqual(
    actions.filter(({ label }) => !/^\p{Script=Han}+$/u.test(label)),
    [],
  );
});
