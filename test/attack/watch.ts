import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { send } from "#test/call.ts";
import { parentPort, Worker, workerData } from "node:worker_threads";

// Asks a server over and over, from a thread of its own, how it is and what another service has to say.

export interface WatchPlan {
  readonly address: string;
  /** A list page of a service that is not attacked. */
  readonly list: string;
  readonly token: string;
}

export interface Watched {
  /** Answers of /readyz, by status. */
  readonly readiness: Readonly<Record<string, number>>;
  readonly slowestReadyMs: number;
  readonly listStatuses: Readonly<Record<string, number>>;
  readonly listP99Ms: number;
}

export function startWatch(plan: WatchPlan): { stop(): Promise<Watched> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: plan });
  return {
    async stop() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread is no window
      worker.postMessage("stop");
      const [watched] = (await once(worker, "message")) as [Watched];
      await worker.terminate();
      return watched;
    },
  };
}

const everyMs = 50;
const giveUpMs = 30_000;

interface Answer {
  readonly status: string;
  readonly ms: number;
}

async function ask(address: string, target: string, token?: string): Promise<Answer> {
  const started = performance.now();
  const status = await send(address, "GET", target, { token, signal: AbortSignal.timeout(giveUpMs) }).then(
    (answer) => String(answer.status),
    (error: Error) => error.name,
  );
  return { status, ms: performance.now() - started };
}

const countStatuses = (answers: readonly Answer[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));

const port = parentPort;
if (port !== null) {
  const { address, list, token } = workerData as WatchPlan;
  const over = new AbortController();
  const repeat = async (target: string, own?: string): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (; !over.signal.aborted; await wait(everyMs)) answers.push(await ask(address, target, own));
    return answers;
  };
  const both = Promise.all([repeat("/readyz"), repeat(list, token)]);
  port.once("message", () => {
    over.abort();
    void both.then(([ready, lists]) =>
      port.postMessage({
        readiness: countStatuses(ready),
        slowestReadyMs: Math.max(0, ...ready.map(({ ms }) => ms)),
        listStatuses: countStatuses(lists),
        listP99Ms: lists.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(lists.length * 0.99)] ?? 0,
      } satisfies Watched),
    );
  });
}
