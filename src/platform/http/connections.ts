import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import type { FastifyServerFactory } from "fastify";
import { fail } from "#platform/contract/envelope.ts";
import { explain, Problem, sharedProblems } from "#platform/contract/problem.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import type { Settings } from "#platform/process/config.ts";

// Who sends its request by the drop, or asks for an answer and does not take it, holds memory, a file or a database
// connection meanwhile. Every connection is looked at, whatever it asks for.

/**
 * What every answer has, and that nobody may store it unless it says otherwise. What only concerns pages, or a host that a
 * proxy in front answers for (HSTS), is left out: it would be half of a small answer.
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  // For data: the few pages set a policy of their own.
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "cache-control": "no-store",
};

// The ids of an export stand in its address: ten thousand of them, as ids%5B%5D=1234567&, take 190 KB.
const mostHeaderBytes = 256 * 1024;
// A head is sent at once; half an hour is 200 MB, the largest import, at 1 Mbit/s.
const longestHeadMs = 10_000;
const longestRequestMs = 1_800_000;
// For longer than the minute after which most proxies let go of a connection that nobody uses.
const keepAliveMs = 72_000;

/** The server of each address that is listened on: of a host's name there may be two. */
export const makeServerFactory =
  (settings: Settings): FastifyServerFactory =>
  (handler) => {
    const server = createServer(
      {
        maxHeaderSize: mostHeaderBytes,
        headersTimeout: longestHeadMs,
        requestTimeout: longestRequestMs,
        keepAliveTimeout: keepAliveMs,
        connectionsCheckingInterval: 2000,
        // By a bare text of its own; ours is in server.ts.
        requireHostHeader: false,
      },
      handler,
    );
    watchConnections(server, settings);
    // What a request expects beyond 100-continue is passed over.
    server.on("checkExpectation", (request, response) => server.emit("request", request, response));
    // Without a listener its connection would be cut, with what others on it had asked for before.
    server.on("connect", (_request, socket: Socket) => {
      // Nobody else listens to what becomes of it any more.
      socket.on("error", () => socket.destroy());
      sendProblem(socket, "400 Bad Request", new Problem("badFormat"));
    });
    // What is no HTTP, or has too long a head, or none in time, never becomes a request: the answer is written by hand.
    return server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
      if (error.code === "HPE_HEADER_OVERFLOW")
        return sendProblem(socket, "431 Request Header Fields Too Large", new Problem("tooLong"));
      const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
      sendProblem(socket, isLate ? "408 Request Timeout" : "400 Bad Request", new Problem("badFormat"));
    });
  };

/** How many bytes must move on average while a window lasts: a body of fewer has that long to arrive. */
interface Pace {
  readonly windowMs: number;
  readonly perSecond: number;
}

// In ten seconds a modem of the last century sends a form, and 64 kbit/s a report with everything that it may hold.
const longestFormMs = 10_000;

interface Window {
  start: number;
  bytes: number;
}

interface Watched {
  /** What it has asked for and not been answered yet, oldest first. */
  readonly exchanges: ServerResponse[];
  /** Whose body may still be on its way. */
  latest?: ServerResponse | undefined;
  /** It was told what is wrong: a reader that has failed says so again of all that still comes. */
  isNotified: boolean;
  sending?: Window | undefined;
  /** Undefined while nothing waits for the client to take it. */
  receiving?: Window | undefined;
}

const watchedBySocket = new WeakMap<Socket, Watched>();
const uploads = new WeakSet<IncomingMessage>();

/** Says that the request brings a file, which may take as long as it moves. */
export const expectUpload = (request: IncomingMessage): void => void uploads.add(request);

/** Watches the connections of a server until it closes: MAX_CONNECTIONS at once, idle ones make room before it is reached. */
function watchConnections(server: Server, { MAX_CONNECTIONS: most, IDLE_SECONDS }: Settings): void {
  const idleMs = IDLE_SECONDS * 1000;
  const sockets = new Set<Socket>();
  const paces = {
    form: { windowMs: Math.min(idleMs, longestFormMs), perSecond: 16 * 1024 },
    upload: { windowMs: idleMs, perSecond: 8 * 1024 },
    answer: { windowMs: idleMs, perSecond: 4 * 1024 },
  };
  server.maxConnections = most;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    watchedBySocket.set(socket, { exchanges: [], isNotified: false });
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    const watched = watchedBySocket.get(request.socket);
    if (!watched) return;
    watched.exchanges.push(response);
    watched.latest = response;
    watched.sending = undefined;
    response.once("close", () => {
      watched.exchanges.splice(watched.exchanges.indexOf(response), 1);
      if (!request.complete && response.writableFinished) void drain(request);
    });
  });
  const timer = setInterval(
    () => {
      for (const socket of sockets) checkPace(socket, paces);
      if (sockets.size > 0.9 * most) server.closeIdleConnections();
    },
    Math.min(1000, idleMs / 4),
  ).unref();
  server.once("close", () => clearInterval(timer));
}

// A thousand refused bodies of a megabyte took all of the loop's time for a second while Node read them as fast as they
// came: few begin at once. One that has not come to its end by then is slow, and costs the loop nothing.
const drainSemaphore = openSemaphore({ permits: 4 });
const drainMs = 20;

/** Reads what is still to come of a request that has its answer, since the next one of the connection stands behind it. */
async function drain(request: IncomingMessage): Promise<void> {
  request.pause();
  await drainSemaphore.run(async () => {
    request.resume();
    const read = finished(request, { signal: AbortSignal.timeout(drainMs) });
    await read.catch(() => undefined);
  });
}

/** Cuts off who leaves its answer lying, or sends its request by the drop. */
function checkPace(socket: Socket, paces: Readonly<Record<"form" | "upload" | "answer", Pace>>): void {
  const watched = watchedBySocket.get(socket);
  if (!watched) return;
  const now = performance.now();
  const waiting = socket.writableLength;
  const taken = socket.bytesWritten - waiting;
  watched.receiving = waiting === 0 ? undefined : (watched.receiving ?? { start: now, bytes: taken });
  if (watched.receiving && isTooSlow(watched.receiving, taken, paces.answer, now)) return void socket.destroy();
  if (watched.latest?.req.complete) watched.latest = undefined;
  const response = watched.latest;
  if (!response) return;
  watched.sending ??= { start: now, bytes: socket.bytesRead };
  if (!isTooSlow(watched.sending, socket.bytesRead, paces[uploads.has(response.req) ? "upload" : "form"], now)) return;
  // Where an answer has begun, another must not follow it.
  if (response.headersSent) socket.destroy();
  else sendProblem(socket, "408 Request Timeout", explain("badFormat", "请求发送过慢", "the request came too slowly"));
}

/** Whether too little has moved in the window; one that brought enough is followed by another. */
function isTooSlow(window: Window, bytes: number, { windowMs, perSecond }: Pace, now: number): boolean {
  if (bytes - window.bytes >= (windowMs / 1000) * perSecond) {
    window.start = now;
    window.bytes = bytes;
  }
  return now - window.start > windowMs;
}

/**
 * Tells a client what is wrong, without a request to answer, and ends its connection. Whoever asked for something before
 * gets that first: they would take this for the answer to it. Where an answer has begun, another must not follow.
 */
function sendProblem(socket: Socket, status: string, problem: Problem): void {
  const watched = watchedBySocket.get(socket);
  if (!watched || watched.isNotified) return;
  watched.isNotified = true;
  const sendAfterPending = (): void => {
    const { exchanges } = watched;
    const hasBegun = exchanges.some(({ headersSent, writableEnded }) => headersSent && !writableEnded);
    if (hasBegun || !socket.writable) return void socket.destroy();
    const before = exchanges.findLast(({ req, writableEnded }) => req.complete || writableEnded);
    if (before) return void before.once("close", sendAfterPending);
    const body = JSON.stringify(fail(problem, sharedProblems, "zh"));
    const head = [
      `HTTP/1.1 ${status}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
      "connection: close",
    ];
    // Whatever it still sends is not waited for.
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  };
  sendAfterPending();
}
