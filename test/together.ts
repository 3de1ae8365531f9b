import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { watchFile } from "./watchdog.ts";

// One process runs several files, since each process needs half a second of CPU time to load the platform, and code
// runs slowly at first. Each file is a test with hooks of its own and ends before the next begins. The files of a
// process share a browser and the modules, whose state persists as between requests in production.

const ofProcesses =
  /^(?:demo|test\/(?:attack|backup|crash|money|property|rolling|sixth-service))\/|\/embedded-postgres\//;

/** A file runs alone if its path matches `ofProcesses`, or if its source observes or changes the whole process. */
async function isAlone(file: string, root: string): Promise<boolean> {
  if (ofProcesses.test(file)) return true;
  const source = await readFile(path.join(root, file), "utf8");
  return /process\.(?:memoryUsage|kill|chdir|on|exit)|Object\.assign\(process\.env/.test(source);
}

const filesTogether = 24;
const browserGroups = 3;

/**
 * Writes the files that the test runner starts, and returns their paths: one for each test file that runs alone, and
 * one for each group of the others. The files' names start with a number, so that the longest run first.
 * @param folder where the files are written
 */
export async function gather(files: readonly string[], root: string, folder: string): Promise<string[]> {
  const alone = await Promise.all(files.map((file) => isAlone(file, root)));
  const others = files.filter((file, index) => !alone[index] && !isOfBrowser(file));
  const groups = {
    "1-browser": deal(await sortBySize(files.filter(isOfBrowser), root), browserGroups),
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

/** Files are distributed round-robin, since files of one folder take similar time and the groups should balance. */
const deal = (files: readonly string[], most: number): string[][] =>
  Array.from({ length: Math.min(most, files.length) }, (_, n) => files.filter((_file, index) => index % most === n));

/** The largest files come first, so that `deal` spreads them: a larger file takes longer. */
async function sortBySize(files: readonly string[], root: string): Promise<string[]> {
  const sized = files.map(async (file) => ({ file, bytes: (await stat(path.join(root, file))).size }));
  return (await Promise.all(sized)).toSorted((one, other) => other.bytes - one.bytes).map(({ file }) => file);
}

const writeGroup = (files: readonly string[], root: string): string => `
import { runTogether } from ${JSON.stringify(import.meta.url)};
await runTogether(${JSON.stringify(files)}, ${JSON.stringify(pathToFileURL(root))});
`;

// The watchdog limits a file's time, so the timeout is the largest that Node accepts; Infinity would be replaced by the
// timeout of a single test.
const longestMs = 2 ** 31 - 1;

/**
 * A test file must not await at top level a promise that another file may have created: Node would attribute the code
 * after the `await` to the other file's test, and tests that this code registers would fail, since that test has ended.
 */
export async function runTogether(files: readonly string[], root: string): Promise<void> {
  const closeBrowser = files.some(isOfBrowser) ? (await import("#test/browser/browser.ts")).keepBrowser() : undefined;
  for (const file of files) {
    await test(file, { timeout: longestMs }, async () => {
      watchFile(file);
      await import(new URL(file, root).href);
      // A file's tests run one after another, so awaiting this last, empty suite awaits all of them.
      await describe("the end of the file", () => {});
    });
  }
  await closeBrowser?.();
}
