// Builds web/console/dist when it is missing or older than its sources; otherwise it is silent and takes milliseconds.
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { takeTurn } from "./turn.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.join(root, "web", "console");
const dist = path.join(folder, "dist");
// Written last, so an interrupted build is repeated.
const marker = path.join(dist, ".sources");

await main().catch((error) => {
  console.error(`console: ${error.message}`);
  process.exitCode = 1;
});

async function main() {
  const wanted = describeSources();
  if (isBuilt(wanted)) return;
  if (!mayWrite()) return tellReadOnly();
  const turn = await takeTurn("console", root);
  try {
    if (!isBuilt(wanted)) await build(wanted);
  } finally {
    turn.end();
  }
}

function mayWrite() {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function tellReadOnly() {
  const what = existsSync(marker) ? "what was built before is served" : "the server starts without it";
  console.error(`console: its sources are newer than its build, and ${folder} cannot be written: ${what}`);
}

// The versions of the libraries are part of what the console is made of.
function describeSources() {
  const hash = createHash("sha256").update(readFileSync(path.join(root, "package-lock.json")));
  const files = [
    path.join(folder, "index.html"),
    path.join(folder, "bundle.ts"),
    ...listFiles(path.join(folder, "src")),
  ];
  for (const file of files) hash.update(`\0${path.relative(folder, file)}\0`).update(readFileSync(file));
  return `${hash.digest("hex")}\n`;
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}

function isBuilt(wanted) {
  return existsSync(marker) && readFileSync(marker, "utf8") === wanted;
}

// Beside the old one and put in its place when it is whole: a server that reads the old one meanwhile goes on.
async function build(wanted) {
  console.error("console: it is being built, once");
  // What a build that was killed has left.
  for (const name of readdirSync(folder).filter((name) => name.startsWith("dist-")))
    rmSync(path.join(folder, name), { recursive: true, force: true });
  const staging = mkdtempSync(path.join(folder, "dist-"));
  try {
    process.env.NODE_ENV = "production";
    const { bundle } = await import("../web/console/bundle.ts");
    await bundle(staging);
    writeFileSync(path.join(staging, ".sources"), wanted);
    // A temporary folder is its owner's alone; whoever else runs the server reads this one.
    chmodSync(staging, 0o755);
    rmSync(dist, { recursive: true, force: true });
    renameSync(staging, dist);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
