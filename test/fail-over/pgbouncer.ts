import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { type Closing, kill, makeFolder, nobody } from "#test/embedded-postgres/server.ts";

export const needsPgBouncer = {
  skip:
    process.platform !== "linux" || spawnSync("pgbouncer", ["--version"]).error !== undefined
      ? "needs Linux and PgBouncer"
      : false,
};

const port = 6432;

/**
 * Starts PgBouncer in transaction mode. PgBouncer rotates its sessions at PostgreSQL, so that a test immediately
 * notices state that a transaction has left in a session. Returns the address without a database name.
 */
export async function startPgBouncer(context: Closing, host: string, sessions: number): Promise<string> {
  const folder = await makeFolder(context);
  const file = path.join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=${host} port=5432 user=quintet_server`,
    "[pgbouncer]",
    "pool_mode = transaction",
    "server_round_robin = 1",
    `default_pool_size = ${sessions}`,
    "auth_type = any",
    `listen_addr = ${host}`,
    `listen_port = ${port}`,
    "unix_socket_dir =",
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await Promise.all([chown(folder, nobody.uid, nobody.gid), chmod(file, 0o644)]);
  const child = spawn("pgbouncer", ["--quiet", file], { ...(isRoot ? nobody : {}), cwd: folder, stdio: "ignore" });
  context.after(() => kill(child));
  while (!(await listens(host, port))) if (child.exitCode !== null) throw new Error("PgBouncer has ended");
  return `postgres://quintet_server@${host}:${port}`;
}

export async function listens(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
