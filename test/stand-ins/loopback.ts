import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** `body` is the parsed JSON, or the text if it is not JSON. */
export type Received = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
};

export type Answer = { body: unknown; type?: string; location?: string };

/**
 * An injected fault: an errcode with status 200, another status, a cut connection, silence, silence after the first
 * bytes of the body, or a body of more than 70 KiB.
 */
export type Fault =
  | { errcode: number; errmsg?: string }
  | { status: number; body?: string; headers?: Record<string, string> }
  | "reset"
  | "silent"
  | "stalled"
  | "oversized";

export type Loopback = {
  url: string;
  received: Received[];
  fail(fault: Fault, options?: { times?: number; path?: string }): void;
  countOf(path: string): number;
  close(): Promise<void>;
};

type Planned = { fault: Fault; times: number; path: string | undefined };

export async function startLoopback(
  answer: (request: Received) => Answer | Promise<Answer>,
  port = 0,
): Promise<Loopback> {
  const received: Received[] = [];
  const planned: Planned[] = [];
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    received.push(request);
    const fault = takeFault(planned, request.path);
    if (fault === null) send(response, await answer(request));
    else commit(fault, response);
  }

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    fail: (fault, { times = 1, path } = {}) => void planned.push({ fault, times, path }),
    countOf: (path) => received.filter((request) => request.path === path).length,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(incoming: IncomingMessage): Promise<Received> {
  const url = new URL(incoming.url ?? "/", "http://loopback");
  const body = parse(await text(incoming));
  return {
    method: incoming.method ?? "",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body,
  };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

function takeFault(planned: Planned[], path: string): Fault | null {
  const found = planned.find((plan) => plan.times > 0 && (plan.path ?? path) === path);
  if (found === undefined) return null;
  found.times--;
  return found.fault;
}

function send(response: ServerResponse, { body, type = "application/json; charset=utf-8", location }: Answer): void {
  if (location !== undefined) return void response.writeHead(302, { location }).end();
  response.setHeader("content-type", type).end(JSON.stringify(body));
}

function commit(fault: Fault, response: ServerResponse): void {
  if (fault === "silent") return;
  if (fault === "reset") response.destroy();
  else if (fault === "stalled") response.writeHead(200, { "content-length": 100 }).write('{"errcode":');
  else if (fault === "oversized") response.end(JSON.stringify({ errcode: 0, filling: "x".repeat(70 * 1024) }));
  else if ("errcode" in fault) send(response, { body: { errmsg: "", ...fault } });
  else response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
}
