import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { Problem } from "#platform/contract/problem.ts";
import { openBucketFiles } from "#platform/files/bucket/bucket-store.ts";
import { makeName, openLocalFolder, readAll } from "#test/stand-ins/file-store-conformance.ts";
import { s3Bucket, type S3Fault, s3Keys, startS3 } from "#test/stand-ins/s3.ts";

const store = await startS3();
after(() => store.close());
const { books } = store;
const write = await openLocalFolder();
const bucketOf = (endpoint: string, timeoutMs = 5000) =>
  ({ endpoint, bucket: s3Bucket, prefix: "", ...s3Keys, timeoutMs }) as const;
const files = openBucketFiles(bucketOf(store.endpoint));
const hasty = openBucketFiles(bucketOf(store.endpoint, 400));
const isFailure = (error: unknown): boolean => error instanceof Problem && error.problem === "outsideFailed";
const small = randomBytes(300_000);
const large = randomBytes(9 * 1024 ** 2);
const keep = async (content: Buffer): Promise<string> => {
  const name = makeName();
  await files.put(name, await write(content));
  return name;
};

describe("a failure that passes", () => {
  const faults: readonly S3Fault[] = [{ status: 503 }, { status: 429 }, "deaf"];
  for (const fault of faults)
    test(`is not seen: ${JSON.stringify(fault)}`, async () => {
      for (const content of [small, large]) {
        store.fail(fault, { when: /^PUT/ });
        store.fail(fault, { when: /^GET/ });
        const read = await readAll(files, await keep(content));
        assert.ok(read && content.equals(read));
      }
    });
});

describe("a failure that stays", () => {
  for (const fault of [{ status: 503 }, "silent"] as const)
    test(`is told in time, and leaves nothing: ${JSON.stringify(fault)}`, async () => {
      const [name, file] = [makeName(), await write(small)];
      store.fail(fault, { times: 4 });
      const startMs = performance.now();
      await assert.rejects(hasty.put(name, file), isFailure);
      assert.ok(performance.now() - startMs < 10_000);
      assert.ok(![...books.objects.keys()].some((key) => key.endsWith(name)));
      while (
        await hasty.put(name, file).then(
          () => false,
          () => true,
        )
      );
      assert.ok(small.equals((await readAll(files, name)) ?? Buffer.alloc(0)));
    });

  for (const fault of [{ breakOffAfter: 10_000 }, { stallAfter: 10_000 }])
    test(`a download ends in an error, not as if it were whole: ${JSON.stringify(fault)}`, async () => {
      const name = await keep(small);
      store.fail(fault, { when: /^GET/ });
      const opened = await hasty.open(name);
      assert.ok(opened);
      await assert.rejects(buffer(opened.stream), isFailure);
    });
});

describe("content that is not what arrived", () => {
  test("is not stored", async () => {
    for (const content of [small, large]) {
      const name = makeName();
      await assert.rejects(files.put(name, { ...(await write(content)), sha256: randomBytes(32) }), isFailure);
      assert.equal(await files.stat(name), undefined);
    }
  });

  test("is not given as whole", async () => {
    const name = await keep(small);
    store.fail("turned", { when: /^GET/ });
    const opened = await files.open(name);
    assert.ok(opened);
    let given = 0;
    await assert.rejects(async () => {
      for await (const chunk of opened.stream) given += (chunk as Buffer).length;
    }, isFailure);
    assert.ok(given < small.length);
  });

  test("is given without a checksum where somebody copied it there without one", async () => {
    const name = await keep(small);
    for (const [key, object] of books.objects) if (key.endsWith(name)) object.sha256 = undefined;
    assert.ok(small.equals((await readAll(files, name)) ?? Buffer.alloc(0)));
  });
});

describe("a store that refuses", () => {
  test("wrong keys and regions fail everything, and are not tried again", async () => {
    for (const wrong of [{ secretKey: "another" }, { accessKey: "another" }, { region: "other-2" }]) {
      const refused = openBucketFiles({ ...bucketOf(store.endpoint), ...wrong });
      const before = store.received.length;
      await assert.rejects(refused.put(makeName(), await write(small)), isFailure);
      await assert.rejects(refused.open(makeName()), isFailure);
      assert.equal(store.received.length, before + 2);
      assert.equal(await refused.isReachable(), false);
    }
  });

  test("a bucket that is gone is no missing file", async () => {
    const name = await keep(small);
    books.isGone = true;
    for (const call of ["stat", "open", "remove"] as const) await assert.rejects(files[call](name), isFailure);
    await assert.rejects(Array.fromAsync(files.listOlder(0)), isFailure);
    books.isGone = false;
    assert.ok(small.equals((await readAll(files, name)) ?? Buffer.alloc(0)));
  });

  test("nothing of the keys is in a failure", async () => {
    const refused = openBucketFiles({ ...bucketOf(store.endpoint), secretKey: "never-to-be-seen" });
    const error = await refused.open(makeName()).catch((caught: unknown) => caught);
    assert.ok(error instanceof Problem);
    const told = `${error.stack} ${JSON.stringify(error)}`;
    assert.equal(error.extras.why, "file store: status 403 SignatureDoesNotMatch");
    assert.ok(!told.includes("never-to-be-seen") && !told.includes(s3Keys.accessKey));
  });

  test("a store that nobody listens for does not answer, and comes back", async () => {
    const other = await startS3();
    const away = openBucketFiles(bucketOf(other.endpoint, 1000));
    await other.close();
    const startMs = performance.now();
    await assert.rejects(away.stat(makeName()), isFailure);
    assert.equal(await away.isReachable(), false);
    assert.ok(performance.now() - startMs < 10_000);
    const back = await startS3(s3Keys, { port: Number(new URL(other.endpoint).port), books });
    after(() => back.close());
    assert.equal(await away.stat(makeName()), undefined);
  });
});
