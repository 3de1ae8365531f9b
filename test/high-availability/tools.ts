import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

// What the check runs beside the platform. None of it comes from npm: it is what Debian installs.

/** By the Debian packages that have them. */
const packages = {
  patroni: "patroni",
  patronictl: "patroni",
  etcd: "etcd-server",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  /** The folder with postgres, initdb and pg_rewind. */
  postgresBin: "postgresql",
} as const;

/** Where the programs are. */
export type Tools = Readonly<Record<keyof typeof packages, string>>;

/** @returns the tools, or the Debian packages that are missing. */
export function findTools(): Tools | { readonly missing: readonly string[] } {
  const names = Object.keys(packages) as (keyof Tools)[];
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/sbin"];
  const findProgram = (name: string) =>
    folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  const found = Object.fromEntries(
    names.map((name) => [name, name === "postgresBin" ? findPostgres() : findProgram(name)]),
  );
  const missing = new Set(names.filter((name) => found[name] === undefined).map((name) => packages[name]));
  return missing.size === 0 ? (found as Tools) : { missing: [...missing] };
}

/** Debian keeps every major version in a folder of its own; the newest that the platform supports is taken. */
const findPostgres = (): string | undefined =>
  [18, 17, 16, 15, 14]
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .find((bin) => existsSync(`${bin}/pg_rewind`) && existsSync(`${bin}/postgres`));

/** The first line of what a program says of its version. */
export const versionOf = (file: string): string =>
  (/\d+(?:\.\d+)+/.exec(execFileSync(file, [file.endsWith("haproxy") ? "-v" : "--version"]).toString()) ?? ["?"])[0];
