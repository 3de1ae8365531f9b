import type { Socket } from "node:net";
import { fail } from "#platform/contract/envelope.ts";
import { Problem, sharedProblems } from "#platform/contract/problem.ts";

/** What is no HTTP, or has too long a head, or none in time, never becomes a request: the answer is written by hand. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  if (error.code === "HPE_HEADER_OVERFLOW")
    return tellSocket(socket, "431 Request Header Fields Too Large", new Problem("tooLong"));
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  tellSocket(socket, isLate ? "408 Request Timeout" : "400 Bad Request", new Problem("badFormat"));
}

/** Tells a client what is wrong, without a request to answer, and ends its connection. */
export function tellSocket(socket: Socket, status: string, problem: Problem): void {
  const body = JSON.stringify(fail(problem, sharedProblems, "zh"));
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}`;
  // Whatever it still sends is not waited for.
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}
