import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { startCcb } from "./payment-ccb.ts";

const bodies: string[] = [];
const receiver = createServer((request, response) => {
  request.setEncoding("latin1").on("data", (text: string) => void bodies.push(text));
  request.on("end", () => void response.writeHead(bodies.at(-1)?.includes("PAYMENT=0.01") ? 400 : 200).end("SEEN"));
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const address = receiver.address();
assert.ok(address !== null && typeof address === "object");
const platform = await startCcb({ notifyUrl: `http://127.0.0.1:${address.port}/` });
after(async () => {
  await platform.close();
  receiver.close();
});

test("notices go out as planned: doubled, late, forged, in another order, or not at all", async () => {
  const plans: Record<string, { afterMs?: number; forgery?: "amount" }[]> = {
    LATE01: [{ afterMs: 60 }],
    TWICE1: [{}, { afterMs: 20 }],
    FORGED: [{ afterMs: 40, forgery: "amount" }],
    LOST01: [],
  };
  platform.notices.plan((orderNo) => plans[orderNo] ?? []);
  for (const orderNo of Object.keys(plans)) {
    platform.books.open({ orderNo, amountFen: 100, expiresAtMs: Date.now() + 60_000, notifyUrl: "" });
    void platform.pay(orderNo);
  }
  await platform.notices.settle();
  const seen = platform.notices.delivered.map(({ orderNo, status }) => `${orderNo} ${status}`).toSorted();
  assert.deepEqual(seen, ["FORGED 400", "LATE01 200", "TWICE1 200", "TWICE1 200"]);
  assert.equal(bodies.length, 4);
  assert.equal(platform.books.sumFen(), 400);
});
