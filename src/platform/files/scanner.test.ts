import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startTestApp, type TestApp } from "#test/app.ts";

let answer = (content: Buffer): string =>
  content.includes("EICAR-STANDARD-ANTIVIRUS-TEST-FILE") ? "stream: Eicar-Test-Signature FOUND\0" : "stream: OK\0";
const scanned: Buffer[] = [];

function take(socket: Socket): void {
  let waiting = Buffer.alloc(0);
  const pieces: Buffer[] = [];
  socket
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      if (pieces.length === 0) {
        if (waiting.length < 10) return;
        assert.equal(waiting.subarray(0, 10).toString(), "zINSTREAM\0");
        waiting = waiting.subarray(10);
        pieces.push(Buffer.alloc(0));
      }
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
        const length = waiting.readUInt32BE(0);
        if (length === 0) {
          const content = Buffer.concat(pieces);
          scanned.push(content);
          socket.end(answer(content));
          return;
        }
        pieces.push(waiting.subarray(4, 4 + length));
        waiting = waiting.subarray(4 + length);
      }
    });
}

async function startScanner(at: { port: number } | { path: string }): Promise<Server> {
  const server = createServer(take).listen({ ...at, host: "127.0.0.1" });
  await once(server, "listening");
  after(() => void server.close());
  return server;
}

const clamd = await startScanner({ port: 0 });
const socketPath = path.join(tmpdir(), `quintet-clamd-${process.pid}`);
const local = await startScanner({ path: socketPath });
after(() => rm(socketPath, { force: true }));
const scanner = `clamd://127.0.0.1:${(clamd.address() as AddressInfo).port}`;
const app = await startTestApp({ settings: { UPLOAD_SCANNER: scanner } });
const { token } = await app.signIn("platform");
const send = (to: TestApp, text: string, url = "/reporting/file/fileUpDown", name = "a.txt") =>
  to.call("POST", url, { file: [name, text], token });
const listFiles = async ({ dataDir }: TestApp): Promise<string[]> =>
  (await readdir(path.join(dataDir, "files"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
// The test virus is in two pieces, because a virus scanner on this machine would delete a source file that contains all
// of it.
const infected = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("");

test("an upload is scanned whole, however large, and taken when nothing was found", async () => {
  const text = "仅供演示".repeat(100_000);
  assert.equal((await send(app, text)).json.code, "0");
  assert.equal(scanned.at(-1)?.toString(), text);
});

test("what is infected is refused and lies nowhere", async () => {
  const before = await listFiles(app);
  const { status, json } = await send(app, infected);
  assert.deepEqual([status, json.code, json.data], [400, "10030", null]);
  assert.match(json.message, /恶意/);
  assert.deepEqual(await listFiles(app), before);
  const rows = await app.pool<{ name: string }[]>`select name from platform.upload`;
  assert.deepEqual(
    rows.map(({ name }) => name),
    before,
  );
});

test("without a verdict nothing is taken, and the log says why", async () => {
  answer = () => "INSTREAM size limit exceeded. ERROR\0";
  const { status, json } = await send(app, "x");
  assert.deepEqual([status, json.code], [502, "20004"]);
  assert.ok(app.logged.some(({ why }) => why === "file scanner: INSTREAM size limit exceeded. ERROR"));
  answer = () => "stream: OK\0";
  const gone = await startTestApp({ settings: { UPLOAD_SCANNER: "clamd://127.0.0.1:1" }, beside: app });
  assert.deepEqual((await send(gone, "x")).json.code, "20004");
  assert.deepEqual(await listFiles(gone), []);
});

test("a scanner of this machine is reached by its socket", async () => {
  const beside = await startTestApp({ settings: { UPLOAD_SCANNER: socketPath }, beside: app });
  assert.equal(local.listening, true);
  const before = scanned.length;
  assert.equal((await send(beside, "x")).json.code, "0");
  assert.equal(scanned.length, before + 1);
});
