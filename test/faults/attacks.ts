import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { contracts, serviceNames } from "#quintet/app.ts";
import { fillForStreams } from "#test/attack/fill.ts";
import { hostileTexts } from "#test/attack/hostile-texts.ts";
import { openSender } from "#test/attack/sender.ts";
import { holdJson, openSocket, readMemory, type SlowClient, slowBeginning, trickle } from "#test/attack/slow.ts";
import { askWithoutReading, listStreamed } from "#test/attack/streams.ts";
import { listHostile } from "#test/attack/texts.ts";
import { createRandom, seed } from "#test/crash/random.ts";
import { logIn, type RunningServer } from "#test/crash/server.ts";
import { createCallers } from "#test/property/callers.ts";
import { cardSettings } from "#test/property/cards.ts";
import { listOperations } from "#test/property/shot.ts";
import { assertOnly } from "./scene.ts";
import { clients, describe, type Fault, forMs, type Outcome, play, type Stage, type StageOptions } from "./stage.ts";

// Clients that make a server's life hard, while others use it.

const mostGapMs = 2000;

/** Others notice nothing, and nothing of it is left on its way. */
async function attack(options: StageOptions, act: (stage: Stage) => Promise<void>): Promise<Outcome> {
  const outcome = await play({ ...options, leavesNothing: true }, act);
  assertOnly(outcome.seen, []);
  assert.ok(outcome.seen.longestGapMs < mostGapMs, describe(outcome));
  return outcome;
}

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

export const slowTexts: Fault = {
  name: "texts made to be slow",
  async run() {
    const random = createRandom(seed);
    const operations = listOperations(contracts);
    let sent = 0;
    const outcome = await attack({ settings: cardSettings, services: serviceNames }, async ({ server, pool }) => {
      const callers = createCallers(pool, contracts);
      const endMs = performance.now() + forMs;
      const sendThem = async (): Promise<void> => {
        const sender = openSender(server().address);
        while (performance.now() < endMs) {
          const operation = pick(operations, random);
          const hostile = pick(
            [...listHostile(operation, pick(Object.keys(hostileTexts), random), 512 * 1024)],
            random,
          );
          const { headers } = await callers.prove("right", operation);
          await sender.send({ ...hostile, headers: { ...headers, ...hostile.headers } });
          sent++;
        }
        await sender.close();
      };
      await Promise.all(Array.from({ length: 4 }, sendThem));
    });
    return describe(outcome, `; ${sent} requests, SEED=${seed}`);
  },
};

export const unreadAnswers: Fault = {
  name: "answers that nobody reads",
  async run() {
    const operations = listStreamed(contracts);
    const outcome = await attack({ services: serviceNames }, async ({ server, pool }) => {
      await fillForStreams(pool);
      const { address } = server();
      const headers = { admin_token: await logIn(address) };
      const each = Array.from({ length: Math.ceil(clients / 10) }, () => operations).flat();
      const asked = await Promise.all(each.map(({ path }) => askWithoutReading(address + path, headers)));
      await delay(forMs);
      for (const { hangUp } of asked) hangUp();
    });
    return describe(outcome, `; of ${operations.length} operations`);
  },
};

export const heldBodies: Fault = {
  name: "bodies held back",
  async run() {
    const outcome = await attack({}, async ({ server }) => {
      const body = holdJson("/wx/wxc/receive");
      const held = await open(server(), clients, () => body);
      await delay(forMs);
      for (const { socket } of held) socket.destroy();
    });
    return describe(outcome, `; ${clients} of a mebibyte`);
  },
};

export const slowLoris: Fault = {
  name: "slow-loris",
  async run() {
    let cut = 0;
    const outcome = await attack({ settings: { IDLE_SECONDS: "5" } }, async ({ server }) => {
      const slow = await open(server(), clients, slowBeginning);
      for (const client of slow) void trickle(client, "a", 500).then(() => cut++);
      await delay(forMs);
      const inTime = cut;
      for (const { socket } of slow) socket.destroy();
      cut = inTime;
    });
    return describe(outcome, `; ${cut} of ${clients} cut off within ${forMs / 1000} s`);
  },
};

const idleClients = 10_000;

export const idleConnections: Fault = {
  name: "10,000 idle connections",
  async run() {
    let told = "";
    // From nine tenths on, idle ones are closed.
    const settings = { MAX_CONNECTIONS: String(Math.ceil(idleClients * 1.2)) };
    const outcome = await attack({ settings }, async (stage) => {
      const before = await readMemory(stage.server().child);
      // Each has had an answer: a connection that never asks is closed as a slow one.
      const idle = await open(stage.server(), idleClients, () => "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
      const held = await readMemory(stage.server().child);
      await delay(forMs);
      const left = idle.filter(({ socket }) => !socket.destroyed && socket.readable).length;
      for (const { socket } of idle) socket.destroy();
      told = `; ${left} of ${idleClients} still open after ${forMs / 1000} s; memory ${before} before, ${held} with them`;
    });
    return describe(outcome, told);
  },
};

/** A few at a time: the system's queue of connections that nobody has taken yet is short. */
async function open(
  server: RunningServer,
  count: number,
  textOf: (n: number) => string | Buffer,
): Promise<SlowClient[]> {
  const opened: SlowClient[] = [];
  while (opened.length < count) {
    const some = Array.from({ length: Math.min(100, count - opened.length) }, (_, n) =>
      openSocket(server.address, textOf(opened.length + n)),
    );
    opened.push(...(await Promise.all(some)));
  }
  return opened;
}
