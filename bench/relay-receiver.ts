// The receiver reads each push whole and answers 204; at the path `/hang` it never answers. It reports its address to
// the parent. When the parent sends a number, the receiver counts from zero and, once that many pushes have arrived,
// reports when the first, each ten-thousandth and the last of them arrived.
import http from "node:http";
import type { AddressInfo } from "node:net";

let count = 0;
let firstMs = 0;
let wanted = Number.POSITIVE_INFINITY;
let marks: { count: number; ms: number }[] = [];
const markEvery = 10_000;

const now = (): number => performance.timeOrigin + performance.now();

const server = http.createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => {
    if (request.url === "/hang") return;
    response.writeHead(204).end();
    if (count++ === 0) firstMs = now();
    if (count % markEvery === 0) marks.push({ count, ms: now() });
    if (count === wanted) process.send?.({ count, firstMs, lastMs: now(), marks });
  });
});
process.on("message", (message: number) => {
  wanted = message;
  count = 0;
  marks = [];
});
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once("SIGTERM", () => process.exit(0));
