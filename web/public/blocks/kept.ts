// What is kept for the tab: who is signed in, what is chosen, what is typed. Another tab knows nothing of it, and a
// shared phone forgets it with the tab.

const prefix = "quintet.";
const memory = new Map<string, string>();

export interface Kept<T> {
  get(): T | undefined;
  set(value: T): void;
  forget(): void;
}

/** @param name such as "library.draft" */
export const openKept = <T>(name: string): Kept<T> => ({
  get: () => read(name) as T | undefined,
  set: (value) => write(name, JSON.stringify(value)),
  forget: () => forget(name),
});

// Storage may be forbidden; then it lasts as long as the page.

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
    // As above.
  }
}

function forget(name: string): void {
  memory.delete(name);
  try {
    sessionStorage.removeItem(prefix + name);
  } catch {
    // As above.
  }
}
