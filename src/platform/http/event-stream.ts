import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Subscribe } from "#platform/contract/endpoint.ts";
import { Problem } from "#platform/contract/problem.ts";

// A client notices a lost connection by the absence of heartbeats. The command centre's screen must report the loss
// within 15 s, even if one heartbeat is late. Proxies close connections that are silent for a minute.
const heartbeatMs = 5000;
// The stream is closed when this much is unread: after some hundred unread events the client is gone or must reload
// anyway.
const mostWaitingBytes = 64 * 1024;

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // This header keeps nginx from buffering the events.
  "x-accel-buffering": "no",
};

/**
 * Returns a function that opens a stream, or throws the Problem tooManyRequests if `most` streams are open. All streams
 * end when `retired` is aborted or the server shuts down, because the shutdown would otherwise wait for them.
 */
export function openEventStreams(
  app: FastifyInstance,
  most: number,
  retired: AbortSignal,
): (reply: FastifyReply, subscribe: Subscribe) => FastifyReply {
  const ends = new Set<() => void>();
  const endAll = (): void => ends.forEach((end) => end());
  retired.addEventListener("abort", endAll);
  app.addHook("preClose", (done) => {
    endAll();
    done();
  });
  return (reply, subscribe) => {
    if (ends.size >= most) throw new Problem("tooManyRequests", { headers: { "retry-after": "30" } });
    const stream = new Readable({ read() {} });
    let ended = false;
    const write = (text: string): void => {
      if (stream.readableLength > mostWaitingBytes) stream.destroy();
      else if (!ended && !stream.destroyed) stream.push(text);
    };
    const end = (): void => {
      ended = true;
      stream.push(null);
    };
    // The reconnection delay is random, so that the clients of an ended process do not all reconnect at the same time.
    write(`retry: ${2000 + Math.floor(Math.random() * 2000)}\n\n`);
    const heartbeat = setInterval(() => write(":\n\n"), heartbeatMs).unref();
    const stop = subscribe({ send: (data) => write(`data: ${JSON.stringify(data)}\n\n`), end });
    ends.add(end);
    stream.once("close", () => {
      clearInterval(heartbeat);
      stop();
      ends.delete(end);
    });
    return reply.headers(headers).send(stream);
  };
}
