// What is kept for the tab: who is signed in, what is chosen, what is typed. Another tab knows nothing of it, and a
// shared phone forgets it with the tab.

const prefix = "quintet.tuition.";
const memory = new Map<string, string>();

export function keep(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  memory.set(key, text);
  try {
    sessionStorage.setItem(prefix + key, text);
  } catch {
    // Storage may be forbidden; then it lasts as long as the page.
  }
}

export function forget(...keys: string[]): void {
  for (const key of keys) {
    memory.delete(key);
    try {
      sessionStorage.removeItem(prefix + key);
    } catch {
      // As above.
    }
  }
}

export function kept<T>(key: string): T | undefined {
  const text = memory.get(key) ?? read(key);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function read(key: string): string | undefined {
  try {
    return sessionStorage.getItem(prefix + key) ?? undefined;
  } catch {
    return undefined;
  }
}
