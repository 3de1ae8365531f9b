import { pino } from "pino";
import { startJobs } from "#platform/jobs/runner.ts";

// A process that takes a job and never finishes it: for tests that kill it. The database's URL is its argument.

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
