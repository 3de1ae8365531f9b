import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface Said {
  readonly bytes: Buffer;
  readonly closed: boolean;
}

export interface Sending {
  readonly pieces: readonly Buffer[];
  readonly reset?: boolean;
  /**
   * Whether enough data has been received to half-close the connection. An earlier half-close would make the server
   * drop answers in progress.
   */
  readonly mayLeave?: (said: Buffer) => boolean;
  readonly waitMs: number;
}

export async function exchange(url: string, { pieces, reset, mayLeave, waitMs }: Sending): Promise<Said> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (mayLeave?.(Buffer.concat(chunks))) socket.end();
  });
  // The server may refuse a request and reset the connection while this process is still sending.
  socket.on("error", () => undefined);
  const ended = new Promise<boolean>((resolve) => void socket.once("close", () => resolve(true)));
  await Promise.race([once(socket, "connect"), ended]);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    // Waits between pieces, so that the server reads each piece alone.
    if (pieces.length > 1) await delay(1);
  }
  if (reset) socket.resetAndDestroy();
  const timer = new AbortController();
  const closed = await Promise.race([ended, delay(waitMs, false, { signal: timer.signal })]);
  timer.abort();
  socket.destroy();
  return { bytes: Buffer.concat(chunks), closed };
}
