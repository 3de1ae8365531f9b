// How the wall stays true: it follows the changes, and reads everything anew when there are any. EventSource would hide
// the comments of a silent stream, without which silence and a cut line look the same.

/** Nothing heard for so long: the line is cut. The server says something every 5 s, and is allowed to be late once. */
const silentMs = 12_000;
/**
 * So long may a line take to open; together with a pause, so long may one that is back go unnoticed. After a cut the
 * browser first tries, one by one, the up to five connections that it has kept from before, which nobody answers any
 * more: they are given up sooner, and without a pause.
 */
const openingMs = 8000;
const keptOpeningMs = 2000;
const mostKept = 5;
/** An answer may be waited for on such a connection too. */
const readingMs = [5000, 60_000] as const;
const pauseMs = 1000;
const pauseSpreadMs = 2000;
/** Several changes of one transaction arrive together, and are read at once. */
const togetherMs = 100;
/** A flood of changes is read twice a second: more than that nobody can follow, and it is shown within two. */
const betweenReadsMs = 500;

/** What the feed stands on. Both are given up when the signal says so. */
export interface Source<T> {
  /** Follows the changes until the line ends, in whatever way: resolves or rejects. */
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
  /** What was read last was so until then, in epoch milliseconds; undefined when nothing was ever read. */
  | { readonly kind: "cut"; readonly untilMs: number | undefined };

export interface Feed {
  readonly refresh: () => void;
  /** The line may be back, or gone: it is tried at once. */
  readonly retry: () => void;
  readonly stop: () => void;
}

/** Follows until it is stopped; tells what was read, and that the line is cut, each time it happens. */
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

/** One line, from its opening to its end: it ends when it is silent, and when what it tells of cannot be read. */
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
    // Unless a change is being read, what was read is still so.
    if (hasRead && reads.isQuiet()) wasTrue();
  };
  const follow = async () => {
    try {
      await source.follow({ signal, opened: reads.ask, heard, changed: reads.ask });
    } catch {
      // However it ended, it is opened anew.
    }
    end();
    clearTimeout(silence);
    reads.stop();
    return outcome;
  };
  return { ended: follow(), refresh: reads.ask, end };
}

/** Reads, and once more when no answer comes. @throws what reading throws, or that no answer came. */
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

/** Reads when it is asked to: once for many who ask together, never two at once, and not too often. */
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

/** What was read, with the parts that have not changed as they were: what shows them has nothing to do then. */
export function keepUnchanged<T extends object>(before: T | undefined, read: T): T {
  if (!before) return read;
  const kept = Object.entries(read).map(([name, part]) => {
    const last: unknown = before[name as keyof T];
    return [name, JSON.stringify(last) === JSON.stringify(part) ? last : part];
  });
  return Object.fromEntries(kept) as T;
}
