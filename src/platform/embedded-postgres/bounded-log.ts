import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from "node:fs";

/**
 * Opens a file for appending that never takes more than about twice `maxBytes`: a full file becomes `<file>.1` in place
 * of the last one. Writing is synchronous, because little is written and the last lines before an end matter most.
 */
export function openBoundedLog(file: string, maxBytes: number): { write: (chunk: Buffer) => void; close: () => void } {
  let descriptor = openSync(file, "a", 0o600);
  let sizeBytes = statSync(file).size;
  let open = true;
  return {
    write(chunk) {
      if (!open) return;
      if (sizeBytes > 0 && sizeBytes + chunk.length > maxBytes) {
        closeSync(descriptor);
        if (existsSync(file)) renameSync(file, `${file}.1`);
        descriptor = openSync(file, "a", 0o600);
        sizeBytes = 0;
      }
      writeSync(descriptor, chunk);
      sizeBytes += chunk.length;
    },
    close() {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}
