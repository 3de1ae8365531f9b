import { useSyncExternalStore } from "react";

// Preferences such as language, theme and table columns are in local storage; session tokens never are.

const prefix = "quintet.";
/** The values of this page's life, for browsers that block storage. */
const unstored = new Map<string, string>();
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

window.addEventListener("storage", tell);

function read(key: string): string | null {
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    return unstored.get(key) ?? null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value);
  } catch {
    unstored.set(key, value);
  }
  tell();
}

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
