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

// A server that is written to is backed up, dies, is restored, and is restored into another PostgreSQL by a command that is
// killed once: at each station everything that was acknowledged before is there, and the books agree.

export interface Torment {
  readonly random: () => number;
  readonly writers: number;
  readonly say: (line: string) => void;
}

export async function torment({ random, writers, say }: Torment): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), "quintet-torture-"));
  const settings: Record<string, string> = { DATA_KEY: Buffer.alloc(32, 7).toString("base64") };
  const to = path.join(root, "backups");
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
    const server = await startServerProcess(first, settings);
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
    const restored = await withServer(second, settings, listReports);
    for (const [name, id] of acknowledged)
      assert.equal(restored.get(name), id, `${name} was acknowledged before the backup and is gone`);
    say(`${restored.size} reports are there, of which ${acknowledged.size} were acknowledged before the backup`);

    say(await quintet(second, "backup", to, "--keep", "1"));
    const database = await createTestDatabase({ empty: true });
    settings["DATABASE_URL"] = database.url;
    const killed = startCommand(["restore", to], { ...settings, DATA_DIR: second });
    await delay(1000 + random() * 2000);
    killed.child.kill("SIGKILL");
    await killed.ended;
    say(await quintet(second, "restore", to));
    assert.deepEqual(await withServer(second, settings, listReports), restored);
    await awaitNoProcessOf(root, 15_000);
  } finally {
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
