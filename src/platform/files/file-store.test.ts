import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { after } from "node:test";
import { openBucketFiles } from "#platform/files/bucket/bucket-store.ts";
import { openLocalFiles, toStoragePath } from "#platform/files/file-store.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { conformsAsFileStore } from "#test/stand-ins/file-store-conformance.ts";
import { s3Bucket, s3Keys, startS3 } from "#test/stand-ins/s3.ts";

const twoHoursAgo = (): Date => new Date(Date.now() - 2 * 3_600_000);

conformsAsFileStore("the local disk", async () => {
  const folder = await makeFolder();
  return {
    files: openLocalFiles(folder),
    age: (name) => utimes(path.join(folder, toStoragePath(name)), twoHoursAgo(), twoHoursAgo()),
    async plantStranger() {
      const place = path.join(folder, "readme.txt");
      await writeFile(place, "not ours");
      await utimes(place, twoHoursAgo(), twoHoursAgo());
    },
  };
});

conformsAsFileStore("a bucket", async () => {
  const store = await startS3();
  after(() => store.close());
  const { objects } = store.books;
  const prefix = "city/uploads/";
  const sample = { body: Buffer.from("x"), etag: '"x"', sha256: undefined, modified: twoHoursAgo() };
  return {
    files: openBucketFiles({ endpoint: store.endpoint, bucket: s3Bucket, prefix, ...s3Keys, timeoutMs: 5000 }),
    async age(name) {
      const found = objects.get(prefix + toStoragePath(name));
      if (found) found.modified = twoHoursAgo();
    },
    async plantStranger() {
      for (const key of ["readme.txt", `${prefix}readme.txt`, `${prefix}zz/0123456789abcdef.png`, "other/ab/abc.png"])
        objects.set(key, sample);
    },
  };
});
