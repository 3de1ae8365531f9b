import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import type { FileStore, LocalFile } from "#platform/files/file-store.ts";

export interface StoreUnderTest {
  readonly files: FileStore;
  age(name: string): Promise<void>;
  plantStranger(): Promise<void>;
}

export const makeName = (extension = "png"): string => `${randomBytes(16).toString("hex")}.${extension}`;

export async function openLocalFolder(): Promise<(content: Buffer) => Promise<LocalFile>> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-store-"));
  after(() => rm(folder, { recursive: true, force: true }));
  return async (content) => {
    const place = path.join(folder, randomBytes(8).toString("hex"));
    await writeFile(place, content);
    return { path: place, bytes: content.length, sha256: createHash("sha256").update(content).digest() };
  };
}

export const readAll = async (files: FileStore, name: string): Promise<Buffer | undefined> => {
  const opened = await files.open(name);
  return opened && buffer(opened.stream);
};

const hour = 3_600_000;
const listOld = async (files: FileStore): Promise<string[]> => (await Array.fromAsync(files.listOlder(hour))).flat();

export function conformsAsFileStore(title: string, start: () => Promise<StoreUnderTest>): void {
  describe(title, async () => {
    const { files, age, plantStranger } = await start();
    const write = await openLocalFolder();

    for (const bytes of [1, 8 * 1024 ** 2 + 1])
      test(`a file of ${bytes} bytes comes back as it went in`, async () => {
        const [name, content] = [makeName(), randomBytes(bytes)];
        await files.put(name, await write(content));
        assert.deepEqual(await files.stat(name), { bytes });
        const opened = await files.open(name);
        assert.equal(opened?.bytes, bytes);
        assert.ok(opened && content.equals(await buffer(opened.stream)));
      });

    test("what is not there is not there, and removing it is no error", async () => {
      const name = makeName();
      assert.equal(await files.stat(name), undefined);
      assert.equal(await files.open(name), undefined);
      await files.remove(name);
      await files.put(name, await write(Buffer.from("x")));
      await files.remove(name);
      assert.equal(await files.stat(name), undefined);
    });

    test("no name leads elsewhere", async () => {
      for (const name of ["../../etc/passwd", "a/b", "", "arriving", `${makeName()}/x`, makeName().toUpperCase()]) {
        const file = await write(Buffer.from("x"));
        for (const wrong of [files.stat(name), files.open(name), files.remove(name), files.put(name, file)])
          await assert.rejects(wrong, /invalid name of a stored file/);
      }
    });

    test("a reader that goes leaves nothing open, and others read on", async () => {
      const [name, content] = [makeName(), randomBytes(1024 ** 2)];
      await files.put(name, await write(content));
      for (const unread of [await files.open(name), await files.open(name)]) {
        unread?.stream.destroy();
        assert.equal(unread?.stream.destroyed, true);
      }
      assert.ok(content.equals((await readAll(files, name)) ?? Buffer.alloc(0)));
    });

    test("what lies there for long is listed, page by page; what is young, or nobody's, is not", async () => {
      const names = Array.from({ length: 8 }, () => makeName("pdf"));
      for (const name of names) await files.put(name, await write(Buffer.from(name)));
      await plantStranger();
      for (const name of names.slice(1)) await age(name);
      assert.deepEqual((await listOld(files)).toSorted(), names.slice(1).toSorted());
    });

    test("it answers", async () => assert.equal(await files.isReachable(), true));
  });
}
