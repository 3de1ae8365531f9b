import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "#platform/database/index.ts";
import { contracts } from "#quintet/app.ts";
import { createCallers } from "#test/property/callers.ts";
import { proveCard } from "#test/property/cards.ts";
import { readPostmaster } from "#test/crash/server.ts";
import { sampleReport } from "#test/sample-report.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { openSender } from "./sender.ts";
import { beginUpload, headOf, holdJson, openSocket, trickle } from "./slow.ts";
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
    const operations = contracts.flatMap((contract) =>
      Object.entries(contract.endpoints).map(([name, endpoint]) => ({ contract, name, endpoint })),
    );
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
        const token = await callers.tokenFor("right", operation.contract, hostile.access);
        const proof =
          hostile.access.who === "guest" ? proveCard("right") : token === undefined ? {} : { admin_token: token };
        await sender.send({ ...hostile, headers: { ...proof, ...hostile.headers } });
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
    const beginnings = [
      "GET /livez HTTP/1.1\r\nhost: x\r\nx-slow: ",
      headOf("POST", "/platform/login", { "content-type": "application/json", "content-length": 100_000 }),
      beginUpload("/reporting/file/fileUpDown"),
    ];
    const slow = await Promise.all(
      Array.from({ length: clients }, (_, n) => openSocket(address, beginnings[n % beginnings.length] ?? "")),
    );
    await Promise.race([wait(waveMs), Promise.all(slow.map((client) => trickle(client, "a", 500)))]);
    for (const { socket } of slow) socket.destroy();
    return `${slow.length} clients`;
  },
};

/** Of half a mebibyte, and no two alike. */
const makeFile = (n: number): Blob => new Blob([`${n}`.padEnd(512 * 1024, `${n},`)]);

const fullRoom: Wave = {
  name: "files until no room is left, named by reports that are deleted",
  async run({ address, token, waveMs }) {
    const call = async (method: string, path: string, body: unknown) => {
      const headers = { "content-type": "application/json", admin_token: token };
      const response = await fetch(address + path, { method, headers, body: JSON.stringify(body) });
      return (await response.json()) as { code: string; data: string };
    };
    const ids: number[] = [];
    const endMs = performance.now() + waveMs;
    let [taken, refused] = [0, 0];
    while (performance.now() < endMs && refused < 20) {
      const form = new FormData();
      form.append("file", makeFile(taken), "a.csv");
      const response = await fetch(`${address}/reporting/file/fileUpDown`, { method: "POST", body: form });
      const { code, data } = (await response.json()) as { code: string; data: string };
      if (code !== "0") refused++;
      else {
        taken++;
        const report = await call("POST", "/reporting/informationReporting/add", sampleReport({ file: data }));
        ids.push(Number(report.data));
      }
    }
    if (ids.length > 0) await call("DELETE", "/reporting/informationReporting/delete", { ids });
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
      const postmaster = await readPostmaster(dataDir);
      process.kill(postmaster, "SIGKILL");
      kills++;
      await until(async () => (await readPostmaster(dataDir).catch(() => postmaster)) !== postmaster);
      await until(async () => (await fetch(`${address}/readyz`)).ok);
    } while (performance.now() < endMs);
    return `${kills} times`;
  },
};

const backMs = 30_000;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + backMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error("PostgreSQL does not come back");
    await wait(20);
  }
}

/** Every wave, in the order in which they come: each is watched, and of each the same is asked. */
export const waves: readonly Wave[] = [slowTexts, unreadAnswers, heldBodies, slowSenders, fullRoom, killedDatabase];
