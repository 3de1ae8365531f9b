/** A log destination, like pino's own. */
export interface LineTarget {
  write(text: string): unknown;
  flushSync(): void;
}

const maxCharacters = 8192;
const maxDelayMs = 250;

/**
 * Batches log lines for up to a quarter of a second; single writes took a fifteenth of a request's time. pino's
 * `minLength` re-measures its whole buffer for every line, which was a quarter of a small request's memory.
 */
export function batchLines(target: LineTarget): LineTarget {
  let lines: string[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  const pass = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length === 0) return;
    const text = lines.join("");
    lines = [];
    characters = 0;
    target.write(text);
  };
  return {
    write(line) {
      lines.push(line);
      characters += line.length;
      if (characters >= maxCharacters) pass();
      else timer ??= setTimeout(pass, maxDelayMs).unref();
    },
    flushSync() {
      pass();
      target.flushSync();
    },
  };
}
