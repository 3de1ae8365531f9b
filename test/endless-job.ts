import { pino } from "pino";
import { startJobs } from "#platform/jobs/runner.ts";

// A process whose job never finishes, for tests that kill it. The argument is the database's URL.

await startJobs({
  url: process.argv[2] ?? "",
  tasks: {
    endless: () => {
      process.stdout.write("taken\n");
      return new Promise(() => {});
    },
  },
  recurring: [],
  concurrency: 1,
  log: pino({ level: "silent" }),
});
