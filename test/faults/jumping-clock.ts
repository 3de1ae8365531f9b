import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "#test/call.ts";
import { logIn } from "#test/crash/server.ts";
import { until } from "#test/until.ts";
import { assertOnly, unavailable } from "./scene.ts";
import { calmMs, describe, type Fault, forMs, play } from "./stage.ts";

/** Debian's libfaketime. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/** The clock of the server and its PostgreSQL goes a day on, back again, and a day back; what measures time spans does not. */
export const jumpingClock: Fault = {
  name: "clock jumps by a day",
  findObstacle: () => (existsSync(library) ? undefined : "libfaketime is not installed"),
  async run() {
    const clock = await openClock();
    const slowest: string[] = [];
    try {
      const outcome = await play({ settings: clock.settings }, async ({ server, awaitBack }) => {
        const { address } = server;
        await delay(calmMs);
        assert.equal(await dayOf(address), 0);
        const token = await logIn(address);
        assert.equal(await isSignedIn(address, token), true);
        for (const days of [1, 0, -1]) {
          await clock.set(days);
          await until("the server has the day", async () => (await dayOf(address)) === days, { everyMs: 100 });
          // Each process of PostgreSQL looks at the clock's file once a second.
          await delay(2000);
          slowest.push(`${days} d: ${await awaitBack()} ms`);
          // A login lasts twelve hours.
          if (days === 1) assert.equal(await isSignedIn(address, token), false);
          assert.ok(await isSignedIn(address, await logIn(address)));
          await delay(forMs / 3);
        }
      });
      // Who is in the middle of a transaction has been idle for a day.
      assertOnly(outcome.seen, unavailable);
      return describe(outcome, `; ready and writing after ${slowest.join(", ")}`);
    } finally {
      await clock.close();
    }
  },
};

async function openClock() {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-clock-"));
  await chmod(folder, 0o755);
  const file = path.join(folder, "offset");
  const set = (days: number) => writeFile(file, `${days < 0 ? "" : "+"}${days}d`);
  await set(0);
  const faked = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
  };
  // PostgreSQL is started through this, and sees nothing of the server's environment but its PATH.
  const shell = ["#!/bin/sh", ...Object.entries(faked).map(([name, value]) => `export ${name}=${value}`)];
  await writeFile(path.join(folder, "sh"), `${shell.join("\n")}\nexec /bin/sh "$@"\n`, { mode: 0o755 });
  const settings = { ...faked, PATH: `${folder}:${process.env["PATH"]}` };
  return { settings, set, close: () => rm(folder, { recursive: true }) };
}

/** By how many days a server is ahead of us. */
async function dayOf(address: string): Promise<number> {
  const { headers } = await send(address, "GET", "/livez");
  return Math.round((Date.parse(headers.get("date") ?? "") - Date.now()) / 86_400_000) + 0;
}

const isSignedIn = async (address: string, token: string): Promise<boolean> => {
  const { status } = await send(address, "GET", "/platform/session/own", { token });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
};
