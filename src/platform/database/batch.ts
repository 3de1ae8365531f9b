import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";

export interface BatchOptions<Item> {
  /** So many go together; one more waits for the next. */
  readonly most?: number;
  /** For how many an item counts; left out, one. */
  readonly weightOf?: (item: Item) => number;
  /** Of one key no two are under way at a time, and they go in the order in which they came. */
  readonly keyOf?: (item: Item) => string;
  /** Whatever comes in the same round of the event loop goes along. */
  readonly awaitsRound?: boolean;
  /** For how long more are awaited after a batch, in ms, unless as many wait as may go together. */
  readonly pauseMs?: (items: readonly Item[]) => number;
  /** A batch that takes so long, in ms, waits for a lock, and lets another go beside it; at most four do. */
  readonly lateMs?: number;
  /** Of a batch that fails each item is tried by itself, which shows who is to blame. */
  readonly retriesSingly?: boolean;
}

/** Answers in the order of the items; none where nobody waits for any. */
type Work<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

const maxConcurrent = 4;

/**
 * Joins what comes while one batch is under way: all of it is the next, so under load a statement does the work of many.
 * Who comes alone waits for nobody, and none shares a batch that began before it came.
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

/** Takes the next ones out of those who wait; whose key is under way stays. */
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
