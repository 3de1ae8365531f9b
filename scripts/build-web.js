// Builds the applications in web/dist that are missing or were built from other sources. Prints nothing if all are up
// to date.
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
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
const web = path.join(root, "web");
const built = path.join(web, "dist");
const sources = { console: ["console", "shared"], pages: ["public", "screen", "shared"] };
const distOf = (application) => path.join(built, application);
// The marker is written last, so that an interrupted build is repeated.
const markerOf = (application) => path.join(distOf(application), ".sources");

await main().catch((error) => {
  console.error(`web: ${error.message}`);
  process.exitCode = 1;
});

async function main() {
  const stale = listStale();
  if (stale.length === 0) return;
  if (!mayWrite()) return tellReadOnly();
  const turn = await takeTurn("web", root);
  try {
    for (const application of listStale()) await build(application);
  } finally {
    turn.end();
  }
}

function listStale() {
  return Object.keys(sources).filter((application) => !isBuilt(application));
}

function mayWrite() {
  try {
    mkdirSync(built, { recursive: true });
    accessSync(built, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function tellReadOnly() {
  const has = Object.keys(sources).every((application) => existsSync(markerOf(application)));
  const what = has ? "the previous build is served" : "the server starts without the pages that are missing";
  console.error(`web: the pages are out of date, but ${built} is not writable: ${what}`);
}

// The lock file counts as a source, since it fixes the libraries' versions.
function describeSources(application) {
  const hash = createHash("sha256").update(readFileSync(path.join(root, "package-lock.json")));
  const files = [
    path.join(web, "bundle.ts"),
    // Pages contain a few files of this folder.
    ...listFiles(path.join(root, "src", "platform", "contract")),
    ...sources[application].flatMap((folder) => listFiles(path.join(web, folder))),
  ];
  for (const file of files) hash.update(`\0${path.relative(web, file)}\0`).update(readFileSync(file));
  return `${hash.digest("hex")}\n`;
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}

function isBuilt(application) {
  const marker = markerOf(application);
  return existsSync(marker) && readFileSync(marker, "utf8") === describeSources(application);
}

// The application is built in a staging folder and only moved into place when it is complete, so that a running server
// never serves half a build.
async function build(application) {
  console.error(`web: building ${application === "console" ? "the console" : "the pages"}`);
  // A build that was killed leaves its staging folder behind, so old ones are removed first.
  for (const name of readdirSync(built).filter((name) => name.startsWith(`${application}-`)))
    rmSync(path.join(built, name), { recursive: true, force: true });
  const wanted = describeSources(application);
  const staging = mkdtempSync(path.join(built, `${application}-`));
  const former = `${staging}-former`;
  try {
    process.env.NODE_ENV = "production";
    const { bundle } = await import("../web/bundle.ts");
    await bundle(application, staging);
    writeFileSync(path.join(staging, ".sources"), wanted);
    // A folder made by mkdtemp is private to its owner, but another user may run the server.
    chmodSync(staging, 0o755);
    // The former build is removed last, since a server that starts while its files are removed would have no pages.
    if (existsSync(distOf(application))) renameSync(distOf(application), former);
    renameSync(staging, distOf(application));
  } finally {
    for (const folder of [staging, former]) rmSync(folder, { recursive: true, force: true });
  }
}
