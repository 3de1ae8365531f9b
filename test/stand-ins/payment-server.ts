import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { openLocalServer } from "#demo/local-server.ts";

export interface PaymentCall {
  readonly method: string;
  /** Path and query exactly as received, since signatures cover them. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PaymentReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * The injected fault of a call. `silent` does not perform the request and never answers. `busy` does not perform the
 * request and answers with the 503 page of an intermediary. The others perform the request: `lost` never answers,
 * `half` truncates the answer, `reset` cuts the connection, `altered` changes one byte, `twice` repeats the answer,
 * `oversized` adds 5 MiB to it.
 */
export const paymentFaults = ["silent", "lost", "half", "reset", "altered", "twice", "oversized", "busy"] as const;
export type PaymentFault = (typeof paymentFaults)[number];

export interface PaymentServer {
  readonly url: string;
  readonly calls: readonly PaymentCall[];
  fail(fault: PaymentFault, options?: { times?: number; matching?: RegExp }): void;
  /** Drops the faults that no call has met yet. */
  stopFailing(): void;
  close(): Promise<void>;
}

interface Planned {
  readonly fault: PaymentFault;
  times: number;
  readonly matching: RegExp | undefined;
}

export async function startPaymentServer(answer: (call: PaymentCall) => PaymentReply): Promise<PaymentServer> {
  const calls: PaymentCall[] = [];
  const planned: Planned[] = [];

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(incoming);
    calls.push(call);
    const fault = takeFault(planned, call);
    if (fault === "busy") response.writeHead(503, { "content-type": "text/html" }).end("<h1>busy</h1>");
    else if (fault !== "silent") send(response, answer(call), fault);
  }

  const server = await openLocalServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  return {
    ...server,
    calls,
    fail: (fault, { times = 1, matching } = {}) => void planned.push({ fault, times, matching }),
    stopFailing: () => void planned.splice(0),
  };
}

async function readCall(incoming: IncomingMessage): Promise<PaymentCall> {
  const target = incoming.url ?? "/";
  const { pathname, searchParams } = new URL(target, "http://stand-in");
  const body = await buffer(incoming);
  return {
    method: incoming.method ?? "",
    target,
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body,
  };
}

/**
 * Returns the text that identifies a call: its target and its body, since some platforms have one address for all
 * calls.
 */
const readText = ({ target, body }: PaymentCall): string =>
  `${target} ${decodeURIComponent(body.toString("latin1").replaceAll(/%(?![0-9A-F]{2})/gi, "%25"))}`;

function takeFault(planned: Planned[], call: PaymentCall): PaymentFault | undefined {
  const text = readText(call);
  const found = planned.find((plan) => plan.times > 0 && (plan.matching?.test(text) ?? true));
  if (!found) return undefined;
  found.times--;
  return found.fault;
}

function send(response: ServerResponse, reply: PaymentReply, fault: PaymentFault | undefined): void {
  const { status, headers, body } = reply;
  if (fault === "lost") return;
  if (fault === "reset") return void response.destroy();
  if (fault === "twice" && response.socket) return sendTwice(response.socket, reply);
  if (fault === "half")
    return void response
      .writeHead(status, { ...headers, "content-length": Math.max(body.length, 2) })
      .write(body.subarray(0, body.length >> 1), () => response.destroy());
  response.writeHead(status, headers).end(fault === undefined ? body : spoil(body, fault));
}

function spoil(body: Buffer, fault: PaymentFault): Buffer {
  if (fault === "oversized") return Buffer.concat([body, Buffer.alloc(5 * 1024 * 1024, " ")]);
  if (body.length === 0) return Buffer.from(" ");
  const altered = Buffer.from(body);
  const place = body.length >> 1;
  altered[place] = (altered[place] ?? 0) ^ 1;
  return altered;
}

function sendTwice(socket: Socket, { status, headers, body }: PaymentReply): void {
  const lines = Object.entries({ ...headers, "content-length": String(body.length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const one = Buffer.concat([Buffer.from(`HTTP/1.1 ${status} OK\r\n${lines.join("")}\r\n`), body]);
  socket.end(Buffer.concat([one, one]));
}
