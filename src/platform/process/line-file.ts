import { pino } from "pino";

// Enough to diagnose what happened once there is space again.
const mostWaitingBytes = 1024 ** 2;

/**
 * Opens a log file, or standard output as 1. While writing fails, for example on a full disk, up to a MiB is buffered
 * and the rest dropped; pino alone would end the process and hang in its last flush.
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
