import type { Readable } from "node:stream";
import { Problem } from "#platform/problem.ts";

// What is read from the database while it leaves keeps a connection for as long as its client takes. All of it goes
// through one door, or a few downloads that nobody reads would leave no connection to anybody else.

/** Opens a stream when there is room for one more; it counts until it closes. @throws {Problem} tooManyRequests. */
export type StreamDoor = (open: () => Readable | Promise<Readable>) => Promise<Readable>;

/** A door for half of a pool's connections. */
export function openStreamDoor(poolConnections: number): StreamDoor {
  const most = Math.floor(poolConnections / 2);
  let running = 0;
  return async (open) => {
    if (running >= most) throw crowded();
    running++;
    try {
      const stream = await open();
      return stream.once("close", () => running--);
    } catch (error) {
      running--;
      throw error;
    }
  };
}

function crowded(): Problem {
  const detail = { zh: "其他导出正在进行，请稍后再试", en: "other exports are running, try again later" };
  return new Problem("tooManyRequests", { detail, headers: { "retry-after": "30" } });
}
