import type { KeyboardEvent } from "react";

const everyKey: ReadonlySet<string> = new Set([..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "Escape"]);

export function pressButton(event: KeyboardEvent<HTMLElement>, known = everyKey): void {
  const { target, currentTarget, key, ctrlKey, metaKey, altKey, repeat } = event;
  const letter = key.length === 1 ? key.toUpperCase() : key;
  if (ctrlKey || metaKey || altKey || repeat || !known.has(letter)) return;
  // React events also bubble from overlays, which are outside the page's element.
  if (!(target instanceof HTMLElement) || !currentTarget.contains(target) || target.matches("input, textarea")) return;
  const button = currentTarget.querySelector<HTMLButtonElement>(`button[aria-keyshortcuts="${letter}"]:enabled`);
  if (!button) return;
  event.preventDefault();
  button.click();
}
