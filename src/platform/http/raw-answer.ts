import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fail } from "#platform/contract/envelope.ts";
import { Problem, sharedProblems } from "#platform/contract/problem.ts";
import { commonHeaders } from "#platform/http/common-headers.ts";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a connection has asked for and not been answered yet, oldest first. */
const pending = new WeakMap<Socket, Exchange[]>();

/** Watches what is asked for, so that an answer by hand goes where it belongs. */
export function watchExchanges(server: Server): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const exchange = { request, response };
    const others = pending.get(request.socket);
    if (others) others.push(exchange);
    else pending.set(request.socket, [exchange]);
    response.once("close", () => {
      const all = pending.get(request.socket) ?? [];
      all.splice(all.indexOf(exchange), 1);
    });
  });
}

/** What is no HTTP, or has too long a head, or none in time, never becomes a request: the answer is written by hand. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  if (error.code === "HPE_HEADER_OVERFLOW")
    return tellSocket(socket, "431 Request Header Fields Too Large", new Problem("tooLong"));
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  tellSocket(socket, isLate ? "408 Request Timeout" : "400 Bad Request", new Problem("badFormat"));
}

const told = new WeakSet<Socket>();

/**
 * Tells a client what is wrong, without a request to answer, and ends its connection. Whoever asked for something before
 * gets that first: they would take this for the answer to it. Where an answer has begun, another must not follow.
 */
export function tellSocket(socket: Socket, status: string, problem: Problem): void {
  // A reader that has failed says so again of all that still comes.
  if (told.has(socket)) return;
  told.add(socket);
  tellInTurn(socket, status, problem);
}

function tellInTurn(socket: Socket, status: string, problem: Problem): void {
  const exchanges = pending.get(socket) ?? [];
  const hasBegun = exchanges.some(({ response }) => response.headersSent && !response.writableEnded);
  if (hasBegun || !socket.writable) return void socket.destroy();
  const before = exchanges.findLast(({ request, response }) => request.complete || response.writableEnded);
  if (before) return void before.response.once("close", () => tellInTurn(socket, status, problem));
  // Whatever it still sends is not waited for.
  socket.end(writeAnswer(status, problem), () => socket.destroy());
}

function writeAnswer(status: string, problem: Problem): string {
  const body = JSON.stringify(fail(problem, sharedProblems, "zh"));
  const lines = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
    "connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
