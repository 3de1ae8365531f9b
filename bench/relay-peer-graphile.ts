// The peer is graphile-worker with a job for each delivery; the job posts the delivery's body. The benchmark adds the
// jobs.
import pg from "pg";
import { Logger, run } from "graphile-worker";
import { Pool } from "undici";

const [databaseUrl = "", url = "", concurrency = "16"] = process.argv.slice(2);
const target = new Pool(url, { connections: Number(concurrency), pipelining: 1 });
const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 10 });

pgPool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));

process.once("message", () => {
  void run({
    pgPool,
    concurrency: Number(concurrency),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    preset: { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 5, failJobBatchDelay: 5 } },
    taskList: {
      deliver: async (payload) => {
        const { body } = payload as { body: string };
        const headers = { "content-type": "application/json" };
        const answer = await target.request({ path: "/", method: "POST", headers, body });
        await answer.body.dump();
        if (answer.statusCode > 299) throw new Error(`HTTP ${answer.statusCode}`);
      },
    },
  });
});
process.once("SIGTERM", () => process.exit(0));
process.send?.("ready");
