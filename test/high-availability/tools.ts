import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import path from "node:path";

// What the check runs beside the platform. None of it comes from npm: it is what Debian installs.

/** Where the programs are. */
export interface Tools {
  readonly patroni: string;
  readonly patronictl: string;
  readonly etcd: string;
  readonly haproxy: string;
  readonly pgbouncer: string;
  /** The folder with postgres, initdb and pg_rewind. */
  readonly postgresBin: string;
}

const packages: Readonly<Record<keyof Tools, string>> = {
  patroni: "patroni",
  patronictl: "patroni",
  etcd: "etcd-server",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  postgresBin: "postgresql",
};

/** @returns the tools, or the Debian packages that are missing. */
export function findTools(): Tools | { readonly missing: readonly string[] } {
  const found = Object.fromEntries(
    (Object.keys(packages) as (keyof Tools)[]).map((name) => [
      name,
      name === "postgresBin" ? findPostgres() : findProgram(name),
    ]),
  ) as Record<keyof Tools, string | undefined>;
  const missing = (Object.keys(packages) as (keyof Tools)[])
    .filter((name) => found[name] === undefined)
    .map((name) => packages[name]);
  return missing.length === 0 ? (found as Tools) : { missing: [...new Set(missing)] };
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/sbin"];
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

/** Debian keeps every major version in a folder of its own; the newest that the platform supports is taken. */
function findPostgres(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
  return versions
    .filter((version) => version >= 14 && version <= 18)
    .toSorted((a, b) => b - a)
    .map((version) => path.join(root, String(version), "bin"))
    .find((bin) => isProgram(path.join(bin, "pg_rewind")) && isProgram(path.join(bin, "postgres")));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first line of what a program says of its version. */
export const versionOf = (file: string): string =>
  (/\d+(?:\.\d+)+/.exec(execFileSync(file, [file.endsWith("haproxy") ? "-v" : "--version"]).toString()) ?? ["?"])[0];
