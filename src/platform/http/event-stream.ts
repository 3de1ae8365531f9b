import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Subscribe } from "#platform/contract/endpoint.ts";
import { Problem } from "#platform/contract/problem.ts";

// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html

// By its silence a client knows that the line is cut: a wall of figures must say so within 15 s, and one comment may be
// late. Proxies, which close what is silent for a minute, would be content with less.
const heartbeatMs = 5000;
// Some hundred events that a client has not taken: it is gone, or has to begin anew anyway.
const mostWaitingBytes = 64 * 1024;

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // nginx would collect the events and send them in lumps.
  "x-accel-buffering": "no",
};

/**
 * How the streams of an application are opened, so many at once; they end when it takes nothing more, and when it closes,
 * which would otherwise wait for them. @throws {Problem} tooManyRequests.
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
    // A client that leaves its events lying is cut off.
    const write = (text: string): void => {
      if (stream.readableLength > mostWaitingBytes) stream.destroy();
      else if (!ended && !stream.destroyed) stream.push(text);
    };
    const end = (): void => {
      ended = true;
      stream.push(null);
    };
    // Not all at the same moment, when a process that served many has ended.
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
