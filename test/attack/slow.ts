import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export interface SlowClient {
  readonly ended: Promise<string>;
  told(): string;
  readonly socket: Socket;
}

export async function openSocket(url: string, text: string | Buffer = ""): Promise<SlowClient> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
  const told = (): string => Buffer.concat(chunks).toString();
  // `ended` is not made with `once` of node:events, which would reject on a socket error, such as a reset.
  const ended = new Promise<string>((resolve) => void socket.once("close", () => resolve(told())));
  await once(socket, "connect");
  if (text.length > 0) socket.write(text);
  return { ended, told, socket };
}

export async function trickle({ socket, ended }: SlowClient, byte = "a", everyMs = 100): Promise<string> {
  while (!socket.destroyed) {
    socket.write(byte);
    await Promise.race([wait(everyMs), ended]);
  }
  return ended;
}

export const headOf = (method: string, target: string, headers: Readonly<Record<string, string | number>>): string =>
  `${[`${method} ${target} HTTP/1.1`, "host: x", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\r\n")}\r\n\r\n`;

const boundary = "----slow";

export const beginUpload = (target: string, headers: Readonly<Record<string, string>> = {}): string =>
  headOf("POST", target, {
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": 1_000_000,
    ...headers,
  }) + `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;

export const holdJson = (target: string, bytes = 1024 * 1024): Buffer =>
  Buffer.concat([
    Buffer.from(headOf("POST", target, { "content-type": "application/json", "content-length": bytes })),
    Buffer.from(`{"x":"`.padEnd(bytes - 100, "a")),
  ]);

export async function readMemory({ pid }: ChildProcess): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined ? "an unknown amount" : `${Math.round(Number(kilobytes) / 1024)} MiB`;
}
