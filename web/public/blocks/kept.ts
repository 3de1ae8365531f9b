// Identity, choices and drafts are in session storage, which the browser deletes when the tab closes.

const prefix = "quintet.";
const memory = new Map<string, string>();

export interface Kept<T> {
  get(): T | undefined;
  set(value: T): void;
  forget(): void;
}

export const openKept = <T>(name: string): Kept<T> => ({
  get: () => read(name) as T | undefined,
  set: (value) => write(name, JSON.stringify(value)),
  forget: () => forget(name),
});

// If storage is blocked, the value lasts as long as the page.

function read(name: string): unknown {
  try {
    return JSON.parse(memory.get(name) ?? sessionStorage.getItem(prefix + name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, text: string): void {
  memory.set(name, text);
  try {
    sessionStorage.setItem(prefix + name, text);
  } catch {
    // Storage may be blocked.
  }
}

function forget(name: string): void {
  memory.delete(name);
  try {
    sessionStorage.removeItem(prefix + name);
  } catch {
    // Storage may be blocked.
  }
}
