import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import type { FastifyServerFactory } from "fastify";
import { fail } from "#platform/contract/envelope.ts";
import { explain, Problem, sharedProblems } from "#platform/contract/problem.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import type { Settings } from "#platform/process/config.ts";

// A slow client occupies memory, files or database connections while it sends a request or reads an answer, so the pace
// of every connection is monitored.

/**
 * Headers that matter only for pages are omitted, because they would make up half of a small answer. HSTS is omitted
 * because it concerns the proxy's host.
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "cache-control": "no-store",
};

// An export lists the requested ids in its URL; ten thousand of them, as ids%5B%5D=1234567&, take 180 KB.
const mostHeaderBytes = 256 * 1024;
// A client has ten seconds to send all headers, and half an hour for the request, which is enough for the largest
// import (200 MB) at 1 Mbit/s.
const longestHeadMs = 10_000;
const longestRequestMs = 1_800_000;
// Most proxies close idle connections after a minute, and the proxy must close a connection before the server does.
const keepAliveMs = 72_000;

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
        // Node would answer without a JSON body, so server.ts checks the Host header instead.
        requireHostHeader: false,
      },
      handler,
    );
    watchConnections(server, settings);
    server.on("checkExpectation", (request, response) => server.emit("request", request, response));
    // Without this listener, Node would close the connection although earlier requests on it may be pending.
    server.on("connect", (_request, socket: Socket) => {
      socket.on("error", () => socket.destroy());
      sendProblem(socket, "400 Bad Request", new Problem("badFormat"));
    });
    // A request whose headers are malformed, too large or too late never reaches Fastify, so the answer is written to
    // the socket.
    return server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
      if (error.code === "HPE_HEADER_OVERFLOW")
        return sendProblem(socket, "431 Request Header Fields Too Large", new Problem("tooLong"));
      const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
      sendProblem(socket, isLate ? "408 Request Timeout" : "400 Bad Request", new Problem("badFormat"));
    });
  };

interface Pace {
  readonly windowMs: number;
  readonly perSecond: number;
}

// A body that is not an upload must arrive within this time, or at a minimum rate. The time is enough for a form of 80
// KB at 64 kbit/s.
const longestFormMs = 10_000;

interface Window {
  start: number;
  bytes: number;
}

interface Watched {
  readonly exchanges: ServerResponse[];
  latest?: ServerResponse | undefined;
  /**
   * Whether an error was sent or is waiting to be sent. The HTTP parser then reports an error for everything that
   * follows, and these errors are ignored.
   */
  isNotified: boolean;
  sending?: Window | undefined;
  receiving?: Window | undefined;
}

const watchedBySocket = new WeakMap<Socket, Watched>();
const uploads = new WeakSet<IncomingMessage>();

/** Marks the request as an upload, for which a lower minimum rate applies. */
export const expectUpload = (request: IncomingMessage): void => void uploads.add(request);

/** Closes connections that are too slow, and idle ones when the connections exceed 90 % of MAX_CONNECTIONS. */
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

// Only a few rejected bodies are drained concurrently, because draining a thousand bodies of a megabyte blocked the
// event loop for a second. After the timeout the next body may start, because a body that is still arriving needs
// little processing time.
const drainSemaphore = openSemaphore({ permits: 4 });
const drainMs = 20;

/**
 * Reads the rest of a request's body after the answer, because the body precedes the next request of the connection.
 */
async function drain(request: IncomingMessage): Promise<void> {
  request.pause();
  await drainSemaphore.run(async () => {
    request.resume();
    const read = finished(request, { signal: AbortSignal.timeout(drainMs) });
    await read.catch(() => undefined);
  });
}

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
  // If an answer has started, an error cannot follow it on the same connection.
  if (response.headersSent) socket.destroy();
  else
    sendProblem(socket, "408 Request Timeout", explain("badFormat", "请求发送过慢", "the request was sent too slowly"));
}

function isTooSlow(window: Window, bytes: number, { windowMs, perSecond }: Pace, now: number): boolean {
  if (bytes - window.bytes >= (windowMs / 1000) * perSecond) {
    window.start = now;
    window.bytes = bytes;
  }
  return now - window.start > windowMs;
}

/**
 * Sends an error on the socket and closes the socket. Earlier requests are answered first; if an answer has started but
 * not ended, the socket is closed without the error.
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
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  };
  sendAfterPending();
}
