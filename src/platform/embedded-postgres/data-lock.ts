import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, realpath, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSocketFolder } from "./socket-folder.ts";

/*
 * Why a socket and not a file with a process id: the system closes it when its owner dies, however it dies, and an id
 * can have been given to another process since.
 *
 * Why not one socket file at a fixed name: after a kill it stays behind, and two takers who both found it dead can
 * remove one another's fresh one. Here each contender listens at a name that nobody else ever uses, and only then
 * looks for the others; of any two, the one that looks later sees the earlier. A name that refuses a connection is
 * dead for good (it listened before it got that name), so anybody may remove it.
 */
type Claim = { name: string; folder: string; server: Server; held: boolean };
type Rival = { name: string; state: "held" | "trying" | "dead" };

const answerTimeoutMs = 1000;
const contestTimeoutMs = 5000;

/**
 * Takes the data directory (which must exist) for this process until `release()`, or until the process ends in any way.
 *
 * Throws an Error of one line when another living process has it, also one that is stopped and does not answer.
 */
export async function lockDataDir(dataDir: string): Promise<{ release: () => Promise<void> }> {
  if (process.platform === "win32") return lockPipe(dataDir);
  const folder = await openSocketFolder(dataDir, "lock", "0123456789abcdef.sock").catch((error: unknown) => {
    throw toClearError(error, dataDir);
  });
  const deadline = Date.now() + contestTimeoutMs;
  for (;;) {
    const claim = await raiseClaim(folder);
    const outcome = await contest(claim, deadline).catch(async (error: unknown) => {
      await withdraw(claim);
      throw error;
    });
    if (outcome === "won") return { release: () => withdraw(claim) };
    await withdraw(claim);
    if (outcome === "lost" || Date.now() > deadline) throw inUse(dataDir);
    await delay(5 + Math.random() * 20);
  }
}

async function raiseClaim(folder: string): Promise<Claim> {
  const name = randomBytes(8).toString("hex");
  const claim: Claim = { name, folder, server: createServer(), held: false };
  claim.server.on("connection", (socket) => {
    socket.on("error", () => {});
    socket.end(claim.held ? "held" : "trying");
  });
  await listen(claim.server, path.join(folder, `${name}.new`));
  await rename(path.join(folder, `${name}.new`), path.join(folder, `${name}.sock`));
  // A lock alone must not keep the process from ending.
  claim.server.unref();
  return claim;
}

/** "yield" is for the greater of two names that try at once: it goes back and begins again, the lesser waits. */
async function contest(claim: Claim, deadline: number): Promise<"won" | "lost" | "yield"> {
  for (;;) {
    const rivals = await findRivals(claim);
    if (rivals.length === 0) {
      claim.held = true;
      return "won";
    }
    if (rivals.some((rival) => rival.state === "held") || Date.now() > deadline) return "lost";
    if (rivals.some((rival) => rival.name < claim.name)) return "yield";
    await delay(5);
  }
}

async function findRivals(claim: Claim): Promise<Rival[]> {
  const files = await readdir(claim.folder);
  const names = files.filter((file) => file.endsWith(".sock")).map((file) => file.slice(0, -".sock".length));
  const rivals = await Promise.all(names.filter((name) => name !== claim.name).map((name) => ask(claim.folder, name)));
  return rivals.filter((rival) => rival.state !== "dead");
}

async function ask(folder: string, name: string): Promise<Rival> {
  const file = path.join(folder, `${name}.sock`);
  const answer = await readAnswer(file);
  if (answer === "refused") {
    await rm(file, { force: true });
    return { name, state: "dead" };
  }
  if (answer === "gone") return { name, state: "dead" };
  return { name, state: answer === "trying" ? "trying" : "held" };
}

// Silence counts as held: a stopped process still has its database open. A connection that breaks off was to a rival
// that withdrew or was killed at this moment: the next look will tell.
function readAnswer(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(file);
    const timer = setTimeout(() => {
      resolve("held");
      socket.destroy();
    }, answerTimeoutMs);
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") resolve("refused");
      else if (error.code === "ENOENT") resolve("gone");
      else if (error.code !== "ECONNRESET") reject(error);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer || "trying");
    });
  });
}

async function withdraw(claim: Claim): Promise<void> {
  await rm(path.join(claim.folder, `${claim.name}.sock`), { force: true });
  await close(claim.server);
}

// A Windows pipe has no file that outlives its owner, and its first instance is exclusive.
async function lockPipe(dataDir: string): Promise<{ release: () => Promise<void> }> {
  const digest = createHash("sha256")
    .update(await realpath(dataDir))
    .digest("hex")
    .slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  await listen(server, `\\\\.\\pipe\\quintet-${digest}`).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE" ? inUse(dataDir) : error;
  });
  server.unref();
  return { release: () => close(server) };
}

async function listen(server: Server, address: string): Promise<void> {
  server.listen(address);
  await once(server, "listening");
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, "close");
}

function toClearError(error: unknown, dataDir: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EACCES" && code !== "EPERM") return error;
  return new Error(`${dataDir} is not writable for this user: start as the user who made it, or set DATA_DIR`);
}

/** Another living process has the data directory. */
export class DataDirInUse extends Error {}

function inUse(dataDir: string): DataDirInUse {
  return new DataDirInUse(
    `Another Quintet server is using ${dataDir}: stop it first, or set DATA_DIR to another directory`,
  );
}
