import assert from "node:assert/strict";
import type { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { EventClient } from "#platform/contract/endpoint.ts";
import { openEventStreams } from "./event-stream.ts";

function open(most = 10) {
  let close = (): void => {};
  const app = { addHook: (_name: string, hook: (done: () => void) => void) => (close = () => hook(() => {})) };
  const openStream = openEventStreams(app as unknown as FastifyInstance, most, new AbortController().signal);
  const told: { stream?: Readable; headers?: Record<string, string>; client?: EventClient } = {};
  const reply = {
    headers: (headers: Record<string, string>) => Object.assign(reply, (told.headers = headers)),
    send: (stream: Readable) => Object.assign(reply, { sent: (told.stream = stream) }),
  };
  let stopped = 0;
  openStream(reply as unknown as FastifyReply, (client: EventClient) => {
    told.client = client;
    return () => void stopped++;
  });
  const { stream, headers, client } = told;
  assert.ok(stream && headers && client);
  const read = (): string => {
    let text = "";
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
    return text;
  };
  return { stream, headers, client, close, countStopped: () => stopped, read };
}

const useClock = (t: TestContext) => t.mock.timers.enable({ apis: ["setInterval"] });

test("events are lines of JSON, and a proxy is asked to pass them on at once", () => {
  const { headers, client, read, stream } = open();
  assert.match(read(), /^retry: [23]\d{3}\n\n$/);
  client.send({ module: "a\nb" });
  client.send(5);
  assert.equal(read(), 'data: {"module":"a\\nb"}\n\ndata: 5\n\n');
  assert.equal(headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(headers["x-accel-buffering"], "no");
  assert.match(headers["cache-control"] ?? "", /no-transform/);
  stream.destroy();
});

test("a silent stream says every 5 seconds that it is there", (t) => {
  useClock(t);
  const { read, stream } = open();
  read();
  t.mock.timers.tick(4999);
  assert.equal(read(), "");
  t.mock.timers.tick(1);
  assert.equal(read(), ":\n\n");
  stream.destroy();
});

test("who leaves the events lying is dropped, with little kept until then", async () => {
  const { client, stream, countStopped } = open();
  for (let n = 0; n < 10_000 && !stream.destroyed; n++) client.send("x".repeat(1000));
  assert.equal(stream.destroyed, true);
  assert.ok(stream.readableLength < 70_000);
  await new Promise((resolve) => stream.once("close", resolve));
  assert.equal(countStopped(), 1);
  client.send("nobody is there");
});

for (const [who, end] of [
  ["its sender", ({ client }: ReturnType<typeof open>) => client.end()],
  ["the application", ({ close }: ReturnType<typeof open>) => close()],
] as const)
  test(`a stream that ${who} ends is whole, and takes no more`, async () => {
    const opened = open();
    const { stream, client, countStopped } = opened;
    client.send(1);
    end(opened);
    end(opened);
    client.send(2);
    const text = (await stream.toArray()).join("");
    assert.match(text, /data: 1\n\n$/);
    assert.equal(countStopped(), 1);
  });

test("no more are opened at once than there may be", () => {
  assert.throws(() => open(0), { problem: "tooManyRequests" });
});
