import type { Readable } from "node:stream";
import { openTurns, type Turns } from "#platform/jobs/turns.ts";

// What is read from the database while it leaves keeps a connection for as long as its client takes. All of it goes
// through one door, or a few downloads that nobody reads would leave no connection to anybody else.

/**
 * Opens a stream when there is room for one more; it counts until it closes.
 * @throws {Problem} tooManyRequests when there is no room for a second.
 */
export interface StreamDoor {
  (open: () => Readable | Promise<Readable>): Promise<Readable>;
  readonly turns: Pick<Turns, "count">;
}

/** A door for half of a pool's connections. */
export function openStreamDoor(poolConnections: number): StreamDoor {
  const turns = openTurns({
    atOnce: Math.floor(poolConnections / 2),
    mostWaiting: 200,
    // Most answers are gone in less: whoever looks at a page when others do need not hear of it.
    patienceMs: 1000,
    refusal: {
      detail: { zh: "其他导出正在进行，请稍后再试", en: "other exports are running, try again later" },
      headers: { "retry-after": "30" },
    },
  });
  const pass = async (open: () => Readable | Promise<Readable>): Promise<Readable> => {
    const end = await turns.begin();
    try {
      const stream = await open();
      return stream.once("close", end);
    } catch (error) {
      end();
      throw error;
    }
  };
  return Object.assign(pass, { turns });
}
