import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";

const packages = {
  patroni: "patroni",
  patronictl: "patroni",
  etcd: "etcd-server",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  postgresBin: "postgresql",
} as const;

export type Tools = Readonly<Record<keyof typeof packages, string>>;

export function findTools(): Tools | { readonly missing: readonly string[] } {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/sbin"];
  const bins = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`);
  const found = Object.keys(packages).map((name) => {
    const file =
      name === "postgresBin"
        ? bins.find((bin) => existsSync(`${bin}/pg_rewind`) && existsSync(`${bin}/postgres`))
        : folders.map((folder) => path.join(folder, name)).find((one) => existsSync(one));
    return [name, file] as const;
  });
  const missing = found.flatMap(([name, file]) => (file === undefined ? [packages[name as keyof Tools]] : []));
  return missing.length === 0 ? (Object.fromEntries(found) as Tools) : { missing: [...new Set(missing)] };
}

export const versionOf = (file: string): string =>
  (/\d+(?:\.\d+)+/.exec(execFileSync(file, [file.endsWith("haproxy") ? "-v" : "--version"]).toString()) ?? ["?"])[0];

export async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** PostgreSQL refuses to run as root, so root starts all programs as the user of the Debian package. */
export const isRoot = process.getuid?.() === 0;
const asPostgres = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

export function startProgram(command: readonly string[], log: string, before: readonly string[] = []) {
  const [program = "", ...args] = [...before, ...asPostgres, ...command];
  const output = openSync(log, "a");
  const child = spawn(program, args, { stdio: ["ignore", output, output], env: { ...process.env, LC_ALL: "C.UTF-8" } });
  const ended = once(child, "exit");
  return async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
}
