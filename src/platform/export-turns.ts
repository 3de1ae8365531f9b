import type { Readable } from "node:stream";
import { Problem } from "#platform/problem.ts";

// An export reads with a cursor, which keeps a database connection for as long as its client takes to download. Were
// there no limit, a few stalled downloads would leave none to anybody else.

let running = 0;

/**
 * Opens an export when fewer than half of the pool's connections serve one already; it counts until its stream closes.
 * @throws {Problem} tooManyRequests.
 */
export async function openExport(poolConnections: number, open: () => Promise<Readable>): Promise<Readable> {
  if (running >= Math.floor(poolConnections / 2)) {
    const detail = { zh: "其他导出正在进行，请稍后再试", en: "other exports are running, try again later" };
    throw new Problem("tooManyRequests", { detail, headers: { "retry-after": "30" } });
  }
  running++;
  try {
    const stream = await open();
    return stream.once("close", () => running--);
  } catch (error) {
    running--;
    throw error;
  }
}
