import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";

const [dataDir = "", mode] = process.argv.slice(2);
const fast = mode === "fast";
// Ctrl-C in a terminal sends SIGINT to the whole process group. This process ignores SIGINT, so that a test can check
// that PostgreSQL survives SIGINT too.
process.on("SIGINT", () => {});
// Standard input ends when the test's process ends; an aborted test must not leave a server behind.
process.stdin.on("end", () => process.exit(1)).resume();
try {
  const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const database = await startEmbeddedPostgres({
    dataDir,
    fast,
    onLost: (lost) => say({ lost }),
    onBack: () => say({ back: true }),
  });
  process.on("SIGTERM", () => void database.stop().then(() => process.exit(0)));
  say({ url: database.ownerUrl, administratorUrl: database.administratorUrl, describe: database.describe });
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refusal: error instanceof Error ? error.message : "?" })}\n`);
}
