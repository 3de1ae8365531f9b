// A small server for the tests, which they start as a process of its own in order to kill it.
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";

const [dataDir = "", mode] = process.argv.slice(2);
const fast = mode === "fast";
// As in a terminal, where Ctrl-C reaches the whole group: this server survives it, and so must its database.
process.on("SIGINT", () => {});
// A test that is cut short must not leave a server.
process.stdin.on("end", () => process.exit(1)).resume();
try {
  const database = await startEmbeddedPostgres({ dataDir, fast });
  process.on("SIGTERM", () => void database.stop().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ url: database.url, describe: database.describe })}\n`);
  const { message } = await database.exited;
  process.stdout.write(`${message}\n`);
  process.stdin.destroy();
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refusal: error instanceof Error ? error.message : "?" })}\n`);
}
