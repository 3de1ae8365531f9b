import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildArchive } from "./archive-fixture.ts";
import type { FixtureEntry } from "./archive-fixture.ts";
import { checkArchive, DEFAULT_LIMITS, SpreadsheetError } from "./index.ts";
import type { ArchiveEntry, ArchiveLimits } from "./index.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "archive-"));
});
after(() => rm(folder, { recursive: true }));

async function check(entries: FixtureEntry[], limits: Partial<ArchiveLimits> = {}): Promise<readonly ArchiveEntry[]> {
  const path = join(folder, "archive.zip");
  await writeFile(path, buildArchive(entries));
  return checkArchive(path, { ...DEFAULT_LIMITS, ...limits });
}

function refuses(promise: Promise<unknown>, kind: string, reason: string): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof SpreadsheetError, String(error));
    assert.deepEqual([error.kind, error.reason], [kind, reason]);
    return true;
  });
}

test("lists what a sound archive holds", async () => {
  const entries = await check([{ name: "文件.txt", content: "hello", stored: true }]);
  assert.deepEqual(entries, [{ name: "文件.txt", packedBytes: 5, unpackedBytes: 5 }]);
});

test("refuses too many entries, too much in all and too high a ratio", async () => {
  const small = (name: string): FixtureEntry => ({ name, content: "x".repeat(100) });
  await refuses(check([small("a"), small("b"), small("c")], { maxEntries: 2 }), "limit", "entries");
  await refuses(check([small("a"), small("b")], { maxUnpackedBytes: 150 }), "too-large", "unpacked-bytes");
  const zeros: FixtureEntry = { name: "a", content: Buffer.alloc(2 * 1024 * 1024) };
  await refuses(check([zeros]), "too-large", "ratio");
  assert.equal((await check([zeros], { maxRatio: 2000 })).length, 1);
});

test("refuses declared sizes beyond 2 GB without unpacking anything", async () => {
  const claims = ["a", "b", "c"].map((name) => ({
    name,
    content: Buffer.alloc(8_000_000, "abc"),
    declaredBytes: 2 ** 30,
  }));
  await refuses(check(claims, { maxRatio: 1e9 }), "too-large", "unpacked-bytes");
});

test("refuses encryption, unsafe names and one name twice", async () => {
  await refuses(check([{ name: "a", content: "x", flags: 1 }]), "format", "encrypted");
  await refuses(check([{ name: "../../a", content: "x" }]), "format", "damaged");
  await refuses(check([{ name: "/a", content: "x" }]), "format", "damaged");
  await refuses(check([{ name: "a\u0000.xml", content: "x" }]), "format", "unsafe-name");
  await refuses(
    check([
      { name: "a", content: "x" },
      { name: "a", content: "y" },
    ]),
    "format",
    "damaged",
  );
});

test("refuses what is no archive", async () => {
  const path = join(folder, "text");
  await writeFile(path, "PK\u0003\u0004 and then nothing of the kind");
  await refuses(checkArchive(path, DEFAULT_LIMITS), "format", "damaged");
});
