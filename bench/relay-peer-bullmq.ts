// The peer is a BullMQ worker on Redis with a job for each delivery; the job posts the delivery's body. The first
// argument is the folder with BullMQ. The parent's message "fill" adds the jobs; "go" processes them.
import { createRequire } from "node:module";
import { Pool } from "undici";

interface Bull {
  readonly Queue: new (name: string, options: object) => { addBulk(jobs: object[]): Promise<unknown> };
  readonly Worker: new (
    name: string,
    work: (job: { data: { body: string } }) => Promise<void>,
    options: object,
  ) => { on(event: string, listener: () => void): void };
}

const [folder = "", redisPort = "0", url = "", concurrency = "16", count = "0", body = ""] = process.argv.slice(2);
const { Queue, Worker } = createRequire(`${folder}/`)("bullmq") as Bull;
const connection = { host: "127.0.0.1", port: Number(redisPort), maxRetriesPerRequest: null };
const target = new Pool(url, { connections: Number(concurrency), pipelining: 1 });
const atOnce = 1000;

async function fill(): Promise<void> {
  const queue = new Queue("deliveries", { connection });
  const job = { name: "deliver", data: { body }, opts: { attempts: 8, backoff: { type: "exponential", delay: 5000 } } };
  for (let added = 0; added < Number(count); added += atOnce)
    await queue.addBulk(Array.from({ length: Math.min(atOnce, Number(count) - added) }, () => job));
  process.send?.("filled");
}

async function deliver({ data }: { data: { body: string } }): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await target.request({ path: "/", method: "POST", headers, body: data.body });
  await answer.body.dump();
  if (answer.statusCode > 299) throw new Error(`HTTP ${answer.statusCode}`);
}

function workOff(): void {
  const worker = new Worker("deliveries", deliver, { connection, concurrency: Number(concurrency) });
  worker.on("error", () => {});
}

process.on("message", (message) => (message === "fill" ? void fill() : workOff()));
process.once("SIGTERM", () => process.exit(0));
process.send?.("ready");
