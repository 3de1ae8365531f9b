import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { atLength } from "#test/at-length.ts";
import { operatorPassword, type RunningServer, startServerProcess } from "#test/crash/server.ts";

// The server gets a small file system of its own, which only root can mount.

const run = promisify(execFile);
const folder = await mkdtemp(path.join(tmpdir(), "quintet-disk-"));
const isMounted = await run("mount", ["-t", "tmpfs", "-o", "size=420m,mode=0777", "tmpfs", folder]).then(
  () => true,
  () => false,
);
const skip = isMounted ? false : "a disk can only be mounted by root";
const rarely = { skip: skip || atLength.skip };
const dataDir = path.join(folder, "data");
const filling = path.join(folder, "somebody-elses-file");
const kept = path.join(dataDir, "room-for-the-database");

before(() => mkdir(dataDir, { recursive: true }));
after(async () => {
  if (isMounted) await run("umount", ["-l", folder]);
  await rm(folder, { recursive: true, force: true });
});

async function fillDisk(): Promise<void> {
  for (let piece = 16 * 1024 * 1024; piece >= 512; piece /= 2)
    while (
      await appendFile(filling, Buffer.alloc(piece)).then(
        () => true,
        () => false,
      )
    );
}

const login = async ({ address }: RunningServer) => {
  const response = await fetch(`${address}/platform/login`, {
    method: "POST",
    body: new URLSearchParams({ userName: "operator", password: operatorPassword }),
  });
  return {
    status: response.status,
    json: (await response.json()) as { code: string; message: string; data?: { token: string } },
  };
};
const isKept = () =>
  stat(kept).then(
    () => true,
    () => false,
  );

test(
  "a full disk refuses files, and neither ends the database nor keeps it from starting",
  { skip, timeout: 120_000 },
  async () => {
    const settings = { DISK_RESERVE_MB: "128" };
    const server = await startServerProcess(dataDir, settings);
    while (!(await isKept())) await wait(100);
    await server.kill();
    await fillDisk();
    const again = await startServerProcess(dataDir, settings);
    assert.match(
      again.output().out,
      /WARNING +the disk of .* is full: \d+ MiB are free, of which 64 MiB were just released from the reserve/,
    );
    assert.equal(await isKept(), false);
    const { status, json } = await login(again);
    assert.equal(status, 200, json.message);
    const readRoom = async (): Promise<boolean> => {
      const ready = await fetch(`${again.address}/readyz`);
      assert.equal(ready.status, 200);
      return ((await ready.json()) as { parts: { room: boolean } }).parts.room;
    };
    assert.equal(await readRoom(), false);
    const form = new FormData();
    form.append("file", new Blob(["a,b"]), "a.csv");
    const upload = await fetch(`${again.address}/reporting/file/fileUpDown`, { method: "POST", body: form });
    assert.match(await upload.text(), /"code":"10007"/);
    await rm(filling);
    while (!(await isKept())) await wait(100);
    while (!(await readRoom())) await wait(100);
    assert.equal(
      (await fetch(`${again.address}/reporting/file/fileUpDown`, { method: "POST", body: form })).status,
      200,
    );
    await again.kill();
  },
);

test("when nothing was kept, the start says in a line what is wrong", { ...rarely, timeout: 60_000 }, async () => {
  await rm(kept, { force: true });
  await fillDisk();
  await assert.rejects(startServerProcess(dataDir), /the disk of .* is full: 0 MiB are free; free up space/);
  await rm(filling);
  const server = await startServerProcess(dataDir);
  assert.equal((await login(server)).status, 200);
  await server.kill();
});

test("what fills the disk of a running server is met by what was kept", { ...rarely, timeout: 60_000 }, async () => {
  const server = await startServerProcess(dataDir);
  while (!(await isKept())) await wait(100);
  await fillDisk();
  while (await isKept()) await wait(100);
  const { status, json } = await login(server);
  assert.equal(status, 200, json.message);
  await (await open(filling, "w")).close();
  await server.kill();
});
