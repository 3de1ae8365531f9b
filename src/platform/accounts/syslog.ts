import { once } from "node:events";
import { hostname } from "node:os";
import { connect, type TLSSocket } from "node:tls";

// Syslog over TLS (RFC 5424, framed by RFC 5425).

const port = 6514;
/** Facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6;
const mostWaiting = 10_000;
const longestPauseMs = 30_000;
const closeMs = 2000;

export interface Syslog {
  readonly write: (line: string) => void;
  readonly readFigures: () => { readonly waiting: number; readonly lost: number };
  readonly close: () => Promise<void>;
}

/** Sends each line; what cannot be sent yet waits, and of more than ten thousand the oldest are lost. */
export function openSyslog({ hostname: host, port: given }: URL, ca?: string): Syslog {
  const waiting: string[] = [];
  let lost = 0;
  let socket: TLSSocket | undefined;
  let isOpen = false;
  let isClosed = false;
  let failures = 0;
  const flush = (): void => {
    if (isOpen) for (const line of waiting.splice(0)) socket?.write(toFrame(line));
  };
  const open = (): void => {
    const one = connect({ host, port: Number(given || port), servername: host, ...(ca === undefined ? {} : { ca }) });
    socket = one;
    one.unref();
    one.on("secureConnect", () => {
      [isOpen, failures] = [true, 0];
      flush();
    });
    one.on("error", () => {});
    // A receiver says nothing; what is not read would keep its end from being heard.
    one.resume();
    one.once("close", () => {
      isOpen = false;
      failures++;
      if (!isClosed) setTimeout(open, Math.min(longestPauseMs, 1000 * 2 ** (failures - 1))).unref();
    });
  };
  open();
  return {
    write(line) {
      waiting.push(line);
      if (waiting.length > mostWaiting) {
        waiting.shift();
        lost++;
      }
      flush();
    },
    readFigures: () => ({ waiting: waiting.length, lost }),
    async close() {
      isClosed = true;
      if (!socket || socket.destroyed) return;
      const ended = once(socket, "close").catch(() => undefined);
      socket.end();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
      socket.destroy();
    },
  };
}

function toFrame(line: string): string {
  const text = `<${priority}>1 ${new Date().toISOString()} ${hostname()} quintet ${process.pid} audit - ${line.trimEnd()}`;
  return `${Buffer.byteLength(text)} ${text}`;
}
