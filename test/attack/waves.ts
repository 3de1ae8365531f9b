import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "#platform/database/index.ts";
import { contracts } from "#quintet/app.ts";
import { send } from "#test/call.ts";
import { isReady, killPostgres } from "#test/crash/server.ts";
import { createCallers } from "#test/property/callers.ts";
import { listOperations } from "#test/property/shot.ts";
import { sampleReport } from "#test/sample-report.ts";
import { until } from "#test/until.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { openSender } from "./sender.ts";
import { holdJson, openSocket, slowBeginning, trickle } from "./slow.ts";
import { askWithoutReading, listStreamed } from "./streams.ts";
import { listHostile } from "./texts.ts";

/** What is attacked, and by how much. */
export interface Target {
  readonly address: string;
  readonly dataDir: string;
  readonly pool: Pool;
  readonly token: string;
  readonly random: () => number;
  /** How long a wave lasts. */
  readonly waveMs: number;
  /** How many come at once in a wave that is made of clients. */
  readonly clients: number;
}

/** One way to make a server's life hard. It leaves nothing open behind it. */
export interface Wave {
  readonly name: string;
  /** What others may be answered meanwhile beside 200: while there is no database, say, 503. */
  readonly othersMayGet?: readonly string[];
  run(target: Target): Promise<string>;
}

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

const slowTexts: Wave = {
  name: "texts that were made to be slow",
  async run({ address, pool, random, waveMs }) {
    const operations = listOperations(contracts);
    const callers = createCallers(pool, contracts);
    const endMs = performance.now() + waveMs;
    let sent = 0;
    const attack = async (): Promise<void> => {
      const sender = openSender(address);
      while (performance.now() < endMs) {
        const operation = pick(operations, random);
        const all = [...listHostile(operation, pick(Object.keys(hostileTexts), random), 512 * 1024)];
        if (all.length === 0) continue;
        const hostile = pick(all, random);
        const proof = await callers.prove("right", operation);
        await sender.send({ ...hostile, headers: { ...proof.headers, ...hostile.headers } });
        sent++;
      }
      await sender.close();
    };
    await Promise.all(Array.from({ length: 4 }, attack));
    return `${sent} requests`;
  },
};

const unreadAnswers: Wave = {
  name: "answers that nobody reads",
  async run({ address, token, waveMs, clients }) {
    const operations = listStreamed(contracts);
    const each = Math.ceil(clients / 10);
    const asked = await Promise.all(
      operations.flatMap(({ path }) =>
        Array.from({ length: each }, () => askWithoutReading(address + path, { admin_token: token })),
      ),
    );
    await wait(waveMs);
    for (const { hangUp } of asked) hangUp();
    return `${asked.length} of ${operations.length} operations`;
  },
};

const heldBodies: Wave = {
  name: "bodies whose last bytes are held back",
  async run({ address, waveMs, clients }) {
    const body = holdJson("/wx/wxc/receive");
    const held = await Promise.all(Array.from({ length: clients }, () => openSocket(address, body)));
    await wait(waveMs);
    for (const { socket } of held) socket.destroy();
    return `${held.length} of a mebibyte`;
  },
};

const slowSenders: Wave = {
  name: "requests that come by the drop",
  async run({ address, waveMs, clients }) {
    const slow = await Promise.all(Array.from({ length: clients }, (_, n) => openSocket(address, slowBeginning(n))));
    await Promise.race([wait(waveMs), Promise.all(slow.map((client) => trickle(client, "a", 500)))]);
    for (const { socket } of slow) socket.destroy();
    return `${slow.length} clients`;
  },
};

const reports = "/reporting/informationReporting";

/** Of half a mebibyte, and no two alike. */
const makeFile = (n: number): Blob => new Blob([`${n}`.padEnd(512 * 1024, `${n},`)]);

const fullRoom: Wave = {
  name: "files until no room is left, named by reports that are deleted",
  async run({ address, token, waveMs }) {
    const ids: number[] = [];
    const endMs = performance.now() + waveMs;
    let [taken, refused] = [0, 0];
    while (performance.now() < endMs && refused < 20) {
      const raw = new FormData();
      raw.append("file", makeFile(taken), "a.csv");
      const { code, data: file } = (await send(address, "POST", "/reporting/file/fileUpDown", { raw })).json;
      if (code !== "0") refused++;
      else {
        taken++;
        const body = sampleReport({ file });
        ids.push(Number((await send(address, "POST", `${reports}/add`, { token, body })).json.data));
      }
    }
    if (ids.length > 0) await send(address, "DELETE", `${reports}/delete`, { token, body: { ids } });
    return `${taken} files taken, ${refused} refused`;
  },
};

const killedDatabase: Wave = {
  name: "a PostgreSQL that is killed as soon as it is back",
  othersMayGet: ["503"],
  async run({ address, dataDir, waveMs }) {
    const endMs = performance.now() + waveMs;
    let kills = 0;
    do {
      await killPostgres(dataDir);
      kills++;
      await until("the server is ready", () => isReady(address), { withinMs: backMs });
    } while (performance.now() < endMs);
    return `${kills} times`;
  },
};

const backMs = 30_000;

/** Every wave, in the order in which they come: each is watched, and of each the same is asked. */
export const waves: readonly Wave[] = [slowTexts, unreadAnswers, heldBodies, slowSenders, fullRoom, killedDatabase];
