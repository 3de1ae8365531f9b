import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import { explain } from "#platform/contract/problem.ts";
import { tellSocket } from "#platform/http/raw-answer.ts";
import { openTurns } from "#platform/jobs/turns.ts";

// Who sends its request by the drop, or asks for an answer and does not take it, holds memory, a file or a database
// connection meanwhile. Every connection is looked at, whatever it asks for.

export interface ConnectionLimits {
  /** Connections at once; idle ones make room for others before it is reached. */
  readonly most: number;
  /** Whoever moves next to nothing for so long is cut off. */
  readonly idleMs: number;
}

/** What must move while a window lasts: a body of that many bytes or fewer has that long to arrive. */
interface Pace {
  readonly windowMs: number;
  readonly leastBytes: number;
}

// In ten seconds a modem of the last century sends a form, and 64 kbit/s a report with everything that it may hold.
const longestFormMs = 10_000;
const bytesPerSecond = { form: 16 * 1024, upload: 8 * 1024, answer: 4 * 1024 } as const;
const paceOf = (windowMs: number, perSecond: number): Pace => ({ windowMs, leastBytes: (windowMs / 1000) * perSecond });

/** The present window of one direction of a connection. */
interface Window {
  start: number;
  bytes: number;
}

interface Watched {
  /** Whose body has not arrived whole. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  sending: Window | undefined;
  /** Undefined while nothing waits for the client to take it. */
  taking: Window | undefined;
}

type Paces = Readonly<Record<keyof typeof bytesPerSecond, Pace>>;

const uploads = new WeakSet<IncomingMessage>();

/** Says that the request brings a file, which may take as long as it moves. */
export const expectUpload = (request: IncomingMessage): void => void uploads.add(request);

/** Watches the connections of a server until it closes. */
export function watchConnections(server: Server, { most, idleMs }: ConnectionLimits): void {
  const connections = new Map<Socket, Watched>();
  const paces: Paces = {
    form: paceOf(Math.min(idleMs, longestFormMs), bytesPerSecond.form),
    upload: paceOf(idleMs, bytesPerSecond.upload),
    answer: paceOf(idleMs, bytesPerSecond.answer),
  };
  server.maxConnections = most;
  server.on("connection", (socket: Socket) => {
    connections.set(socket, { request: undefined, response: undefined, sending: undefined, taking: undefined });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const watched = connections.get(request.socket);
    if (watched) Object.assign(watched, { request, response, sending: undefined });
    response.once("finish", () => void drain(request));
  });
  const timer = setInterval(
    () => {
      for (const [socket, watched] of connections) look(socket, watched, paces);
      if (connections.size > 0.9 * most) server.closeIdleConnections();
    },
    Math.min(1000, idleMs / 4),
  ).unref();
  server.once("close", () => clearInterval(timer));
}

// A thousand refused bodies of a megabyte took all of the loop's time for a second while Node read them as fast as they
// came: few begin at once. One that has not come to its end by then is slow, and costs the loop nothing.
const drains = openTurns({ atOnce: 4 });
const drainMs = 20;

/** Reads what is still to come of a request that has its answer, since the next one of the connection stands behind it. */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete) return;
  request.pause();
  await drains.take(async () => {
    request.resume();
    const read = finished(request, { signal: AbortSignal.timeout(drainMs) });
    await read.catch(() => undefined);
  });
}

function look(socket: Socket, watched: Watched, paces: Paces): void {
  const now = performance.now();
  if (isUnread(socket, watched, paces.answer, now)) socket.destroy();
  else if (isSlowSender(socket, watched, paces, now)) cutOff(socket, watched);
}

/** Whether the client leaves its answer lying. */
function isUnread(socket: Socket, watched: Watched, pace: Pace, now: number): boolean {
  const waiting = socket.writableLength;
  if (waiting === 0) {
    watched.taking = undefined;
    return false;
  }
  const taken = socket.bytesWritten - waiting;
  watched.taking ??= { start: now, bytes: taken };
  return isTooSlow(watched.taking, taken, pace, now);
}

function isSlowSender(socket: Socket, watched: Watched, { form, upload }: Paces, now: number): boolean {
  if (!watched.request || watched.request.complete) {
    watched.request = undefined;
    return false;
  }
  watched.sending ??= { start: now, bytes: socket.bytesRead };
  return isTooSlow(watched.sending, socket.bytesRead, uploads.has(watched.request) ? upload : form, now);
}

/** Whether too little has moved in the window; one that brought enough is followed by another. */
function isTooSlow(window: Window, bytes: number, { windowMs, leastBytes }: Pace, now: number): boolean {
  if (bytes - window.bytes >= leastBytes) {
    window.start = now;
    window.bytes = bytes;
  }
  return now - window.start > windowMs;
}

function cutOff(socket: Socket, { response }: Watched): void {
  // Where an answer has begun, another must not follow it.
  if (response?.headersSent) socket.destroy();
  else tellSocket(socket, "408 Request Timeout", tooSlow());
}

const tooSlow = () => explain("badFormat", "请求发送过慢", "the request came too slowly");
