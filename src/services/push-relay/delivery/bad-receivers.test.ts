import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { startReceiver, type Behaviour } from "#test/relay/receiver.ts";
import { type Answer, cutOff } from "#platform/outbound/send.ts";
import { openAddressRule } from "#platform/outbound/addresses.ts";
import type { ResolveName } from "#platform/outbound/connector.ts";
import { openSender } from "./sender.ts";
import { createSecret } from "#platform/outbound/signature.ts";

const shortMs = 200;
const longMs = 10_000;
const mebibyte = Buffer.alloc(1024 * 1024, "x");

const nobodyKnows: ResolveName = () => Promise.reject(new Error("no name"));

type Told = Omit<Answer, "response">;

const empty = { form: "json" as const, contentType: "application/json", body: Buffer.from("{}") };

function open(url: string, resolve: ResolveName = nobodyKnows, timeoutMs = longMs) {
  const secrets = { secret: createSecret(), oldSecret: null, oldSecretUntil: null };
  const target = { projectId: 1, revision: 1, perSecond: 0, url, ...secrets };
  const isAllowed = openAddressRule(["127.0.0.1/32"]);
  return openSender(target, { isAllowed, resolve, timeoutMs, connections: 1 });
}

async function send(url: string, resolve?: ResolveName, timeoutMs?: number): Promise<Told> {
  const sender = open(url, resolve, timeoutMs);
  const { response: _response, ...told } = await sender.send("id", empty, Date.now());
  sender.destroy();
  return told;
}

async function sendTo(behaviour: Behaviour): Promise<Told> {
  const receiver = await startReceiver(behaviour);
  try {
    return await send(receiver.url);
  } finally {
    await receiver.stop();
  }
}

async function listen(
  onSocket: (socket: Socket) => void,
  host = "127.0.0.1",
): Promise<{ url: string; connections(): number }> {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    onSocket(socket);
  });
  server.listen(0, host);
  await once(server, "listening");
  after(() => server.close());
  return { url: `http://${host}:${(server.address() as AddressInfo).port}/`, connections: () => connections };
}

/** The receiver closes the connection after its answer, so that no connection keeps the test process alive. */
const say = (text: string) => (socket: Socket) => void socket.once("data", () => socket.end(text));

let elsewhere: Awaited<ReturnType<typeof listen>>;
before(async () => {
  elsewhere = await listen((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), "127.0.0.2");
});

test("an address outside the allow-list is not connected to, however it is written", async () => {
  const { port } = new URL(elsewhere.url);
  for (const host of ["127.0.0.2", "2130706434", "0x7f.2", "[::ffff:127.0.0.2]", "[::1]"])
    assert.deepEqual(
      await send(`http://${host}:${port}/`),
      { statusCode: null, retryAfter: null, error: "the address is not allowed" },
      host,
    );
  assert.equal(elsewhere.connections(), 0);
});

test("a name is judged by what it stands for when the connection is made, and that is connected to", async () => {
  const { port } = new URL(elsewhere.url);
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const receiver = await startReceiver();
  let asked = 0;
  const changing: ResolveName = async () => answers[asked++] ?? [];
  const url = `http://receiver.example.edu:${receiver.port}/`;
  assert.equal((await send(url, changing)).statusCode, 200);
  assert.equal(asked, 1, "asked again between the check and the connection");
  assert.equal((await send(url, changing)).error, "the address is not allowed");
  assert.equal(
    (await send(`http://a.example.edu:${port}/`, async () => ["127.0.0.2", "169.254.169.254"])).statusCode,
    null,
  );
  assert.equal(receiver.pushes[0]?.headers.host, `receiver.example.edu:${receiver.port}`);
  assert.equal(elsewhere.connections(), 0);
  await receiver.stop();
});

test("a name that nobody knows is a failure like any other", async () => {
  const error = Object.assign(new Error("secret words"), { code: "ENOTFOUND" });
  assert.equal((await send("http://a.example.edu/", () => Promise.reject(error))).error, "no connection, ENOTFOUND");
});

test("a redirect is a failure and is not followed", async () => {
  for (const code of [301, 302, 303, 307, 308]) {
    const answer = await sendTo((_push, response) => void response.writeHead(code, { location: elsewhere.url }).end());
    assert.deepEqual([answer.statusCode, answer.error], [code, `HTTP ${code}: redirects are not followed`]);
  }
  assert.equal(elsewhere.connections(), 0);
});

test("what never answers, or not to the end of its head, is cut off in time", async () => {
  const silent = () => {};
  const dripping = (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("x: y\r\n"), 20);
    socket.once("close", () => clearInterval(timer));
  };
  const continuing = (socket: Socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 20);
    socket.once("close", () => clearInterval(timer));
  };
  for (const behaviour of [silent, dripping, continuing]) {
    const startedMs = performance.now();
    const answer = await send((await listen(behaviour)).url, nobodyKnows, shortMs);
    // On a busy machine, connecting alone may exceed the time limit.
    assert.match(answer.error ?? "", /^(?:no response within 200 ms|no connection in time)$/);
    assert.equal(answer.statusCode, null);
    assert.ok(performance.now() - startedMs < longMs);
  }
});

test("a push that a stop cuts off is told from one that failed", async () => {
  const receiver = await startReceiver(() => {});
  const sender = open(receiver.url);
  const [connected, queued] = [1, 2].map((n) => sender.send(`id ${n}`, empty, Date.now()));
  await receiver.await(1);
  sender.destroy();
  assert.deepEqual([(await connected)?.error, (await queued)?.error], [cutOff, cutOff]);
  await receiver.stop();
});

test("a body without end, of ten gigabytes, or that stops is not waited for: the status counts", async () => {
  let written = 0;
  const pour = (head: string) => (socket: Socket) => {
    socket.write(head);
    const more = () => {
      written += mebibyte.length;
      if (socket.destroyed) return;
      if (socket.write(mebibyte)) setImmediate(more);
      else socket.once("drain", more);
    };
    more();
  };
  for (const head of [
    "HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n",
    "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
  ])
    assert.deepEqual(await send((await listen(pour(head))).url), { statusCode: 200, retryAfter: null, error: null });
  assert.ok(written < 100 * mebibyte.length, `${written} bytes were taken`);
  const stopping = await listen(say("HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nhalf"));
  assert.equal((await send(stopping.url)).error, null);
  const failing = await listen(pour("HTTP/1.1 500 Oh\r\ncontent-length: 10737418240\r\n\r\n"));
  assert.equal((await send(failing.url)).error, "HTTP 500");
});

test("what closes without an answer, or speaks no HTTP, is a failure in plain words", async () => {
  const closing = await listen((socket) => socket.once("data", () => socket.destroy()));
  assert.match(
    (await send(closing.url)).error ?? "",
    /^(?:the connection was closed without a response|no connection, ECONNRESET)$/,
  );
  for (const text of ["SSH-2.0-OpenSSH_9.9\r\n", "220 mail ready\r\n", "\0\0\0\0", "HTTP/9.9 200 OK\r\n\r\n"])
    assert.equal((await send((await listen(say(text))).url)).error, "the response is not HTTP", text);
  const large = `HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(1000)}\r\n`.repeat(40)}\r\n`;
  assert.equal((await send((await listen(say(large))).url)).error, "the response headers are too large");
});
