import assert from "node:assert/strict";
import { operatorPassword, type RunningServer, startServerProcess } from "#test/crash/server.ts";
import type { TestDatabase } from "#test/database.ts";
import { type Load, startLoad } from "./load.ts";

// Servers of two versions on one database, as an operator replaces one by the other.

export interface Ground {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly load: Load;
  start(program: string): Promise<RunningServer>;
}

const services = ["reporting", "push-relay", "disease-command"];

/** Starts a server of the version before, with everybody at work on it, each `pauseMs` after the last time. */
export async function openGround(
  database: TestDatabase,
  dataDir: string,
  before: string,
  pauseMs: number,
): Promise<Ground & { readonly old: RunningServer }> {
  const start = async (program: string) => {
    const settings = {
      DATABASE_URL: database.url,
      DATABASE_POOL: "6",
      PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
      PUSH_POLL_MS: "100",
      STUDENT_IDENTITY: "header",
    };
    const server = await startServerProcess(dataDir, settings, services, program);
    database.closers.push(() => server.kill());
    return server;
  };
  const old = await start(before);
  const load = await startLoad(database.pool, old.address, pauseMs);
  return { database, dataDir, load, start, old };
}

/**
 * Nobody sends the server anything more, as a proxy sees to; what is under way is answered before it ends.
 * @param status of that answer
 */
export async function takeAway(load: Load, server: RunningServer, status = 200): Promise<void> {
  load.rotation.delete(server.address);
  await load.pass(1);
  const underWay = fetch(`${server.address}/platform/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ userName: "operator", password: operatorPassword }),
  });
  await load.pass(1);
  server.child.kill("SIGTERM");
  assert.equal((await underWay).status, status, "what was under way when the server was told to stop");
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output().err);
}

export async function readReadiness(address: string) {
  const response = await fetch(`${address}/readyz`);
  return { status: response.status, parts: ((await response.json()) as { parts: Record<string, boolean> }).parts };
}
