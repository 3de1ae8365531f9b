import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Pool } from "#platform/database/index.ts";
import type { TestApp } from "#test/app.ts";
import { until } from "#test/until.ts";
import { type Callers, createCallers, makeLogin } from "./callers.ts";
import { answerTimeoutMs, endConnections, exchange } from "./exchange.ts";
import { judge, type Law, makeLaw } from "./judge.ts";
import { createMemory, type Memory } from "./known.ts";
import { goodShotsAt, listOperations, type Operation, type Shot, shotsAt, toWire, type Wire } from "./shot.ts";

export interface DriveOptions {
  readonly app: Pick<TestApp, "url" | "pool" | "dataDir" | "logged" | "call">;
  readonly contracts: readonly ServiceContract[];
  /**
   * The seed determines the random requests and their sequence, except for values that are known only in a run, such as
   * ids and tokens.
   */
  readonly seed: number;
  readonly seconds: number;
  /** Values that are known from the start, by service and field, such as codes of an outside platform. */
  readonly known?: Readonly<Record<string, unknown>>;
}

export interface Finding {
  readonly operation: string;
  readonly fault: string;
  readonly request: string;
  readonly bytes: number;
  times: number;
}

interface Tally {
  readonly answered: number;
  readonly succeeded: number;
}

export interface Report {
  readonly requests: number;
  readonly byOperation: ReadonlyMap<string, Tally>;
  readonly findings: readonly Finding[];
}

interface Run {
  readonly options: DriveOptions;
  readonly law: Law;
  readonly memory: Memory;
  readonly callers: Callers;
  readonly byOperation: Map<string, Tally>;
  readonly findings: Map<string, Finding>;
}

const mostAtOnce = 8;

/**
 * Drives every operation with valid and invalid requests. Three valid requests for each operation come first, to create
 * records, and three more for each operation that has not succeeded. Then random requests run concurrently until the
 * time is up. Returns the counts of requests and the faults.
 */
export async function drive(options: DriveOptions): Promise<Report> {
  const { app, contracts, seed, seconds } = options;
  const law = makeLaw(contracts, [app.dataDir, process.cwd(), ...(homedir().length > 1 ? [homedir()] : [])]);
  const run: Run = {
    options,
    law,
    memory: createMemory(),
    callers: createCallers(app.pool, contracts),
    byOperation: new Map(),
    findings: new Map(),
  };
  const isDeletion = ({ endpoint }: Operation): boolean => endpoint.method === "DELETE";
  // Deletions are driven last, so that the other operations find records to read and change.
  const operations = listOperations(contracts).toSorted(
    (one, other) => Number(isDeletion(one)) - Number(isDeletion(other)),
  );
  for (const [service, values] of Object.entries(options.known ?? {})) run.memory.learn(service, values);
  const endMs = performance.now() + seconds * 1000;
  for (const operation of operations) {
    await fireWell(run, operation, seed);
    if (isLogin(operation)) await fireLogin(run, operation);
  }
  for (const operation of operations)
    if (!run.byOperation.get(keyOf(operation))?.succeeded) await fireWell(run, operation, seed + 1);
  await fireAtRandom(run, operations, { seed, endMs });
  await checkAfterwards(run);
  endConnections();
  const requests = [...run.byOperation.values()].reduce((sum, { answered }) => sum + answered, 0);
  return { requests, byOperation: run.byOperation, findings: [...run.findings.values()] };
}

const keyOf = ({ contract, name }: Operation): string => `${contract.name}/${name}`;

async function fireWell(run: Run, operation: Operation, seed: number): Promise<void> {
  await Promise.all(fc.sample(goodShotsAt(operation), { numRuns: 3, seed }).map((shot) => fire(run, shot)));
}

const isLogin = ({ endpoint: { access, url } }: Operation): boolean =>
  access.who === "anyone" && access.limit === "login" && url.endsWith("/login");

/** A login needs a name with its own password, which random requests would not pair. */
async function fireLogin(run: Run, operation: Operation): Promise<void> {
  const body = await makeLogin(run.options.app.pool, operation.contract.name);
  for (const shot of fc.sample(goodShotsAt(operation), { numRuns: 2, seed: run.options.seed }))
    await fire(run, { ...shot, parts: { body } });
}

async function fireAtRandom(
  run: Run,
  operations: readonly Operation[],
  { seed, endMs }: { seed: number; endMs: number },
): Promise<void> {
  const shots = fc.array(fc.oneof(...operations.map(shotsAt)), { minLength: 1, maxLength: mostAtOnce });
  const property = fc.asyncProperty(shots, async (volley) => {
    await Promise.all(volley.map((shot) => fire(run, shot)));
    searchLog(run);
  });
  // fast-check fails if no run of the property ends within the limit, and on a slow machine one run may take more than
  // a second, so the limit is at least five seconds.
  const interruptAfterTimeLimit = Math.max(5000, endMs - performance.now());
  await fc.assert(property, { seed, numRuns: 100_000_000, interruptAfterTimeLimit });
}

async function fire(run: Run, shot: Shot): Promise<void> {
  const { contract } = shot.operation;
  const key = keyOf(shot.operation);
  const { token, headers } = await run.callers.prove(shot.caller, shot.operation, shot.spelling);
  const wire = toWire(shot, run.memory.recall(shot.operation), headers);
  const verdict = judge(run.law, shot, wire, token, await exchange(run.options.app.url, wire));
  const tally = run.byOperation.get(key) ?? { answered: 0, succeeded: 0 };
  run.byOperation.set(key, { answered: tally.answered + 1, succeeded: tally.succeeded + Number(verdict.succeeded) });
  for (const fault of verdict.faults) note(run, key, fault, wire);
  if (verdict.code === contract.problems.tokenInvalid.code) run.callers.forget(token);
  const { notFound, paymentNotFound, orderNotFound } = contract.problems;
  if ([notFound, paymentNotFound, orderNotFound].some(({ code }) => code === verdict.code))
    run.memory.forget(shot.operation, wire.sent);
  if (verdict.succeeded) run.memory.learnSuccess(shot.operation, wire.sent, verdict.data);
}

function note({ findings }: Run, operation: string, fault: string, wire?: Wire): void {
  const bytes = wire ? wire.path.length + (wire.body?.length ?? 0) : 0;
  const key = `${operation} ${fault.slice(0, 60)}`;
  const known = findings.get(key);
  if (known && known.bytes <= bytes) known.times++;
  else findings.set(key, { operation, fault, request: wire ? show(wire) : "", bytes, times: (known?.times ?? 0) + 1 });
}

const show = ({ method, path: target, headers, body, cut }: Wire): string =>
  [
    `${method} ${target.slice(0, 500)}`,
    JSON.stringify({ ...headers, ...(cut && { cut }) }).slice(0, 600),
    body?.subarray(0, 800).toString() ?? "",
  ].join("\n");

function searchLog(run: Run): void {
  const { logged } = run.options.app;
  const failures = logged.filter(({ level }) => Number(level) >= 50);
  for (const line of failures)
    note(
      run,
      String(line["route"] ?? "log"),
      `logged as an error: ${JSON.stringify({ ...line, time: 0, reqId: 0, pid: 0 }).slice(0, 900)}`,
    );
  const text = JSON.stringify(logged);
  if ([...run.callers.issued].some((token) => text.includes(token))) note(run, "log", "a token stands in the log");
  logged.length = 0;
}

async function checkAfterwards(run: Run): Promise<void> {
  const { app } = run.options;
  const ready = await app.call("GET", "/readyz");
  if (ready.status !== 200) note(run, "/readyz", `${ready.status} after the run: ${ready.text}`);
  let left = "";
  const isClean = async (): Promise<boolean> => {
    const { statements, arriving } = await countLeft(app);
    left = `${statements} transactions and ${arriving} arriving files are left`;
    return statements + arriving === 0;
  };
  await until("nothing is left", isClean, { withinMs: answerTimeoutMs }).catch(() => note(run, "afterwards", left));
  searchLog(run);
}

export async function countLeft({ pool, dataDir }: { pool: Pool; dataDir: string }) {
  const [row] = await pool<{ statements: number }[]>`
    select count(*)::int as statements from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and backend_type = 'client backend'`;
  return {
    statements: row?.statements ?? 0,
    arriving: (await readdir(path.join(dataDir, "files", "arriving"))).length,
  };
}

export const describeFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ operation, fault, request, times }) => `\n${operation}: ${fault} (${times} times)\n${request}`)
    .join("\n");
