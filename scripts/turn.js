import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const windows = process.platform === "win32";

/**
 * Waits for the lock with the given name, which only one process of this checkout can hold at a time. Returns the
 * lock's file descriptor (-1 if unknown) and the function that releases the lock. The lock is a socket instead of a
 * file, since the system closes a socket when its process ends; on Linux and Windows no file is left behind.
 */
export async function takeTurn(name, root) {
  const address = toTurnAddress(name, root);
  let told = false;
  for (;;) {
    const waiting = new Set();
    const server = await listen(address, waiting);
    const end = () => {
      server.close();
      for (const socket of waiting) socket.destroy();
    };
    // `_handle` is undocumented. Without it npm cannot inherit the lock, which then ends with this process.
    // oxlint-disable-next-line no-underscore-dangle -- Node has no public property for it
    if (server) return { descriptor: server._handle?.fd ?? -1, end };
    if (!told) console.error(`${name}: waiting until another run has finished`);
    told = true;
    await awaitEnd(address);
  }
}

function toTurnAddress(turn, root) {
  const name = `quintet-${turn}-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
  if (windows) return `\\\\.\\pipe\\${name}`;
  return process.platform === "linux" ? `\0${name}` : path.join(tmpdir(), name);
}

function listen(address, waiting) {
  return new Promise((resolve, reject) => {
    // A waiting process stays connected until the holder releases the lock or ends. The connection does not keep the
    // holder alive.
    const server = createServer((socket) => waiting.add(socket.on("error", () => {}).unref()));
    server.on("error", (error) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(address, () => resolve(server.unref()));
  });
}

function awaitEnd(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.on("error", (error) => {
      // On macOS a killed process leaves its socket file behind.
      if (error.code === "ECONNREFUSED" && !address.startsWith("\0")) rmSync(address, { force: true });
    });
    socket.on("close", () => setTimeout(resolve, 50));
  });
}
