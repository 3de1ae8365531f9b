import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { openLocalServer } from "#demo/local-server.ts";
import { findSignatureFault, type Keys } from "./s3-signature.ts";
import { S3Books, S3Refusal, type S3Request } from "./s3-books.ts";

// An S3 store with real HTTP, which verifies signatures and checksums and keeps contents in memory.

/**
 * An injected fault: another status; a connection cut before (`reset`) or after (`deaf`) the request takes effect;
 * silence; a body truncated or stalled after the given number of bytes; one flipped bit in the body.
 */
export type S3Fault =
  | { status: number }
  | "reset"
  | "deaf"
  | "silent"
  | { breakOffAfter: number }
  | { stallAfter: number }
  | "turned";

export interface S3StandIn {
  readonly endpoint: string;
  readonly books: S3Books;
  readonly received: string[];
  fail(fault: S3Fault, options?: { times?: number; when?: RegExp }): void;
  close(): Promise<void>;
}

interface Planned {
  readonly fault: S3Fault;
  readonly when: RegExp;
  times: number;
}

export const s3Keys: Keys = { accessKey: "quintet-tests", secretKey: "a secret of the tests alone", region: "test-1" };
export const s3Bucket = "quintet-files";

export async function startS3(
  keys: Keys = s3Keys,
  { port = 0, books = new S3Books(s3Bucket) } = {},
): Promise<S3StandIn> {
  const received: string[] = [];
  const planned: Planned[] = [];
  const takeFault = (line: string): S3Fault | undefined => {
    const found = planned.find(({ times, when }) => times > 0 && when.test(line));
    if (found) found.times--;
    return found?.fault;
  };
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", "http://s3");
    const line = `${incoming.method} ${decodeURIComponent(url.pathname.slice(1))}${url.search}`;
    const body = await buffer(incoming);
    received.push(line);
    const fault = takeFault(line);
    if (fault === "silent") return;
    if (fault === "reset") return void response.destroy();
    if (typeof fault === "object" && "status" in fault) return refuse(response, new S3Refusal(fault.status, "Planned"));
    const wrong = findSignatureFault(incoming, body, keys);
    const request: S3Request = { method: incoming.method ?? "", url, headers: incoming.headers, body };
    const answer = wrong ? new S3Refusal(403, wrong) : books.answer(request);
    if (fault === "deaf") return void response.destroy();
    if (answer instanceof S3Refusal) return refuse(response, answer);
    response.writeHead(answer.status, answer.headers);
    sendBody(response, incoming.method === "HEAD" ? Buffer.alloc(0) : answer.body, fault);
  }
  const { url: endpoint, close } = await openLocalServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  }, port);
  return {
    endpoint,
    books,
    received,
    fail: (fault, { times = 1, when = /^/ } = {}) => void planned.push({ fault, times, when }),
    close,
  };
}

function refuse(response: ServerResponse, { status, code }: S3Refusal): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

function sendBody(response: ServerResponse, body: Buffer, fault: S3Fault | undefined): void {
  if (fault === "turned")
    return void response.end(Buffer.concat([Buffer.from([(body[0] ?? 0) ^ 1]), body.subarray(1)]));
  if (typeof fault !== "object") return void response.end(body);
  if ("stallAfter" in fault) response.write(body.subarray(0, fault.stallAfter));
  else if ("breakOffAfter" in fault) response.write(body.subarray(0, fault.breakOffAfter), () => response.destroy());
}
