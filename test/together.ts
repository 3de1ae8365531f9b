import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { watchFile } from "./watchdog.ts";

// A process for each test file spends half a second of computing on reading the platform once more, and runs all of it
// cold. So several files are run by one process, one after the other: each is a test of its own, to which its hooks, its
// app and its database belong, and which ends before the next begins. What they share is the modules, and a browser: what a
// module keeps is seen by the next file, as it is by the next request in production.

const ofSome =
  /^(?:(?:src|web|scripts)\/|test\/(?:architecture|audit|browser|data-keys|deploy|edge|fail-over|migrations|old-clients)\/|test\/[^/]+$)/;

/** Files that look at their process as a whole or change it, and those of processes, which take long. */
async function isAlone(file: string, root: string): Promise<boolean> {
  if (!ofSome.test(file) || /platform\/(?:database|embedded-postgres)\//.test(file)) return true;
  const source = await readFile(path.join(root, file), "utf8");
  return /process\.(?:memoryUsage|kill|chdir|on|exit)|Object\.assign\(process\.env|embedded-postgres/.test(source);
}

const filesTogether = 8;

/**
 * What the runner is given in place of the files: those that stand alone, and for the others one file for several.
 * @param folder where the files that run several are written
 */
export async function gather(files: readonly string[], root: string, folder: string): Promise<string[]> {
  const alone = await Promise.all(files.map((file) => isAlone(file, root)));
  const others = files.filter((_file, index) => !alone[index]);
  const write = async (group: readonly string[], name: string): Promise<string> => {
    const target = path.join(folder, `${name}.test.mjs`);
    await writeFile(target, writeGroup(group, root));
    return target;
  };
  const writeAll = (those: readonly string[], name: string): Promise<string[]> =>
    Promise.all(deal(those).map((group, n) => write(group, `${name}-${n + 1}`)));
  return [
    // They take longest, and so begin first.
    ...(await writeAll(others.filter(isOfBrowser), "browser")),
    ...files.filter((_file, index) => alone[index]),
    ...(await writeAll(
      others.filter((file) => !isOfBrowser(file)),
      "together",
    )),
  ];
}

const isOfBrowser = (file: string): boolean => file.startsWith("test/browser/");

/** Those of a folder are alike, and so are dealt out: the groups take about as long as one another. */
function deal(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / filesTogether);
  return Array.from({ length: count }, (_, n) => files.filter((_file, index) => index % count === n));
}

const writeGroup = (files: readonly string[], root: string): string => `
import { runTogether } from ${JSON.stringify(import.meta.url)};
await runTogether(${JSON.stringify(files)}, ${JSON.stringify(pathToFileURL(root))});
`;

// How long a file may take is the watchdog's business: Infinity would be taken for the time-out of a single test.
const longestMs = 2 ** 31 - 1;

/** Runs test files one after the other, each as a test whose tests are the file's. */
export async function runTogether(files: readonly string[], root: string): Promise<void> {
  const closeBrowser = files.some(isOfBrowser) ? (await import("#test/browser/browser.ts")).keepBrowser() : undefined;
  for (const file of files) {
    await test(file, { timeout: longestMs }, async () => {
      watchFile(file);
      await import(new URL(file, root).href);
      // What the file has said is run in turn; this comes last, and has no hooks.
      await describe("the end of the file", () => {});
    });
  }
  await closeBrowser?.();
}
