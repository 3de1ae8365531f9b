import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFile, cp, open, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readSequences } from "#platform/backup/catalogue.ts";
import {
  backupKeyFile,
  loadOrMakeBackupKeys,
  makeBackup,
  openBackup,
  refuseUnfinishedRestore,
  restore,
} from "#platform/backup/index.ts";
import { type Backup, writeManifest } from "#platform/backup/manifest.ts";
import type { Pool } from "#platform/database/index.ts";
import { type FileStore, openLocalFiles } from "#platform/files/file-store.ts";
import { type Keyring, noKeys, openDataKey, openKeyring } from "#platform/sealing/keyring.ts";
import { openDatabase } from "#quintet/open-database.ts";
import { readSettings } from "#quintet/settings.ts";
import { startCommand } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { until } from "#test/until.ts";
import { fill, makeStore, readRules, readTables, upload } from "./source.ts";

const reports = 300;
const { pool, url } = await createTestDatabase();
const files = await makeStore();
await fill(pool, reports);
const picture = await upload(pool, files);

interface Installation {
  readonly keyring: Keyring;
  readonly dataDir: string;
  readonly backups: string;
  readonly text?: string;
}
const newInstallation = async (text?: string): Promise<Installation> => ({
  keyring: text === undefined ? noKeys : openKeyring(openDataKey(Buffer.from(text, "base64"))),
  dataDir: await makeFolder(),
  backups: path.join(await makeFolder(), "backups"),
  ...(text !== undefined && { text }),
});
const plain = await newInstallation();
const sealed = await newInstallation(randomBytes(32).toString("base64"));
const back = async ({ keyring, dataDir, backups }: Installation, keep?: number) =>
  makeBackup({ pool, files, keys: await loadOrMakeBackupKeys(keyring, dataDir) }, backups, { keep });

const made = { plain: await back(plain), sealed: await back(sealed) };
const expected = await readTables(pool);

const newTarget = async () => ({ database: await createTestDatabase({ empty: true }), files: await makeStore() });
type Target = Awaited<ReturnType<typeof newTarget>>;
const restoreTo = async (from: string, installation: Installation, { database, files: store }: Target) =>
  restore(await openBackup(from, installation), {
    pool: database.pool,
    url: database.url,
    files: store,
    spool: path.join(await makeFolder(), "spool"),
  });

async function assertUntouched({ database, files: store }: Target): Promise<void> {
  assert.deepEqual(await database.pool`select from pg_namespace where nspname in ('platform', 'quintet_restore')`, []);
  for await (const names of store.listOlder(-1000)) assert.deepEqual(names, []);
}

const readFileOf = async (store: FileStore, name: string): Promise<Buffer> => {
  const opened = await store.open(name);
  return Buffer.concat((await opened?.stream.toArray()) ?? []);
};

async function assertSame(theirs: Pool, store: FileStore): Promise<void> {
  assert.deepEqual(await readTables(theirs), expected);
  assert.deepEqual(await readRules(theirs), await readRules(pool));
  assert.deepEqual(await readSequences(theirs), await readSequences(pool));
  assert.ok((await readFileOf(store, picture)).equals(await readFileOf(files, picture)));
  assert.deepEqual(await theirs`select from platform.session`, [], "nobody is signed in");
  await assert.rejects(theirs.script("update tuition_payment.ledger set amount_fen = 2"));
}

test("restored, every table is as it was", async () => {
  const target = await newTarget();
  await restoreTo(sealed.backups, sealed, target);
  await assertSame(target.database.pool, target.files);
  const raw = await readdir(made.sealed.folder, { recursive: true, withFileTypes: true });
  assert.ok(raw.every((entry) => entry.isDirectory() || entry.isFile()));
});

test("made while others write, it is one moment: what came before is there, nothing is there in half", async () => {
  const source = await createTestDatabase();
  const over = new AbortController();
  const write = (n: number) => source.pool`
    with made as (
      insert into tuition_payment.pay_order (order_no, card_number, student_name, grade, amount_fen, expires_at)
      values (${`B0000${n}`}, '1', 'x', '1', 1, now()) returning id)
    insert into tuition_payment.ledger (posting, order_id, what, account, gateway, amount_fen)
    select ${n}, id, 'payment', account, 'abc', fen from made, (values ('gateway', 1), ('tuition', -1)) as line (account, fen)`;
  let written = 0;
  const writing = (async () => {
    for (; !over.signal.aborted; await delay(1)) await write(++written);
  })();
  await until("some are written", () => written > 20);
  const before = written - 1;
  const keys = await loadOrMakeBackupKeys(noKeys, plain.dataDir);
  const folder = path.join(await makeFolder(), "busy");
  const ends = await Promise.allSettled([1, 2].map(() => makeBackup({ pool: source.pool, files, keys }, folder)));
  over.abort();
  await writing;
  const refusals = ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []));
  assert.equal(refusals.length, 1, refusals.join());
  assert.match(refusals[0] ?? "", /another backup is in progress/);
  const target = await newTarget();
  await restoreTo(folder, plain, target);
  const [row] = await target.database.pool<{ orders: number; lines: number; sum: number; last: number }[]>`
    select (select count(*) from tuition_payment.pay_order)::int as orders, count(*)::int as lines, sum(amount_fen)::int as sum,
      max(posting)::int as last from tuition_payment.ledger`;
  assert.ok(
    row && row.orders >= before && row.lines === 2 * row.orders && row.sum === 0 && row.last === row.orders,
    JSON.stringify(row),
  );
});

describe("refused before anything is written", () => {
  const turnByte = async (file: string, at: number): Promise<void> => {
    const handle = await open(file, "r+");
    const { size } = await handle.stat();
    const place = at < 0 ? size + at : Math.min(at, size - 1);
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, place);
    await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, place);
    await handle.close();
  };
  const writeAnew = async (backup: Backup): Promise<void> => {
    for (const name of ["manifest.json", "manifest.mac"]) await rm(path.join(backup.folder, name));
    await writeManifest(backup);
  };
  type Change = readonly [what: string, change: (at: (name: string) => string) => Promise<unknown>];
  const members = ["manifest.json", "manifest.mac", "tables/1", `files/${picture.slice(0, 2)}/${picture}`];
  const changes: readonly Change[] = [
    ...members.flatMap((name): Change[] => [
      ...[0, 33, -1].map((place): Change => [`byte ${place} of ${name}`, (at) => turnByte(at(name), place)]),
      [`${name} longer`, (at) => appendFile(at(name), "\n")],
      [`${name} empty`, (at) => truncate(at(name), 0)],
      [`${name} gone`, (at) => rm(at(name))],
    ]),
    ...["tables/1", "tables"].map((name): Change => [
      `${name} a link`,
      async (at) => {
        const kept = path.join(await makeFolder(), "kept");
        await rename(at(name), kept);
        await symlink(kept, at(name));
      },
    ]),
    ...["postgresql.conf", "tables/9999", "tables/1 ", "files/x.sql"].map((name): Change => [
      `added ${name}`,
      (at) => writeFile(at(name), ""),
    ]),
    [
      "two files exchanged",
      async (at) => {
        await rename(at("tables/1"), at("x"));
        await rename(at("tables/2"), at("tables/1"));
        await rename(at("x"), at("tables/2"));
      },
    ],
    [
      "a manifest of another installation",
      async (at) => {
        const { manifest } = await openBackup(at(""), sealed);
        const [key] = await loadOrMakeBackupKeys(noKeys, await makeFolder());
        await writeAnew({ folder: at(""), manifest, key: key ?? assert.fail("no key") });
      },
    ],
    ["an older backup under a newer name", (at) => rename(at(""), at("../2099-01-01T00-00-00.000Z"))],
  ];

  test("whatever was changed in it", async () => {
    const { folder } = made.sealed;
    const target = await newTarget();
    for (const [what, change] of changes) {
      const copies = await makeFolder();
      const copy = path.join(copies, path.basename(folder));
      await cp(folder, copy, { recursive: true });
      await change((name) => path.join(copy, name));
      await assert.rejects(restoreTo(copies, sealed, target), Error, what);
      await rm(copies, { recursive: true });
    }
    await assertUntouched(target);
  });

  test("what an authentic manifest says that this version has not, or that leads elsewhere", async () => {
    const { folder } = made.plain;
    const backup = await openBackup(folder, plain);
    const { manifest } = backup;
    const [first = assert.fail("no table"), ...others] = manifest.tables;
    const wrong: Record<string, object> = {
      "a newer version": { migrations: [...manifest.migrations, { name: "9999_later.sql", hash: "x" }] },
      "another migration": { migrations: manifest.migrations.map((one) => ({ ...one, hash: "x" })) },
      "a data key": { dataKeys: ["0a1b2c3d"] },
      "a path": { files: [{ ...manifest.files[0], name: "../../../etc/passwd" }] },
      "a number that is none": { sequences: [{ ...manifest.sequences[0], last: "1; drop schema platform" }] },
      "a field of its own": { tables: [{ ...first, command: "id" }, ...others] },
    };
    const late: Record<string, object> = {
      "a table": { tables: [{ ...first, name: "public.x" }, ...others] },
      "a column": { tables: [{ ...first, columns: ["1) from program 'id"] }, ...others] },
      "a sequence": { sequences: [{ ...manifest.sequences[0], name: "platform.none" }] },
      "another number of rows": { tables: [{ ...first, rows: first.rows + 1 }, ...others] },
    };
    const [target, undone] = [await newTarget(), await newTarget()];
    for (const [name, change] of Object.entries({ ...wrong, ...late })) {
      const copy = path.join(await makeFolder(), manifest.id);
      await cp(folder, copy, { recursive: true });
      await writeAnew({ ...backup, folder: copy, manifest: { ...manifest, ...change } });
      await assert.rejects(restoreTo(copy, plain, name in late ? undone : target), Error, name);
    }
    await assert.rejects(refuseUnfinishedRestore(undone.database.pool), /interrupted/);
    assert.deepEqual(await undone.database.pool`select from reporting.report`, []);
    await assertUntouched(target);
  });

  test("with a new data key alone, until the old one has been there for a backup", async () => {
    const key = openDataKey(randomBytes(32));
    const [alone, both] = [openKeyring(key), openKeyring(key, [openDataKey(Buffer.from(sealed.text ?? "", "base64"))])];
    const backups = path.join(await makeFolder(), "backups");
    await cp(sealed.backups, backups, { recursive: true });
    await assert.rejects(back({ ...sealed, backups, keyring: alone }), /made with another key/);
    await back({ ...sealed, backups, keyring: both });
    await back({ ...sealed, backups, keyring: alone });
  });

  test("into what is not empty", async () => {
    const [used, withFile] = [await newTarget(), await newTarget()];
    await used.database.pool`create table thesis (id int)`;
    await assert.rejects(restoreTo(plain.backups, plain, used), /not empty \(public\.thesis\)/);
    await withFile.database.pool.script("create table x (id int)");
    await withFile.database.pool.script("drop table x");
    const scratch = await createTestDatabase();
    await upload(scratch.pool, withFile.files);
    await assert.rejects(restoreTo(plain.backups, plain, withFile), /contains other files/);
    assert.deepEqual(await withFile.database.pool`select from pg_namespace where nspname = 'quintet_restore'`, []);
  });

  test("by an installation that has not its key, unless it is told to take any; what is encrypted it cannot read", async () => {
    const other = await newInstallation();
    await assert.rejects(openBackup(plain.backups, other), /modified, or was made with another key/);
    await assert.rejects(openBackup(sealed.backups, other), /modified, or was made with another key/);
    await assert.rejects(back({ ...other, backups: plain.backups }), /modified, or was made with another key/);
    const { key } = await openBackup(plain.backups, { ...other, anyKey: true });
    assert.equal(key.cipher, undefined);
    await assert.rejects(openBackup(sealed.backups, { ...other, anyKey: true }), /is encrypted and its key is missing/);
    await cp(backupKeyFile(plain.dataDir), backupKeyFile(other.dataDir));
    await openBackup(plain.backups, other);
  });
});

describe("killed in the middle", () => {
  test("a backup counts for nothing, and the next clears it away", async () => {
    const { dataDir } = await newInstallation();
    const folder = path.join(await makeFolder(), "backups");
    const settings = { DATABASE_URL: url, DATA_DIR: dataDir };
    // The backup waits for the lock of reporting.report until the backup's process is killed.
    const session = await pool.reserve();
    await session.script("begin; lock table reporting.report in access exclusive mode");
    const command = startCommand(["backup", folder], settings, dataDir);
    const countFiles = async () => (await readdir(folder, { recursive: true }).catch(() => [])).length;
    await until("it is under way", async () => (await countFiles()) >= 10);
    command.child.kill("SIGKILL");
    await command.ended;
    await session.script("rollback");
    session.release();
    // PostgreSQL notices a lost client only when it sends the next answer, so the session outlives the command.
    await until("its session has ended", async () => {
      const [row] = await pool<{ isFree: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended('backup', 0)) as "isFree"`;
      return row?.isFree;
    });
    assert.equal((await readdir(folder)).filter((name) => !name.endsWith(".part")).length, 0);
    await assert.rejects(openBackup(folder, { keyring: noKeys, dataDir }), /no complete backup/);
    await back({ keyring: noKeys, dataDir, backups: folder }, 1);
    assert.equal((await readdir(folder)).length, 1);
  });

  test("a restore says so, no server starts on it, and it is restored into again", async () => {
    const dataDir = await makeFolder();
    const store = openLocalFiles(path.join(dataDir, "files"));
    const target = { database: await createTestDatabase({ empty: true }), files: store };
    await cp(backupKeyFile(plain.dataDir), backupKeyFile(dataDir));
    const settings = { DATABASE_URL: target.database.url, DATA_DIR: dataDir };
    const command = startCommand(["restore", plain.backups], settings, dataDir);
    const tables = () => target.database.pool`select where to_regclass('graphile_worker._private_jobs') is not null`;
    await until("it is under way", async () => (await tables()).length > 0);
    command.child.kill("SIGKILL");
    await command.ended;
    await assert.rejects(refuseUnfinishedRestore(target.database.pool), /interrupted: run it again/);
    await assert.rejects(openDatabase(readSettings(settings), "server"), /interrupted: run it again/);
    await restoreTo(plain.backups, plain, target);
    await refuseUnfinishedRestore(target.database.pool);
    await assertSame(target.database.pool, target.files);
  });
});

test("by commands: restored, verified in a database aside, and made", async () => {
  const DATA_KEY = sealed.text ?? "";
  const run = async (settings: Record<string, string>, ...args: string[]): Promise<string> => {
    const command = startCommand(args, { DATA_KEY, DATA_DIR: await makeFolder(), ...settings });
    const { code } = await command.ended;
    const { out, err } = command.output();
    assert.equal(code, 0, out + err);
    return out;
  };
  const [empty, fresh] = [await createTestDatabase({ empty: true }), await createTestDatabase()];
  const folder = path.join(await makeFolder(), "backups");
  const [restored, verified, backedUp] = await Promise.all([
    run({ DATABASE_URL: empty.url }, "restore", sealed.backups),
    run({}, "verify", sealed.backups),
    run({ DATABASE_URL: fresh.url }, "backup", folder, "--keep", "1"),
  ]);
  assert.match(restored, /all sessions were ended/);
  assert.deepEqual(await readTables(empty.pool), expected);
  assert.match(verified, new RegExp(`agrees .*rows of reporting.report.* ${reports} +${reports}`));
  assert.doesNotMatch(verified, /DIFFERS/);
  assert.match(backedUp, /encrypted/);
  const [name = ""] = await readdir(folder);
  assert.doesNotMatch(await readFile(path.join(folder, name, "tables/1"), "latin1"), /platform/);
  const lines = await fresh.pool`select user_name as by, records, address from platform.audit where action = 'backup'`;
  assert.deepEqual(lines, [{ by: "command line", records: [name], address: "local" }]);
});

test("what a folder holds beside is left alone, and older backups go", async () => {
  await writeFile(path.join(plain.backups, "thesis.doc"), "mine");
  const { folder } = await back(plain, 1);
  assert.deepEqual((await readdir(plain.backups)).toSorted(), [path.basename(folder), "thesis.doc"]);
});
