import { useSyncExternalStore } from "react";
import { place } from "#shared/place.ts";

// Whether the server can be reached. A call that fails raises the question, the page itself is asked for to answer it,
// and while it does not come it is asked for again: nobody has to try by hand to learn that the line is back.

const everyMs = 3000;
const patienceMs = 5000;

interface Line {
  readonly isDown: boolean;
  /** When it was last found to have changed, in epoch milliseconds. */
  readonly sinceMs: number;
}

let line: Line = { isDown: false, sinceMs: 0 };
let asking: Promise<void> | undefined;
let wake: (() => void) | undefined;
const listeners = new Set<() => void>();

function keep(isDown: boolean): void {
  if (line.isDown === isDown) return;
  line = { isDown, sinceMs: Date.now() };
  listeners.forEach((listener) => listener());
}

/** The page as the server has it now; undefined when it cannot be reached, or something else answers. */
export async function fetchPage(): Promise<string | undefined> {
  try {
    const answer = await fetch(place.base + place.page, {
      cache: "no-store",
      signal: AbortSignal.timeout(patienceMs),
    });
    const html = answer.ok ? await answer.text() : "";
    // A proxy has pages of its own for a server that is away, and a network that wants a sign-in has them for anything.
    return html.includes('name="quintet"') ? html : undefined;
  } catch {
    return undefined;
  }
}

async function ask(): Promise<void> {
  for (;;) {
    keep((await fetchPage()) === undefined);
    if (!line.isDown) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, everyMs);
    });
  }
}

/** Something got no answer: finds out whether it was the line, and follows it until it is back. */
export function suspectLine(): void {
  wake?.();
  asking ??= ask().finally(() => (asking = undefined));
}

export const trustLine = (): void => keep(false);

window.addEventListener("offline", () => {
  keep(true);
  suspectLine();
});
window.addEventListener("online", suspectLine);

/** Has the listener told when the line goes down or comes back; the result ends it. */
export function onLine(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const currentLine = (): Line => line;

export const useLine = (): Line => useSyncExternalStore(onLine, currentLine);
