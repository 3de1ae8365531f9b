import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { watchFile } from "./watchdog.ts";

// A process for each test file spends half a second of computing on reading the platform once more, and runs all of it
// cold. So several files are run by one process, one after the other: each is a test of its own, to which its hooks, its
// app and its database belong, and which ends before the next begins. What they share is the modules, and a browser: what a
// module keeps is seen by the next file, as it is by the next request in production.

const ofProcesses =
  /^(?:demo|test\/(?:attack|backup|crash|money|property|rolling|sixth-service))\/|\/embedded-postgres\//;

/** Files that look at their process as a whole or change it, and those of processes, which take long. */
async function isAlone(file: string, root: string): Promise<boolean> {
  if (ofProcesses.test(file)) return true;
  const source = await readFile(path.join(root, file), "utf8");
  return /process\.(?:memoryUsage|kill|chdir|on|exit)|Object\.assign\(process\.env/.test(source);
}

const filesTogether = 24;
// Each has a browser of its own.
const browserGroups = 3;

/**
 * What the runner is given in place of the files: for those that stand alone a file each, and for the others one file for
 * several. The runner takes them by their names: what takes longest begins first.
 * @param folder where these files are written
 */
export async function gather(files: readonly string[], root: string, folder: string): Promise<string[]> {
  const alone = await Promise.all(files.map((file) => isAlone(file, root)));
  const others = files.filter((file, index) => !alone[index] && !isOfBrowser(file));
  const groups = {
    "1-browser": deal(files.filter(isOfBrowser), browserGroups),
    "2-alone": files.filter((_file, index) => alone[index]).map((file) => [file]),
    "3-together": deal(others, Math.ceil(others.length / filesTogether)),
  };
  const written = Object.entries(groups).flatMap(([name, those]) =>
    those.map(async (group, n) => {
      const target = path.join(folder, `${name}-${String(n).padStart(2, "0")}.test.mjs`);
      await writeFile(target, writeGroup(group, root));
      return target;
    }),
  );
  return Promise.all(written);
}

const isOfBrowser = (file: string): boolean => file.startsWith("test/browser/");

/** Those of a folder are alike, and so are dealt out: the groups take about as long as one another. */
const deal = (files: readonly string[], most: number): string[][] =>
  Array.from({ length: Math.min(most, files.length) }, (_, n) => files.filter((_file, index) => index % most === n));

const writeGroup = (files: readonly string[], root: string): string => `
import { runTogether } from ${JSON.stringify(import.meta.url)};
await runTogether(${JSON.stringify(files)}, ${JSON.stringify(pathToFileURL(root))});
`;

// How long a file may take is the watchdog's business: Infinity would be taken for the time-out of a single test.
const longestMs = 2 ** 31 - 1;

/**
 * Runs test files one after the other, each as a test whose tests are the file's. A file must not await, above its tests, a promise
 * that another file may have made: Node counts what follows among the tests of that file, which are over, and they fail.
 */
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
