import type { Readable } from "node:stream";
import { Problem } from "#platform/problem.ts";

// What is read from the database while it leaves keeps a connection for as long as its client takes. All of it goes
// through one door, or a few downloads that nobody reads would leave no connection to anybody else.

/**
 * Opens a stream when there is room for one more; it counts until it closes.
 * @throws {Problem} tooManyRequests when there is no room for a second.
 */
export type StreamDoor = (open: () => Readable | Promise<Readable>) => Promise<Readable>;

/** Most answers are gone in less: whoever looks at a page when others do need not hear of it. */
const patienceMs = 1000;
const mostWaiting = 200;

/** A door for half of a pool's connections. */
export function openStreamDoor(poolConnections: number): StreamDoor {
  let free = Math.floor(poolConnections / 2);
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    const [next] = waiting;
    if (next) next();
    else free++;
  };
  const enter = async (): Promise<void> => {
    if (free > 0) return void free--;
    if (waiting.size >= mostWaiting) throw crowded();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const impatience = setTimeout(() => {
      waiting.delete(admit);
      reject(crowded());
    }, patienceMs);
    const admit = (): void => {
      clearTimeout(impatience);
      waiting.delete(admit);
      resolve();
    };
    waiting.add(admit);
    await promise;
  };
  return async (open) => {
    await enter();
    try {
      const stream = await open();
      return stream.once("close", giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  };
}

function crowded(): Problem {
  const detail = { zh: "其他导出正在进行，请稍后再试", en: "other exports are running, try again later" };
  return new Problem("tooManyRequests", { detail, headers: { "retry-after": "30" } });
}
