import { setTimeout as delay } from "node:timers/promises";

/** Who follows the changes of disease command as a page does: begins anew when they end. */
export interface Follower {
  /** Tells of a change until one is heard that was told after this call. */
  hears(tell: () => Promise<unknown>): Promise<void>;
  leave(): void;
}

const pauseMs = 100;

export async function followChanges(address: string): Promise<Follower> {
  const over = new AbortController();
  let waiting: (() => void)[] = [];
  const read = async (): Promise<void> => {
    const { body } = await fetch(`${address}/disease-command/changes`, { signal: over.signal });
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? [])
      if (text.includes("data: ")) for (const call of waiting.splice(0)) call();
  };
  const keep = async (): Promise<void> => {
    while (!over.signal.aborted) await read().catch(() => delay(pauseMs));
  };
  void keep();
  return {
    async hears(tell) {
      const heard = new Promise<true>((resolve) => waiting.push(() => resolve(true)));
      while (!(await Promise.race([heard, tell().then(() => delay(pauseMs, false))])));
    },
    leave: () => over.abort(),
  };
}
