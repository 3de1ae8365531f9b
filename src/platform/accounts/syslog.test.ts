import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createServer, type TLSSocket } from "node:tls";
import { makeCertificate } from "#test/certificate.ts";
import { openSyslog } from "./audit.ts";

const { key, cert } = makeCertificate("localhost");

test("lines go over TLS in frames, and those that came while nobody listened go first", async () => {
  const sockets: TLSSocket[] = [];
  let heard = "";
  const server = createServer({ key, cert }, (socket) => {
    sockets.push(socket);
    socket.setEncoding("utf8").on("data", (text: string) => (heard += text));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const syslog = openSyslog(new URL(`syslog+tls://localhost:${port}`), cert);
  syslog.write('{"a":"一"}\n');
  syslog.write('{"b":2}\n');
  assert.equal(syslog.readFigures().waiting, 2);
  await once(server, "secureConnection");
  const given = { signal: AbortSignal.timeout(20_000) };
  while (!heard.includes('{"b":2}')) await once(sockets[0] as TLSSocket, "data", given);
  const [, length, rest] = /^(\d+) (.*)$/s.exec(heard) ?? [];
  const first = Buffer.from(rest ?? "")
    .subarray(0, Number(length))
    .toString();
  assert.match(first, /^<110>1 \S+Z \S+ quintet \d+ audit - \{"a":"一"\}$/);
  assert.deepEqual(syslog.readFigures(), { waiting: 0, lost: 0 });
  await syslog.close();
  server.close();
});

test("lines for a receiver that has stopped reading wait, and go when it reads again", async () => {
  const connected = Promise.withResolvers<TLSSocket>();
  const server = createServer({ key, cert }, connected.resolve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const syslog = openSyslog(new URL(`syslog+tls://localhost:${(server.address() as AddressInfo).port}`), cert);
  syslog.write("{}\n");
  const socket = await connected.promise;
  const line = `{"a":"${"x".repeat(16_384)}"}\n`;
  const count = 2000;
  for (let at = 0; at < count; at++) {
    syslog.write(line);
    if (at % 100 === 0) await setImmediate();
  }
  assert.ok(syslog.readFigures().waiting > count / 4, "what the receiver does not take is told");
  let bytes = 0;
  socket.on("data", (piece: Buffer) => (bytes += piece.length));
  while (bytes < count * line.length) await once(socket, "data", { signal: AbortSignal.timeout(20_000) });
  assert.deepEqual(syslog.readFigures(), { waiting: 0, lost: 0 });
  await syslog.close();
  server.close();
});

test("a receiver whom nobody vouches for gets nothing; of too many the oldest are lost", async () => {
  const server = createServer({ key, cert }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const syslog = openSyslog(new URL(`syslog+tls://localhost:${(server.address() as AddressInfo).port}`));
  await once(server, "tlsClientError");
  for (let line = 0; line < 10_003; line++) syslog.write("{}\n");
  assert.deepEqual(syslog.readFigures(), { waiting: 10_000, lost: 3 });
  await syslog.close();
  server.close();
});
