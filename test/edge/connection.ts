import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface Said {
  readonly bytes: Buffer;
  /** Whether the server has closed the connection. */
  readonly closed: boolean;
}

export interface Sending {
  /** Sent in sequence, as separate packets. */
  readonly pieces: readonly Buffer[];
  /** Resets the connection at once, without reading. */
  readonly reset?: boolean;
  /** When to half-close, by the data received; the server would drop answers still in progress. */
  readonly mayLeave?: (said: Buffer) => boolean;
  /** The timeout for the server to close the connection. */
  readonly waitMs: number;
}

/** Sends raw bytes and returns the response until the server closes the connection. */
export async function exchange(url: string, { pieces, reset, mayLeave, waitMs }: Sending): Promise<Said> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (mayLeave?.(Buffer.concat(chunks))) socket.end();
  });
  // A refusal during sending may cause a reset.
  socket.on("error", () => undefined);
  const ended = new Promise<boolean>((resolve) => void socket.once("close", () => resolve(true)));
  await Promise.race([once(socket, "connect"), ended]);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    // Each piece is flushed before the next, so that the server reads it separately.
    if (pieces.length > 1) await delay(1);
  }
  if (reset) socket.resetAndDestroy();
  const timer = new AbortController();
  const closed = await Promise.race([ended, delay(waitMs, false, { signal: timer.signal })]);
  timer.abort();
  socket.destroy();
  return { bytes: Buffer.concat(chunks), closed };
}
