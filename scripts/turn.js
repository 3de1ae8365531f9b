// One at a time in this checkout, between processes that know nothing of one another.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const windows = process.platform === "win32";

/**
 * Waits until no other process has the turn of that name in this checkout. A socket, and not a file, since the system
 * frees it when its owner dies; on Linux and Windows it has no file at all.
 */
export async function takeTurn(name, root) {
  const address = toTurnAddress(name, root);
  let told = false;
  for (;;) {
    const server = await listen(address);
    // Undocumented, hence the fallback: without it the turn only ends earlier.
    // oxlint-disable-next-line no-underscore-dangle -- Node has no other name for it
    if (server) return { descriptor: server._handle?.fd ?? -1, end: () => server.close() };
    if (!told) console.error(`${name}: another one is running, waiting for it`);
    told = true;
    await awaitEnd(address);
  }
}

function toTurnAddress(turn, root) {
  const name = `quintet-${turn}-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
  if (windows) return `\\\\.\\pipe\\${name}`;
  return process.platform === "linux" ? `\0${name}` : path.join(tmpdir(), name);
}

function listen(address) {
  return new Promise((resolve, reject) => {
    // Whoever waits holds its connection until we end; it must not hold us.
    const server = createServer((socket) => socket.on("error", () => {}).unref());
    server.on("error", (error) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(address, () => resolve(server.unref()));
  });
}

function awaitEnd(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.on("error", (error) => {
      // macOS: the socket file of a process that was killed.
      if (error.code === "ECONNREFUSED" && !address.startsWith("\0")) rmSync(address, { force: true });
    });
    socket.on("close", () => setTimeout(resolve, 50));
  });
}
