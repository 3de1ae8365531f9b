import { useSyncExternalStore } from "react";
import { place } from "#shared/place.ts";

// After a call without a response from the server, the page's own address is requested until it loads, so that nobody
// has to retry by hand.

const everyMs = 3000;
const patienceMs = 5000;

interface Line {
  readonly isDown: boolean;
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

/** Returns the page's current HTML, or undefined if the server does not send it. */
export async function fetchPage(): Promise<string | undefined> {
  try {
    const answer = await fetch(place.base + place.page, {
      cache: "no-store",
      signal: AbortSignal.timeout(patienceMs),
    });
    const html = answer.ok ? await answer.text() : "";
    // A proxy or a captive portal may answer with HTML of its own.
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

export function onLine(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const currentLine = (): Line => line;

export const useLine = (): Line => useSyncExternalStore(onLine, currentLine);
