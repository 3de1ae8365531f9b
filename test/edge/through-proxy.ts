import { exchange } from "./connection.ts";
import type { Edge } from "./fuzz.ts";
import { mutateShape, type Random, split } from "./mutate.ts";
import { startProxy } from "./proxy.ts";
import { shapes, smuggled } from "./shapes.ts";

// What is not answered by then, nginx waits for itself.
const waitMs = 1000;

/**
 * Sends shapes, and mutated ones until the time is up, through a proxy: what it hands on as so many requests, the server
 * must not take for more, neither in all nor of those that were hidden in others. Counted from the start on, since a
 * request whose client has gone is logged when it ends.
 */
export async function fuzzThroughProxy(edge: Edge, { random, forMs }: { random: Random; forMs: number }) {
  const proxy = await startProxy(edge.url);
  const endMs = performance.now() + forMs;
  const faults: string[] = [];
  const before = edge.logged.length;
  let [shots, handedOn] = [0, 0];
  const play = async (bytes: string): Promise<void> => {
    // What it hands on is answered by the first of its answers, or later; it waits for the rest of a message for long.
    const pieces = split(Buffer.from(bytes, "latin1"), random);
    await exchange(proxy.url, { pieces, waitMs, mayLeave: () => true });
    shots++;
    const taken = edge.logged.slice(before).flatMap(({ msg, route }) => (msg === "answered" ? [route] : []));
    const given = await proxy.listHandedOn();
    handedOn = given.length;
    const hidden = [taken, given].map((paths) => paths.filter((one) => one === smuggled).length);
    if (taken.length > given.length || (hidden[0] ?? 0) > (hidden[1] ?? 0))
      faults.push(`${JSON.stringify(bytes.slice(0, 1000))}: ${given.length} handed on, ${taken.length} taken`);
  };
  try {
    for (const { bytes } of Object.values(shapes)) await play(bytes);
    while (performance.now() < endMs && faults.length < 20) await play(mutateShape(random));
  } finally {
    await proxy.stop();
  }
  return { shots, handedOn, faults };
}
