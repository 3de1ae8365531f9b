// Keeps the wall current by following a change stream and re-reading on each change. EventSource would hide the
// heartbeat comments, without which an idle stream and a dead one look the same.

/** The heartbeat timeout. The server sends one every 5 s and may miss one. */
const silentMs = 12_000;
/**
 * Timeouts of opening a stream. After a cut the browser first reuses up to five pooled connections, all of them dead;
 * these get a shorter timeout and no pause.
 */
const openingMs = 8000;
const keptOpeningMs = 2000;
const mostKept = 5;
/** A read may also be stuck on a dead pooled connection. */
const readingMs = [5000, 60_000] as const;
const pauseMs = 1000;
const pauseSpreadMs = 2000;
/** Batches the several changes of one transaction. */
const togetherMs = 100;
/** At most two reads a second under a flood of changes; each change is shown within two seconds. */
const betweenReadsMs = 500;

/** The feed's transport. Both calls end when the signal aborts. */
export interface Source<T> {
  /** Follows the changes until the stream ends: resolves or rejects. */
  readonly follow: (line: Line) => Promise<void>;
  readonly read: (signal: AbortSignal) => Promise<T>;
}

export interface Line {
  readonly signal: AbortSignal;
  readonly opened: () => void;
  readonly heard: () => void;
  readonly changed: () => void;
}

export type News<T> =
  | { readonly kind: "read"; readonly data: T }
  /** Until when the last data was current, in epoch milliseconds; undefined before the first read. */
  | { readonly kind: "cut"; readonly untilMs: number | undefined };

export interface Feed {
  readonly refresh: () => void;
  /** Retries at once, since the network's state may have changed. */
  readonly retry: () => void;
  readonly stop: () => void;
}

/** Follows until stopped; reports each new data and each cut. */
export function startFeed<T>(source: Source<T>, tell: (news: News<T>) => void): Feed {
  let stopped = false;
  let line: OpenLine | undefined;
  let pause: { readonly end: () => void; readonly over: Promise<void> } | undefined;
  let untilMs: number | undefined;
  let unanswered = 0;
  const attend = async (): Promise<Outcome> => {
    line = openLine(source, {
      patienceMs: unanswered > 0 && unanswered <= mostKept ? keptOpeningMs : openingMs,
      read: (data) => tell({ kind: "read", data }),
      wasTrue: () => (untilMs = Date.now()),
    });
    const outcome = await line.ended;
    if (!stopped) tell({ kind: "cut", untilMs });
    return outcome;
  };
  const run = async () => {
    for (;;) {
      const outcome = await attend();
      unanswered = outcome === "silent" ? unanswered + 1 : 0;
      if (stopped) return;
      if (unanswered > 0 && unanswered <= mostKept) continue;
      pause = startPause(pauseMs + Math.random() * pauseSpreadMs);
      await pause.over;
      if (stopped) return;
    }
  };
  void run();
  return {
    refresh: () => line?.refresh(),
    retry: () => {
      line?.end();
      pause?.end();
    },
    stop: () => {
      stopped = true;
      line?.end();
      pause?.end();
    },
  };
}

type Outcome = "silent" | "ended";

interface OpenLine {
  readonly ended: Promise<Outcome>;
  readonly refresh: () => void;
  readonly end: () => void;
}

interface LineNeeds<T> {
  readonly patienceMs: number;
  readonly read: (data: T) => void;
  readonly wasTrue: () => void;
}

/** One stream, from opening to end; it ends by the heartbeat timeout, or if a change cannot be read. */
function openLine<T>(source: Source<T>, { patienceMs, read, wasTrue }: LineNeeds<T>): OpenLine {
  const abort = new AbortController();
  const { signal } = abort;
  const end = () => abort.abort();
  let hasRead = false;
  const reads = startReads(async () => {
    const data = await readWithin(source.read, signal);
    if (signal.aborted) return;
    hasRead = true;
    wasTrue();
    read(data);
  }, end);
  let outcome: Outcome = "ended";
  const silent = () => {
    outcome = "silent";
    end();
  };
  let silence = setTimeout(silent, patienceMs);
  const heard = () => {
    clearTimeout(silence);
    if (signal.aborted) return;
    silence = setTimeout(silent, silentMs);
    // Data stays current unless a change is being fetched.
    if (hasRead && reads.isQuiet()) wasTrue();
  };
  const follow = async () => {
    try {
      await source.follow({ signal, opened: reads.ask, heard, changed: reads.ask });
    } catch {
      // Any end leads to a reconnect.
    }
    end();
    clearTimeout(silence);
    reads.stop();
    return outcome;
  };
  return { ended: follow(), refresh: reads.ask, end };
}

/** Reads, with one retry after a timeout. @throws what reading throws, or that no answer came. */
async function readWithin<T>(read: Source<T>["read"], signal: AbortSignal): Promise<T> {
  for (const ms of readingMs) {
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    const timer = setTimeout(giveUp, ms);
    signal.addEventListener("abort", giveUp);
    try {
      return await read(attempt.signal);
    } catch (error) {
      if (signal.aborted || !attempt.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }
  throw new Error("no answer");
}

/** Coalesces reads: single flight, with a minimum interval. */
function startReads(read: () => Promise<void>, failed: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  let asked = false;
  let lastMs = -Infinity;
  let stopped = false;
  const ask = () => {
    if (stopped) return;
    asked = true;
    if (reading || timer !== undefined) return;
    timer = setTimeout(begin, Math.max(togetherMs, lastMs + betweenReadsMs - Date.now()));
  };
  const begin = () => void run().catch(failed);
  const run = async () => {
    timer = undefined;
    asked = false;
    reading = true;
    lastMs = Date.now();
    try {
      await read();
    } finally {
      reading = false;
    }
    if (asked) ask();
  };
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { ask, stop, isQuiet: () => !reading && !asked };
}

function startPause(ms: number) {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => {
    clearTimeout(timer);
    resolve();
  };
  return { over, end };
}

/** Reuses the unchanged parts of the old data, so that memoized panels do not re-render. */
export function keepUnchanged<T extends object>(before: T | undefined, read: T): T {
  if (!before) return read;
  const kept = Object.entries(read).map(([name, part]) => {
    const last: unknown = before[name as keyof T];
    return [name, JSON.stringify(last) === JSON.stringify(part) ? last : part];
  });
  return Object.fromEntries(kept) as T;
}
