// Runs before `npm start`, `npm test`, `npm run test:ha` and `npm run quintet`, on the machine's own Node (20 or
// later), and has no dependencies. It installs the packages of package-lock.json, including the pinned Node, unless
// node_modules is current; with the argument "web" it then builds outdated applications. It prints nothing if there is
// nothing to do.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findNodeFault } from "./node-program.js";
import { takeTurn } from "./turn.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const modules = path.join(root, "node_modules");
// The marker is written last, so that an interrupted install is repeated.
const marker = path.join(modules, ".quintet-lock");
const windows = process.platform === "win32";
const pinnedNode = path.join(modules, "node", "bin", windows ? "node.exe" : "node");

await main().catch((error) => {
  console.error(`install: ${error.message}`);
  process.exitCode = 1;
});

async function main() {
  const wanted = describeWanted();
  if (!isInstalled(wanted)) await installInTurn(wanted);
  if (process.argv.includes("web")) buildWeb();
}

async function installInTurn(wanted) {
  const turn = await takeTurn("install", root);
  try {
    // Another process may have finished the installation while this one waited for the lock.
    if (!isInstalled(wanted)) await install(wanted, turn.descriptor);
  } finally {
    turn.end();
  }
}

// The pinned Node runs the build, since the machine's own Node may be too old for the bundler. A failed build does not
// stop the server.
function buildWeb() {
  const { status } = spawnSync(pinnedNode, [path.join(root, "scripts", "build-web.js")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) console.error("install: the pages could not be built; see the error above");
}

// The hash alone does not suffice, since a checkout can be mounted on another operating system, which needs other
// programs.
function describeWanted() {
  const lock = readFileSync(path.join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  return `${hash} ${process.platform} ${process.arch}\n`;
}

function isInstalled(wanted) {
  return existsSync(pinnedNode) && existsSync(marker) && readFileSync(marker, "utf8") === wanted;
}

async function install(wanted, turn) {
  console.error("install: installing the dependencies in package-lock.json");
  rmSync(marker, { force: true });
  // `npm test` needs development dependencies even under NODE_ENV=production. Only errors are logged, since many
  // packages warn that the machine's Node is too old for them, although they run on the pinned one.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await runNpm(args, turn);
  if (code !== 0) throw new Error(`npm ci failed (exit ${code}); see its output above`);
  ensurePinnedNode();
  const fault = findNodeFault(pinnedNode);
  if (fault !== undefined) throw new Error(fault);
  writeFileSync(marker, wanted);
}

function runNpm(args, turn) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  // npm runs on its own Node, since this script's Node may be the one in node_modules, which npm is about to remove.
  const own = script?.endsWith("npm-cli.js") && node;
  const [command, ...rest] = own ? [node, script, ...args] : ["npm", ...args];
  return new Promise((resolve, reject) => {
    // The output of npm goes to stderr, since another program may read this process's stdout. npm inherits the lock's
    // socket, so that the lock lasts until npm has ended even if this process is killed.
    const stdio = ["ignore", 2, 2, ...(turn >= 0 ? [turn] : [])];
    const child = spawn(command, rest, { cwd: root, stdio, shell: windows && !own });
    child.on("error", (error) =>
      reject(new Error(`npm could not be started (${error.code}): check that it is installed`)),
    );
    child.on("exit", (exitCode, signal) => resolve(exitCode ?? signal));
  });
}

// The package `node` downloads the Node program in an install script. The user's npm settings can forbid install
// scripts although allowScripts in package.json permits this one, so the script is run here if the pinned Node is
// missing.
function ensurePinnedNode() {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const expected = `v${dependencies.node}`;
  if (readVersion() === expected) return;
  console.error(`install: npm did not install Node ${dependencies.node}; downloading it`);
  const folder = path.join(modules, "node");
  const env = { ...process.env, npm_config_ignore_scripts: "false", npm_config_loglevel: "error" };
  spawnSync(process.execPath, ["installArchSpecificPackage.js"], {
    cwd: folder,
    env,
    stdio: ["ignore", 2, 2],
  });
  linkCommand();
  const found = readVersion();
  if (found === expected) return;
  const advice = 'allow its install script ("npm rebuild node --ignore-scripts=false"), then start again';
  throw new Error(`node_modules/.bin/node is ${found ?? "missing"}, but ${expected} is required: ${advice}`);
}

function readVersion() {
  const command = path.join(modules, ".bin", windows ? "node.cmd" : "node");
  if (!existsSync(command)) return undefined;
  const { stdout } = spawnSync(command, ["--version"], { encoding: "utf8", shell: windows });
  return stdout?.trim();
}

// npm links a package's program into node_modules/.bin only if the file exists at install time, so the link to a Node
// downloaded later is made here.
function linkCommand() {
  const command = path.join(modules, ".bin", windows ? "node.cmd" : "node");
  if (existsSync(command) || !existsSync(pinnedNode)) return;
  mkdirSync(path.dirname(command), { recursive: true });
  spawnSync("npm", ["rebuild", "node", "--ignore-scripts"], {
    cwd: root,
    stdio: "ignore",
    shell: windows,
  });
}
