// The server as production starts it, for a benchmark that forks it; tells its parent the address.
import { pino } from "pino";
import { readSettings } from "#quintet/settings.ts";
import { gatherLines } from "#platform/process/gathered-lines.ts";
import { startServer } from "#quintet/serve.ts";

const settings = readSettings(process.env);
const server = await startServer(settings, {
  services: (process.env["BENCH_SERVICE"] ?? "reporting").split(","),
  log: pino({ level: settings.LOG_LEVEL }, gatherLines(pino.destination())),
  isTerminal: false,
});
process.once("SIGTERM", () => void server.stop().then(() => process.exit(0)));
process.send?.(server.address);
