import { pino } from "pino";

// Lines of this many bytes in total are enough to diagnose a full disk once there is space again.
const mostWaitingBytes = 1024 ** 2;

/**
 * Opens a destination for pino. While writing fails, for example on a full disk, up to 1 MiB of lines is buffered and
 * the rest is dropped. By default, pino would end the process, and would hang in its last flush.
 * @param dest a path, or 1 for standard output
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
