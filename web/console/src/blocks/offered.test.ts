import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { requiredGroup } from "#platform/contract/rights.ts";
import { contracts } from "#quintet/app.ts";

// Forbidden actions are not offered. Forms, confirmations, imports, exports and row actions check the right themselves;
// this test ensures that pages check the right for any other button.

const root = fileURLToPath(new URL("../", import.meta.url));
const endpoints = new Map(
  contracts.flatMap(({ name, endpoints }) =>
    Object.entries<Endpoint>(endpoints).map(([key, one]) => [`${toName(name)}.${key}`, one]),
  ),
);

function toName(service: string): string {
  return service.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** Maps an operation to another one with the same right, which the page checks instead. */
const within: Readonly<Record<string, string>> = {
  "attendance.recognise": "attendance.importUpload",
  "reporting.markInvalid": "reporting.markValid",
};

const called = /\b(?:useChange|call|callWith|download|fetchFile)\(\s*(\w+\.\w+)\b/g;
const asked = /(?:\bneeds[=:] ?\{?|\boperation=\{|\bmay\(|\basFile\(|\b(?:save|update|remove): )([^\n]*)/g;

const listNames = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, found = ""]) => found.match(/\b\w+\.\w+\b/g) ?? []);

test("whatever a page calls that takes more than reading, it asks whether that may be called", async () => {
  const calls = new Set<string>();
  const asks = new Set<string>();
  for await (const file of glob("**/*.{ts,tsx}", { cwd: root })) {
    if (file.endsWith(".test.ts")) continue;
    const text = await readFile(root + file, "utf8");
    for (const name of listNames(text, called)) calls.add(name);
    for (const name of listNames(text, asked)) asks.add(name);
  }
  const taking = [...calls].filter((name) => {
    const endpoint = endpoints.get(name);
    return endpoint !== undefined && !["read", "own", undefined].includes(requiredGroup(endpoint));
  });
  assert.ok(taking.length > 50, `${taking.length} calls were found`);
  assert.deepEqual(
    taking.filter((name) => !asks.has(within[name] ?? name)),
    [],
  );
});
