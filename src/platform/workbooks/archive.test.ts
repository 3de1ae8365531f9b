import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { buildArchive, type FixtureEntry } from "#test/archive-fixture.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { type ArchiveLimits, openArchive } from "./archive.ts";
import { DEFAULT_LIMITS } from "./spreadsheet-error.ts";

const folder = await makeFolder();

async function check(entries: FixtureEntry[], limits: Partial<ArchiveLimits> = {}) {
  const path = join(folder, "archive.zip");
  await writeFile(path, buildArchive(entries));
  const archive = await openArchive(path, { ...DEFAULT_LIMITS, ...limits });
  archive.close();
  return archive.entries;
}

const refuses = (promise: Promise<unknown>, reason: string): Promise<void> =>
  assert.rejects(promise, { name: "SpreadsheetError", reason });

test("refuses too many entries, too much in all and too high a ratio", async () => {
  const small = (name: string): FixtureEntry => ({ name, content: "x".repeat(100) });
  await refuses(check([small("a"), small("b"), small("c")], { maxEntries: 2 }), "entries");
  await refuses(check([small("a"), small("b")], { maxUnpackedBytes: 150 }), "unpacked-bytes");
  const zeros: FixtureEntry = { name: "a", content: Buffer.alloc(2 * 1024 * 1024) };
  await refuses(check([zeros]), "ratio");
  assert.equal((await check([zeros], { maxRatio: 2000 })).size, 1);
});

test("refuses declared sizes beyond 2 GB without unpacking anything", async () => {
  const claim = { content: Buffer.alloc(8_000_000, "abc"), declaredBytes: 2 ** 30 };
  const claims = ["a", "b", "c"].map((name) => ({ name, ...claim }));
  await refuses(check(claims, { maxRatio: 1e9 }), "unpacked-bytes");
});

test("refuses encryption, unsafe names and one name twice", async () => {
  const named = (...names: string[]): FixtureEntry[] => names.map((name) => ({ name, content: "x" }));
  await refuses(check([{ name: "a", content: "x", flags: 1 }]), "encrypted");
  for (const names of [["../../a"], ["/a"], ["a", "a"]]) await refuses(check(named(...names)), "damaged");
  await refuses(check(named("a\u0000.xml")), "unsafe-name");
});

test("refuses what is no archive", async () => {
  const path = join(folder, "text");
  await writeFile(path, "PK\u0003\u0004 and then nothing of the kind");
  await refuses(openArchive(path, DEFAULT_LIMITS), "damaged");
});
