import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { programEnvironment, type Runner } from "./runner.ts";

export type Launch = {
  program: string;
  runner: Runner;
  cluster: string;
  settings: readonly string[];
  reusedId: number | undefined;
  logFile: string;
};

/*
 * PostgreSQL's parent is a shell whose standard input is a pipe from the server. When the pipe closes, because the
 * server closed it or was killed, a second shell sends SIGINT (fast shutdown), after 5 s SIGQUIT, and after 7 s
 * SIGKILL. The shells and PostgreSQL run in a process session of their own, which Ctrl-C and signals to the server's
 * process group do not reach, so that the server closes before the database. The first shell waits for PostgreSQL, the
 * second for the end of the pipe. In the second shell, `trap` comes after `read`, because SIGTERM must end that shell
 * immediately and a trap would delay its end until `read` returns.
 */
const supervisor = `
exec 3<&0
"$@" </dev/null 3<&- &
postgres=$!
{
  read -r line <&3
  nap() { sleep "$1" & napping=$!; wait $napping; }
  trap 'kill $napping; wait $napping; exit' TERM
  kill -INT $postgres
  for signal in 0 0 0 0 QUIT 0 KILL; do
    nap 1
    kill -$signal $postgres || exit
  done
} >/dev/null 2>&1 &
guard=$!
exec 2>/dev/null 3<&-
wait $postgres
code=$?
kill $guard; wait $guard
exit $code
`;

export function launchPostgres(launch: Launch) {
  const child = spawnSupervisor(launch);
  const log = openBoundedLog(launch.logFile);
  const ended = once(child, "exit").then(
    ([code, signal]) => {
      if (signal !== null) return `supervisor ended by ${signal}`;
      // A shell reports a signal as exit code 128 plus the signal's number.
      return code !== null && code > 128 ? `signal ${code - 128}` : `code ${code}`;
    },
    (error: Error) => error.message,
  );
  const ready = new Promise<void>((resolve, reject) => {
    let starting: string | undefined = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      log.write(chunk);
      if (starting === undefined) return;
      starting += chunk.toString();
      if (!/ready to accept (?:read-only )?connections/.test(starting)) return;
      starting = undefined;
      resolve();
    });
    child.on("error", reject);
    // "close" comes after the last log output, but also waits for sessions that outlive a killed postmaster.
    child.on("close", () => {
      log.close();
      const complaint = (starting ?? "").split("\n").findLast((text) => /(FATAL|PANIC|error):/i.test(text));
      reject(new Error(complaint?.replace(/^.*?(FATAL|PANIC): +/, "").trim() ?? "it stopped without an error message"));
    });
  });
  child.stdin?.on("error", () => {});
  return {
    ready,
    ended,
    end(): void {
      child.stdin?.end();
    },
    /** Whether the supervisor was killed, so that it can no longer stop PostgreSQL. */
    lost: () => child.signalCode !== null,
  };
}

function spawnSupervisor(launch: Launch): ChildProcess {
  const { program, runner, cluster, settings, reusedId } = launch;
  const postgres = [...runner.prefix, program, "-D", cluster, ...settings.flatMap((text) => ["-c", text])];
  return spawn("sh", ["-c", supervisor, "quintet-postgres", ...postgres], {
    ...runner.ids,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    // PostgreSQL refuses to start while a process has the id in postmaster.pid, unless PG_GRANDPARENT_PID names that
    // id; pg_ctl sets the variable to the id of its parent. Deleting postmaster.pid instead would lose the check for
    // old sessions.
    env: { ...programEnvironment(), ...(reusedId !== undefined && { PG_GRANDPARENT_PID: `${reusedId}` }) },
  });
}

const logMaxBytes = 4 * 1024 * 1024;

/**
 * A full log replaces the previous one (`.1`), so both together have at most about twice `logMaxBytes`. Writing is
 * synchronous, since little is written and the last lines before a crash matter most.
 */
function openBoundedLog(file: string): { write: (chunk: Buffer) => void; close: () => void } {
  let descriptor = openSync(file, "a", 0o600);
  let sizeBytes = fstatSync(descriptor).size;
  return {
    write(chunk) {
      try {
        if (sizeBytes > 0 && sizeBytes + chunk.length > logMaxBytes) {
          renameSync(file, `${file}.1`);
          const next = openSync(file, "a", 0o600);
          closeSync(descriptor);
          [descriptor, sizeBytes] = [next, 0];
        }
        sizeBytes += writeSync(descriptor, chunk);
      } catch {
        // On a full disk only log lines are lost.
      }
    },
    close: () => closeSync(descriptor),
  };
}
