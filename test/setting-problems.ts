import assert from "node:assert/strict";
import { SettingsError } from "#platform/contract/setting-types.ts";
import { readSettings } from "#quintet/settings.ts";

export function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.problems;
  }
}
