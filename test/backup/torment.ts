import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Book, type Client, createClient, write } from "#test/crash/load.ts";
import {
  awaitNoProcessOf,
  operatorPassword,
  type RunningServer,
  startCommand,
  startServerProcess,
} from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { s3Bucket, s3Keys, startS3 } from "#test/stand-ins/s3.ts";

// A server that is written to is backed up into a bucket, dies, is restored from what was stored, and is moved to another
// PostgreSQL: at each station everything that was acknowledged before is there, and everything agrees.

export interface Torment {
  readonly random: () => number;
  readonly writers: number;
  readonly say: (line: string) => void;
}

export async function torment({ random, writers, say }: Torment): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), "quintet-torture-"));
  const store = await startS3();
  const settings: Record<string, string> = {
    BACKUP_ENDPOINT: store.endpoint,
    BACKUP_REGION: s3Keys.region,
    BACKUP_ACCESS_KEY: s3Keys.accessKey,
    BACKUP_SECRET_KEY: s3Keys.secretKey,
  };
  const to = `s3://${s3Bucket}/backups`;
  const quintet = async (dataDir: string, ...args: string[]): Promise<string> => {
    const command = startCommand(args, { ...settings, DATA_DIR: dataDir });
    const { code } = await command.ended;
    const { out, err } = command.output();
    assert.equal(code, 0, `${args[0]}: ${out}${err}`);
    return out;
  };
  try {
    const first = path.join(root, "first");
    await mkdir(first);
    const server = await startServerProcess(first);
    const book: Book = new Map();
    const client = await logIn(server);
    const writing = Promise.all(Array.from({ length: writers }, () => write(client, book, random)));
    await Promise.race([delay(3000), writing]);
    const acknowledged = new Map(
      [...book].filter(([, { id }]) => id !== undefined).map(([name, { id }]) => [name, id]),
    );
    say(await quintet(first, "backup", to));
    await server.kill();
    await writing;
    say(await quintet(path.join(root, "none"), "verify", to));

    const second = path.join(root, "second");
    say(await quintet(second, "restore", to));
    const restored = await withServer(second, {}, listReports);
    for (const [name, id] of acknowledged)
      assert.equal(restored.get(name), id, `${name} was acknowledged before the backup and is gone`);
    say(await quintet(second, "audit", "verify"));
    say(`${restored.size} reports are there, of which ${acknowledged.size} were acknowledged before the backup`);

    // One that was restored is along another timeline; its backups lie beside the others.
    say(await quintet(second, "backup", to, "--keep", "1"));
    say(await quintet(second, "verify", to));
    const database = await createTestDatabase({ empty: true });
    const killed = startCommand(["move", "--to", database.url], { DATA_DIR: second });
    killed.child.stdout?.on("data", () => {
      if (killed.output().out.includes("platform.migration:")) killed.child.kill("SIGKILL");
    });
    assert.equal((await killed.ended).signal, "SIGKILL", killed.output().err);
    say(await quintet(second, "move", "--to", database.url));
    assert.deepEqual(await withServer(second, { DATABASE_URL: database.url }, listReports), restored);
    settings.DATABASE_URL = database.url;
    say(await quintet(second, "audit", "verify"));
    await awaitNoProcessOf(root, 15_000);
  } finally {
    await store.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** The ids of all reports by their names; their total is the tally's. */
async function listReports(client: Client): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let page = 1; ; page++) {
    const { totalCount, list } = (await client.call(
      "GET",
      `/reporting/informationReporting/list?pageSize=1000&currPage=${page}`,
    )) as { totalCount: number; list: { id: number; name: string }[] };
    for (const { name, id } of list) found.set(name, id);
    if (list.length > 0 && found.size < totalCount) continue;
    assert.equal(found.size, totalCount);
    return found;
  }
}

async function withServer<T>(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const server = await startServerProcess(dataDir, settings);
  try {
    return await work(await logIn(server));
  } finally {
    server.child.kill("SIGTERM");
    await server.ended;
  }
}

async function logIn({ address }: RunningServer): Promise<Client> {
  const answer = (await createClient(address).call("POST", "/platform/login", {
    userName: "operator",
    password: operatorPassword,
  })) as { token: string };
  return createClient(address, answer.token);
}
