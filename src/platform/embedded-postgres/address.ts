import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { openSocketFolder } from "#platform/embedded-postgres/socket-folder.ts";
import type { Runner } from "./runner.ts";

/** The cluster's superuser, whom initdb makes; for what the server itself must not do. */
export const administrator = "quintet";
/** Whose the tables are: migrations run as it. */
export const ownerRole = "quintet_owner";
/** Whom the server works as. */
export const serverRole = "quintet_server";

export type Address = {
  /** The URL of one of the cluster's databases, for one of the three. */
  toUrl: (database: string, role: typeof administrator | typeof ownerRole | typeof serverRole) => string;
  /** What the postmaster must be told to listen there. */
  settings: string[];
  /** Windows only: holds the password that initdb gives to the user. */
  passwordFile?: string;
};

const port = 5432;

/** Where PostgreSQL listens: a Unix socket in a folder that only its owner may enter; on Windows a loopback port. */
export async function openAddress(home: string, runner: Runner): Promise<Address> {
  return process.platform === "win32" ? openLoopback(home) : openUnixSocket(home, runner);
}

async function openUnixSocket(home: string, runner: Runner): Promise<Address> {
  const folder = await openSocketFolder(home, "socket", `pg/.s.PGSQL.${port}`, runner.ids);
  const place = path.join(folder, "pg");
  await mkdir(place, { mode: 0o700 }).catch(ignoreExisting);
  if (runner.ids) await chown(place, runner.ids.uid, runner.ids.gid);
  // Quoted, since the setting is a list and a path may hold a comma.
  const quoted = `"${place.replaceAll('"', '""')}"`;
  return {
    toUrl: (database, role) => `postgres://${role}@${encodeURIComponent(place)}:${port}/${database}`,
    settings: [
      "listen_addresses=",
      `unix_socket_directories=${quoted}`,
      "unix_socket_permissions=0700",
      `port=${port}`,
    ],
  };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

async function openLoopback(home: string): Promise<Address> {
  const passwordFile = path.join(home, "password");
  const password = await readOrMakePassword(passwordFile);
  const freePort = await findFreePort();
  return {
    toUrl: (database, role) => `postgres://${role}:${password}@127.0.0.1:${freePort}/${database}`,
    settings: ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${freePort}`],
    passwordFile,
  };
}

async function readOrMakePassword(file: string): Promise<string> {
  const known = await readFile(file, "utf8").catch(() => "");
  if (known.trim()) return known.trim();
  const made = randomBytes(32).toString("hex");
  await writeFile(file, `${made}\n`, { mode: 0o600 });
  return made;
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("the system gave no free port");
  return address.port;
}
