import { setTimeout as delay } from "node:timers/promises";

export type Running = {
  ended: Promise<string>;
  end: () => Promise<void>;
};

export type KeeperOptions = {
  first: Running;
  launch: () => Promise<Running>;
  onLost: (reason: string) => void;
  onBack: () => void;
};

const firstPauseMs = 500;
const mostPauseMs = 15_000;
/** If PostgreSQL ran longer than this, earlier failures are forgotten, so it is restarted without delay. */
const steadyMs = 60_000;

export function keepRunning(options: KeeperOptions): { end: () => Promise<void> } {
  const { first, launch, onLost, onBack } = options;
  const stopping = new AbortController();
  let running = first;
  let failures = 0;

  const startAgain = async (): Promise<Running | undefined> => {
    while (!stopping.signal.aborted) {
      const pauseMs = failures === 0 ? 0 : Math.min(firstPauseMs * 2 ** (failures - 1), mostPauseMs);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) break;
      failures++;
      try {
        return await launch();
      } catch (error) {
        onLost(error instanceof Error ? error.message : "PostgreSQL does not start");
      }
    }
    return undefined;
  };

  const keep = async (): Promise<void> => {
    for (;;) {
      const startedMs = performance.now();
      const ending = await running.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedMs > steadyMs) failures = 0;
      onLost(`PostgreSQL stopped unexpectedly (${ending})`);
      const next = await startAgain();
      if (!next) return;
      running = next;
      if (stopping.signal.aborted) return running.end();
      onBack();
    }
  };

  const kept = keep();
  return {
    async end() {
      stopping.abort();
      await running.end();
      await kept;
    },
  };
}
