import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Book, type Client, createClient, write } from "#test/crash/load.ts";
import { logIn, makeServerFolder, openEnding, startCommand, startServerProcess } from "#test/crash/server.ts";
import { listAll, reportList } from "#test/crash/inspect.ts";
import { createTestDatabase } from "#test/database.ts";

// A server is backed up under load, then killed and restored: every report that was acknowledged before the backup must
// exist. Then a second backup is restored into another PostgreSQL, by a command that is killed once and repeated: the
// reports must be the same.

export interface Torment {
  readonly random: () => number;
  readonly writers: number;
  readonly say: (line: string) => void;
}

export async function torment({ random, writers, say }: Torment): Promise<void> {
  await using ending = openEnding();
  const root = await makeServerFolder(ending);
  const settings: Record<string, string> = { DATA_KEY: Buffer.alloc(32, 7).toString("base64") };
  const to = path.join(root, "backups");
  const quintet = async (dataDir: string, ...args: string[]): Promise<void> => {
    const command = startCommand(args, { ...settings, DATA_DIR: dataDir });
    const { code } = await command.ended;
    const { out, err } = command.output();
    assert.equal(code, 0, `${args[0]}: ${out}${err}`);
    say(out);
  };
  const first = path.join(root, "first");
  await mkdir(first);
  const server = await startServerProcess(first, settings);
  ending.after(() => server.kill());
  const book: Book = new Map();
  const client = createClient(server.address, await logIn(server.address));
  const writing = Promise.all(Array.from({ length: writers }, () => write(client, book, random)));
  await Promise.race([delay(3000), writing]);
  const acknowledged = new Map([...book].flatMap(([name, { id }]) => (id === undefined ? [] : [[name, id] as const])));
  await quintet(first, "backup", to);
  await server.kill();
  await writing;
  await quintet(path.join(root, "none"), "verify", to);

  const second = path.join(root, "second");
  await quintet(second, "restore", to);
  const restored = await withServer(second, settings, listReports);
  for (const [name, id] of acknowledged)
    assert.equal(restored.get(name), id, `${name} was acknowledged before the backup and is gone`);
  say(`${restored.size} reports are there, of which ${acknowledged.size} were acknowledged before the backup`);

  await quintet(second, "backup", to, "--keep", "1");
  const database = await createTestDatabase({ empty: true });
  settings["DATABASE_URL"] = database.url;
  const killed = startCommand(["restore", to], { ...settings, DATA_DIR: second });
  await delay(1000 + random() * 2000);
  killed.child.kill("SIGKILL");
  await killed.ended;
  await quintet(second, "restore", to);
  assert.deepEqual(await withServer(second, settings, listReports), restored);
}

async function listReports(client: Client): Promise<Map<string, number>> {
  const { list, totalCount } = await listAll<{ id: number; name: string }>(client, reportList);
  const found = new Map(list.map(({ id, name }) => [name, id]));
  assert.equal(found.size, totalCount);
  return found;
}

async function withServer<T>(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const server = await startServerProcess(dataDir, settings);
  try {
    return await work(createClient(server.address, await logIn(server.address)));
  } finally {
    server.child.kill("SIGTERM");
    await server.ended;
  }
}
