import { pino } from "pino";

// Enough to tell what happened once there is room again.
const mostWaitingBytes = 1024 ** 2;

/**
 * Opens a file for lines as pino does, or standard output as 1. Where it cannot be written, as on a full disk, lines wait, and
 * what is over a MiB is dropped; left to pino, the failure would end the process, and its last flush would never end.
 */
export function openLineFile(dest: number | string, { sync = false } = {}) {
  const file = pino.destination({ dest, mkdir: true, sync, maxLength: mostWaitingBytes });
  const flush = file.flushSync.bind(file);
  let isFull = false;
  file.on("error", () => (isFull = true));
  file.on("write", () => (isFull = false));
  file.flushSync = () => {
    if (!isFull) flush();
  };
  return file;
}
