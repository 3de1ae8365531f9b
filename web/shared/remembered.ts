import { useSyncExternalStore } from "react";

// Preferences in local storage: language, theme, table columns. Never session data.

const prefix = "quintet.";
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

// Another tab changed a preference.
window.addEventListener("storage", tell);

function read(key: string): string | null {
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    // Storage may be blocked; the choice then lives as long as the page.
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value);
  } catch {
    // Storage may be blocked.
  }
  tell();
}

/** A persistent preference and its setter. */
export function useRemembered<T>(key: string, standard: T): readonly [T, (value: T) => void] {
  const text = useSyncExternalStore(subscribe, () => read(key));
  return [parse(text, standard), (value) => write(key, JSON.stringify(value))];
}

export const recall = <T>(key: string, standard: T): T => parse(read(key), standard);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function parse<T>(text: string | null, standard: T): T {
  if (text === null) return standard;
  try {
    return JSON.parse(text) as T;
  } catch {
    return standard;
  }
}
