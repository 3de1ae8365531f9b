import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  chooseBackup,
  makeBackup,
  openFolderPlace,
  readBackupAddress,
  refuseUnfinishedRestore,
  restore,
  verify,
} from "#platform/backup/index.ts";
import { readManifest } from "#platform/backup/manifest.ts";
import { type Db, openPool } from "#platform/database/index.ts";
import { removeReleasedUploads } from "#platform/files/upload.ts";
import { makeFolder, newPlace, startCluster } from "./cluster.ts";

const cluster = await startCluster(path.join(await makeFolder(), "data"));
const { pool, source } = cluster;
await pool`create table kept (id int primary key, at timestamptz not null default clock_timestamp())`;

let lastId = 0;
const write = async (): Promise<number> => {
  await pool`insert into kept (id) values (${++lastId})`;
  return lastId;
};

async function upload(): Promise<string> {
  const name = `${randomBytes(16).toString("hex")}.png`;
  const bytes = randomBytes(10_000);
  const arrived = path.join(cluster.dataDir, "arrived");
  await writeFile(arrived, bytes);
  const sha256 = createHash("sha256").update(bytes).digest();
  await cluster.files.put(name, { path: arrived, bytes: bytes.length, sha256 });
  await pool`
    insert into platform.upload (name, service, mime, image, bytes, original_name)
    values (${name}, 'reporting', 'image/png', true, ${bytes.length}, 'a.png')`;
  return name;
}

await pool`insert into platform.account (service, user_name, name_key, password_hash) values ('platform', 'a', 'a', 'x')`;
await pool`
  insert into platform.session (account_id, token_hash, address, user_agent, expires_at)
  select id, 'x', '', '', now() + interval '1 hour' from platform.account`;

/** One backup for all the tests that only read it, or a copy of it. */
const firstFile = await upload();
await write();
const place = await newPlace();
const first = await makeBackup(source, place);

const turnByte = async (file: string, at: number): Promise<void> => {
  const handle = await open(file, "r+");
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  await handle.close();
};

const fileOf = (name: string): string => path.join(place.describe, ...name.split("/"));

/** Damages a file of the first backup while `work` runs. */
async function whileDamaged(name: string, work: () => Promise<void>): Promise<void> {
  await turnByte(fileOf(name), 20);
  try {
    await work();
  } finally {
    await turnByte(fileOf(name), 20);
  }
}

const openOne = (url: string) => openPool(url, { connections: 1 });

const verifyFirst = async () =>
  verify({
    place,
    manifest: await chooseBackup(place, first.id),
    aside: await makeFolder(),
    open: openOne,
    checks: [],
  });

const disagreements = (found: Awaited<ReturnType<typeof verify>>): string[] =>
  found.filter((check) => check.expected !== check.found).map(({ what }) => what);

describe("a backup is refused", () => {
  test("into a folder that holds something else, which stays as it is", async () => {
    const folder = await makeFolder();
    await writeFile(path.join(folder, "thesis.doc"), "mine");
    await assert.rejects(makeBackup(source, openFolderPlace(folder)), /holds something else \(thesis\.doc\)/);
    assert.deepEqual(await readdir(folder), ["thesis.doc"]);
  });

  test("into the backups of another database", async () => {
    const other = path.join(await makeFolder(), "b");
    await mkdir(other);
    const text = JSON.stringify({ format: 1, system: "1" });
    const sha256 = createHash("sha256").update(text).digest("hex");
    await writeFile(path.join(other, "place.json"), `{"sha256":"${sha256}","value":${text}}`);
    await assert.rejects(makeBackup(source, openFolderPlace(other)), /backups of another database/);
  });
});

describe("a restore is refused", () => {
  test("into a folder that has a database, or files, or is in use", async () => {
    const to = { place, manifest: first };
    await assert.rejects(restore({ ...to, dataDir: cluster.dataDir }), /is using/);
    const withFiles = await makeFolder();
    await mkdir(path.join(withFiles, "files", "ab"), { recursive: true });
    await assert.rejects(restore({ ...to, dataDir: withFiles }), /is not empty/);
    const withCluster = await makeFolder();
    await mkdir(path.join(withCluster, "postgres", "cluster"), { recursive: true });
    await assert.rejects(restore({ ...to, dataDir: withCluster }), /is not empty/);
  });

  test("where there is not the room", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    const manifest = { ...first, unpackedBytes: 2 ** 52 };
    await assert.rejects(restore({ place, manifest, dataDir }), /MiB free, and \d+ MiB are needed/);
  });

  test("of a file that is damaged, and nothing is there then; mended, it goes on", async (t) => {
    const dataDir = path.join(await makeFolder(), "data");
    const [name = ""] = first.files.map((file) => file.name);
    await whileDamaged(name, () =>
      assert.rejects(restore({ place, manifest: first, dataDir }), new RegExp(`${name} is damaged`)),
    );
    assert.deepEqual((await readdir(dataDir)).toSorted(), ["postgres", "restoring"]);
    await assert.rejects(refuseUnfinishedRestore(dataDir), /a restore into .* was cut off/);
    // Asked for again, it goes on.
    await restore({ place, manifest: first, dataDir });
    await refuseUnfinishedRestore(dataDir);
    assert.deepEqual((await readdir(dataDir)).toSorted(), ["files", "postgres"]);
    const { pool: again, files } = await startCluster(dataDir, t);
    assert.deepEqual(await again`select id from kept`, [{ id: 1 }]);
    assert.equal((await files.stat(firstFile))?.bytes, 10_000);
    // Nobody is signed in, and those who were are who they were.
    assert.deepEqual(await again`select id from platform.session`, []);
    assert.equal((await again`select id from platform.account`).length, 1);
  });

  test("of a manifest that was changed, or that names a file outside", async () => {
    await assert.rejects(readManifest(place, "2020-01-01T00-00-00.000Z"), /no whole backup/);
    await whileDamaged(`backups/${first.id}/manifest.json`, async () => {
      await assert.rejects(readManifest(place, first.id), /manifest\.json is damaged/);
    });
    const outside = { ...first, cluster: [{ name: `backups/${first.id}/cluster/../../x`, bytes: 1, sha256: "" }] };
    const dataDir = path.join(await makeFolder(), "data");
    await assert.rejects(restore({ place, manifest: outside, dataDir }), /is no file of a backup/);
  });
});

test("one that is cut off is none; the next clears it away, is alone, and agrees with itself whatever was written meanwhile", async () => {
  const busy = await newPlace();
  const cut = new AbortController();
  const stopped = makeBackup(source, busy, { signal: cut.signal, followed: true });
  cut.abort(new Error("stopped"));
  await assert.rejects(stopped, /stopped/);
  await assert.rejects(chooseBackup(busy, undefined), /no whole backup/);

  const over = new AbortController();
  const writers = Array.from({ length: 4 }, async () => {
    // Others need the processor, too.
    for (; !over.signal.aborted; await delay(5)) await write();
  });
  const removed = await upload();
  const before = await write();
  const making = makeBackup(source, busy);
  await lockTaken();
  await assert.rejects(makeBackup(source, await newPlace()), /another backup is under way/);
  // The file of a row that is in the copy stays until the copy is whole.
  await pool`update platform.upload set remove_at = now() where name = ${removed}`;
  await removeReleasedUploads(pool, cluster.files);
  const manifest = await making;
  over.abort();
  await Promise.all(writers);
  await removeReleasedUploads(pool, cluster.files);
  assert.equal(await cluster.files.stat(removed), undefined);
  assert.deepEqual(await readdir(path.join(busy.describe, "backups")), [manifest.id]);
  assert.deepEqual(await pool`select from pg_replication_slots`, []);

  const aside = await makeFolder();
  const kept = async (db: Db) => {
    const [row] = await db<{ found: number }[]>`select count(*)::int as found from kept where id <= ${before}`;
    return [{ what: "rows that were acknowledged before", expected: before, found: row?.found ?? 0 }];
  };
  // All agrees but what is planted: rows without their files, and a check of a service.
  const planted = async () => [{ what: "planted", expected: 1, found: 2 }];
  const checks = [kept, planted];
  const found = await verify({ place: busy, manifest: { ...manifest, files: [] }, aside, open: openOne, checks });
  assert.deepEqual(disagreements(found), ["uploaded files of which there are rows", "planted"]);
  assert.ok(found.some(({ what, found: rows }) => what.startsWith("rows of reporting.report") && rows === 0));
  assert.ok(manifest.files.some(({ name }) => name.endsWith(removed)));
  assert.deepEqual(await readdir(aside), []);
});

const lockTaken = async (): Promise<void> => {
  for (;;) {
    const [row] = await pool<{ locks: number }[]>`
      select count(*)::int as locks from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted`;
    if ((row?.locks ?? 0) >= 2) return;
    await delay(5);
  }
};

test("verifying finds a byte that was turned, in the cluster, the log and a file", async () => {
  const names = [
    first.cluster.find(({ name }) => /\/base\/\d+\/1259\.zst$/.test(name))?.name,
    first.log[0]?.name,
    first.files[0]?.name,
  ];
  for (const name of names)
    await whileDamaged(name ?? assert.fail("not in the backup"), async () => {
      await assert.rejects(verifyFirst(), new RegExp(`${name} is damaged`));
    });
});

test("an address is a place, or one backup in it", () => {
  assert.deepEqual(readBackupAddress("/b"), { place: "/b" });
  assert.deepEqual(readBackupAddress(`/b/${first.id}`), { place: "/b", id: first.id });
  assert.deepEqual(readBackupAddress(`s3://bucket/b/backups/${first.id}/`), { place: "s3://bucket/b", id: first.id });
});
