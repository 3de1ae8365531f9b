// A production server in a forked process. It reports its address to the parent and, on request, its memory after
// garbage collection.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { readSettings } from "#quintet/settings.ts";
import { batchLines } from "#quintet/batched-log.ts";
import { startServer } from "#quintet/serve.ts";

const settings = readSettings(process.env);
const server = await startServer(settings, {
  services: (process.env["BENCH_SERVICE"] ?? "reporting").split(","),
  log: pino({ level: settings.LOG_LEVEL }, batchLines(pino.destination())),
  isTerminal: false,
});
process.once("SIGTERM", () => void server.stop().then(() => process.exit(0)));
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

export interface Held {
  readonly rssMb: number;
  readonly heapMb: number;
  readonly externalMb: number;
  readonly handles: number;
}

function readHeld(): Held {
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const [rssMb, heapMb, externalMb] = [rss, heapUsed, external].map((bytes) => bytes / 2 ** 20) as [
    number,
    number,
    number,
  ];
  return { rssMb, heapMb, externalMb, handles: process.getActiveResourcesInfo().length };
}

process.on("message", () => process.send?.(readHeld()));
process.send?.(server.address);
