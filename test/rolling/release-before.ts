import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

const git = async (...args: readonly string[]): Promise<string> =>
  (await run("git", args, { cwd: root })).stdout.trim();

export interface Release {
  readonly program: string;
  /** What it was taken from. */
  readonly name: string;
}

/**
 * The release before: the checkout or the commit that RELEASE_BEFORE names, else the newest tag, else the last commit
 * without the newest migration, with the dependencies of this one. Undefined where there is no history.
 * @param folder to put it into
 */
export async function findReleaseBefore(folder: string): Promise<Release | undefined> {
  const { RELEASE_BEFORE: named } = process.env;
  if (named !== undefined && existsSync(path.join(named, "src"))) return { program: toProgram(named), name: named };
  const commit = named ?? (await findCommit().catch(() => ""));
  if (commit === "") return undefined;
  await mkdir(folder, { recursive: true });
  const archive = path.join(folder, "release.tar");
  await git("archive", `--output=${archive}`, commit, "src", "migrations", "package.json");
  await run("tar", ["-xf", archive, "-C", folder]);
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  return { program: toProgram(folder), name: commit };
}

const toProgram = (folder: string): string => path.join(folder, "src", "main.ts");

async function findCommit(): Promise<string> {
  const tag = await git("describe", "--tags", "--abbrev=0").catch(() => "");
  if (tag !== "") return tag;
  const added = await git("log", "--diff-filter=A", "--format=%H", "-1", "--", "migrations");
  return added === "" ? "" : git("rev-parse", `${added}^`);
}
