// The feed reads the stream without EventSource, which would hide the heartbeat comments. Without heartbeats, an idle
// stream and a dead stream look the same.

/** The server sends a heartbeat every 5 s, of which one may be late or missing. */
const silentMs = 12_000;
/**
 * After an interruption the browser first reuses up to five dead pooled connections, so the next five attempts have the
 * shorter timeout and no pause between them.
 */
const openingMs = 8000;
const keptOpeningMs = 2000;
const mostKept = 5;
/** A read may be stuck on a dead pooled connection too, so its first attempt has a short timeout. */
const readingMs = [5000, 60_000] as const;
const pauseMs = 1000;
const pauseSpreadMs = 2000;
/** Several changes of one transaction cause one read. */
const togetherMs = 100;
/** Under a flood of changes the feed starts at most two reads a second. */
const betweenReadsMs = 500;

export interface Source<T> {
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
  /** The time when the data shown was last current, in epoch milliseconds; undefined before the first read. */
  | { readonly kind: "cut"; readonly untilMs: number | undefined };

export interface Feed {
  readonly refresh: () => void;
  readonly retry: () => void;
  readonly stop: () => void;
}

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
    // The data is current unless a change is still being read.
    if (hasRead && reads.isQuiet()) wasTrue();
  };
  const follow = async () => {
    try {
      await source.follow({ signal, opened: reads.ask, heard, changed: reads.ask });
    } catch {
      // The feed reconnects however the stream ends.
    }
    end();
    clearTimeout(silence);
    reads.stop();
    return outcome;
  };
  return { ended: follow(), refresh: reads.ask, end };
}

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

/** Only one read runs at a time, and there is a minimum interval between the starts of two reads. */
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
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    end = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return { over, end };
}

/** Unchanged fields keep their old objects, so that their memoized panels do not render again. */
export function keepUnchanged<T extends object>(before: T | undefined, read: T): T {
  if (!before) return read;
  const kept = Object.entries(read).map(([name, part]) => {
    const last: unknown = before[name as keyof T];
    return [name, JSON.stringify(last) === JSON.stringify(part) ? last : part];
  });
  return Object.fromEntries(kept) as T;
}
