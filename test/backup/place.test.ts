import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import type { BackupPlace } from "#platform/backup/index.ts";
import { digestOf } from "#platform/backup/digest.ts";
import { openBucketPlace, openFolderPlace } from "#platform/backup/place.ts";
import { s3Bucket, s3Keys, startS3 } from "#test/stand-ins/s3.ts";
import { makeFolder } from "./cluster.ts";

// A folder and a bucket are one to whoever makes a backup.

const store = await startS3();
after(() => store.close());
const root = await makeFolder();
const { region, accessKey, secretKey } = s3Keys;
const bucket = {
  endpoint: store.endpoint,
  bucket: s3Bucket,
  prefix: "b/",
  region,
  accessKey,
  secretKey,
  timeoutMs: 5000,
};
const spool = path.join(await makeFolder(), "spool");
const places: readonly BackupPlace[] = [openFolderPlace(root), openBucketPlace(bucket, spool)];

for (const place of places)
  describe(place.describe.startsWith("s3:") ? "a bucket" : "a folder", () => {
    test("keeps what was put, small or large, and lists it by its folders", async () => {
      const small = Buffer.from("small");
      const large = randomBytes(9 * 1024 ** 2);
      assert.deepEqual(await place.put("a/one", small), digestOf(small));
      assert.deepEqual(await place.put("a/b/two.zst", Readable.from([large])), digestOf(large));
      assert.deepEqual(await place.put("a/b/two.zst", Readable.from([large])), digestOf(large));
      await place.settle();
      assert.deepEqual(await place.readWhole("a/one"), small);
      const stream = await place.read("a/b/two.zst");
      assert.ok(stream && large.equals(await buffer(stream)));
      assert.deepEqual(await listNames(place, ""), ["a/b/two.zst", "a/one"]);
      assert.deepEqual(await listNames(place, "a/b"), ["a/b/two.zst"]);
      assert.deepEqual(await listNames(place, "none"), []);
    });

    test("has nothing of what broke off, and of what was removed", async () => {
      const broken = Readable.from(
        (async function* () {
          yield randomBytes(2048);
          throw new Error("broken off");
        })(),
      );
      await assert.rejects(place.put("c/broken", broken), /broken off/);
      assert.equal(await place.readWhole("c/broken"), undefined);
      assert.equal(await place.read("c/broken"), undefined);
      await place.remove("a/b/two.zst");
      await place.remove("a/b/two.zst");
      assert.deepEqual(await listNames(place, ""), ["a/one"]);
    });
  });

test("what a power cut left unfinished in a folder is not seen", async () => {
  await writeFile(path.join(root, "a", "one.part-0123abcd"), "half");
  assert.deepEqual(await listNames(places[0] ?? assert.fail("no place"), ""), ["a/one"]);
});

async function listNames(place: BackupPlace, folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of place.list(folder)) names.push(name);
  return names.toSorted();
}
