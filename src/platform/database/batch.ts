import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";

export interface BatchOptions<Item> {
  readonly most?: number;
  readonly weightOf?: (item: Item) => number;
  /** Items with the same key are processed one at a time, first come first served. */
  readonly keyOf?: (item: Item) => string;
  /** Waits until the end of the event loop's turn, so that the batch includes everything added in that turn. */
  readonly awaitsRound?: boolean;
  /** After a batch, waits this many ms for more items, unless a full batch is already waiting. */
  readonly pauseMs?: (items: readonly Item[]) => number;
  /**
   * A batch that takes longer than this many ms is presumed to wait for a lock, and the next one starts without waiting
   * for it. At most four batches run concurrently.
   */
  readonly lateMs?: number;
  /** The items of a failed batch are retried one by one, so that only the faulty ones fail. */
  readonly retriesSingly?: boolean;
}

type Work<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

const maxConcurrent = 4;

/**
 * Combines the items that arrive while a batch runs, or in the pause after it, into the next batch, so that under load
 * one statement serves many callers. An item that arrives at any other time starts a batch at once, or with
 * `awaitsRound` at the end of the turn.
 */
export function batch<Item, Answer>(
  work: Work<Item, Answer>,
  options: BatchOptions<Item> = {},
): (item: Item) => Promise<Answer> {
  const { most = 200, awaitsRound, pauseMs, lateMs } = options;
  const { take, leave } = openSelector<Item>(options);
  const waiting: Waiting<Item, Answer>[] = [];
  let running = 0;
  const drain = async (): Promise<void> => {
    running++;
    if (awaitsRound) await nextRound();
    for (let taken = take(waiting); taken.length > 0; taken = take(waiting)) {
      const late = lateMs && setTimeout(() => void (running < maxConcurrent && drain()), lateMs);
      await runBatch(work, taken, options.retriesSingly);
      clearTimeout(late);
      const items = taken.map(({ item }) => item);
      leave(items);
      const ms = pauseMs?.(items) ?? 0;
      if (ms > 0 && waiting.length < most) await delay(ms);
    }
    running--;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running === 0) void drain();
    });
}

export function batchByPool<Pool extends object, Item, Answer>(
  work: (pool: Pool, items: readonly Item[]) => Promise<readonly Answer[]>,
): (pool: Pool, item: Item) => Promise<Answer> {
  const byPool = new WeakMap<Pool, (item: Item) => Promise<Answer>>();
  return (pool, item) => {
    let add = byPool.get(pool);
    if (!add) byPool.set(pool, (add = batch((items) => work(pool, items))));
    return add(item);
  };
}

function openSelector<Item>({ most = 200, weightOf = () => 1, keyOf }: BatchOptions<Item>) {
  const underWay = new Set<string>();
  const takeApart = <One extends { readonly item: Item }>(waiting: One[]): One[] => {
    const taken: One[] = [];
    let weight = 0;
    const left = waiting.filter((one) => {
      const key = keyOf?.(one.item) ?? "";
      if (weight >= most || underWay.has(key)) return true;
      underWay.add(key);
      weight += weightOf(one.item);
      taken.push(one);
      return false;
    });
    waiting.length = 0;
    for (const one of left) waiting.push(one);
    return taken;
  };
  return {
    take: keyOf ? takeApart : <One>(waiting: One[]): One[] => waiting.splice(0, most),
    leave: (items: readonly Item[]) => keyOf && items.forEach((item) => underWay.delete(keyOf(item))),
  };
}

async function runBatch<Item, Answer>(
  work: Work<Item, Answer>,
  taken: readonly Waiting<Item, Answer>[],
  isolates: boolean | undefined,
): Promise<void> {
  try {
    const answers = await work(taken.map(({ item }) => item));
    for (const [index, { resolve }] of taken.entries()) resolve(answers[index] as Answer);
  } catch (error) {
    if (isolates && taken.length > 1) for (const one of taken) await runBatch(work, [one], isolates);
    else for (const { reject } of taken) reject(error);
  }
}
