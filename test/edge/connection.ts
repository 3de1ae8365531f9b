import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface Said {
  readonly bytes: Buffer;
  /** Whether the server has ended the connection. */
  readonly closed: boolean;
}

export interface Sending {
  /** Sent one after the other, as the network would deliver them. */
  readonly pieces: readonly Buffer[];
  /** Goes at once, without reading. */
  readonly reset?: boolean;
  /** When to tell the server that nothing follows, by what it has said; it would answer nothing more that it works on. */
  readonly mayLeave?: (said: Buffer) => boolean;
  /** How long the server may take to end the connection. */
  readonly waitMs: number;
}

/** Sends bytes as they are, and returns what comes back until the server ends the connection. */
export async function exchange(url: string, { pieces, reset, mayLeave, waitMs }: Sending): Promise<Said> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (mayLeave?.(Buffer.concat(chunks))) socket.end();
  });
  // Who is refused while it still sends may be reset.
  socket.on("error", () => undefined);
  const ended = new Promise<boolean>((resolve) => void socket.once("close", () => resolve(true)));
  await Promise.race([once(socket, "connect"), ended]);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    // A piece of several is let go before the next, so that the server reads it by itself.
    if (pieces.length > 1) await delay(1);
  }
  if (reset) socket.resetAndDestroy();
  const timer = new AbortController();
  const closed = await Promise.race([ended, delay(waitMs, false, { signal: timer.signal })]);
  timer.abort();
  socket.destroy();
  return { bytes: Buffer.concat(chunks), closed };
}
