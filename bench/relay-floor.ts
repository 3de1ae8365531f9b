// The baseline is undici, which posts the same bodies from memory at the same concurrency.
import { Pool } from "undici";

const [url = "", count = "0", concurrency = "16", body = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: Number(concurrency), pipelining: 1 });
const bytes = Buffer.from(body);
let left = Number(count);

async function work(): Promise<void> {
  while (left-- > 0) {
    const answer = await pool.request({
      path: "/",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: bytes,
    });
    await answer.body.dump();
  }
}

process.once(
  "message",
  () => void Promise.all(Array.from({ length: Number(concurrency) }, work)).then(() => pool.close()),
);
process.send?.("ready");
