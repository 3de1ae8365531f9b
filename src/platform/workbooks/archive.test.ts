import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildArchive } from "#test/archive-fixture.ts";
import type { FixtureEntry } from "#test/archive-fixture.ts";
import { type ArchiveLimits, openArchive } from "./archive.ts";
import { DEFAULT_LIMITS } from "./spreadsheet-error.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "archive-"));
});
after(() => rm(folder, { recursive: true }));

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
  const claims = ["a", "b", "c"].map((name) => ({
    name,
    content: Buffer.alloc(8_000_000, "abc"),
    declaredBytes: 2 ** 30,
  }));
  await refuses(check(claims, { maxRatio: 1e9 }), "unpacked-bytes");
});

test("refuses encryption, unsafe names and one name twice", async () => {
  await refuses(check([{ name: "a", content: "x", flags: 1 }]), "encrypted");
  await refuses(check([{ name: "../../a", content: "x" }]), "damaged");
  await refuses(check([{ name: "/a", content: "x" }]), "damaged");
  await refuses(check([{ name: "a\u0000.xml", content: "x" }]), "unsafe-name");
  await refuses(
    check([
      { name: "a", content: "x" },
      { name: "a", content: "y" },
    ]),
    "damaged",
  );
});

test("refuses what is no archive", async () => {
  const path = join(folder, "text");
  await writeFile(path, "PK\u0003\u0004 and then nothing of the kind");
  await refuses(openArchive(path, DEFAULT_LIMITS), "damaged");
});
