import { escapeCopyText } from "#platform/database/copy-text.ts";

// Texts for COPY. They are kept as their UTF-8 bytes in Latin-1, one character a byte, so that a line becomes bytes by a
// plain copy.

// oxlint-disable-next-line no-control-regex -- bytes beyond ASCII are what the test is for
const NOT_ASCII = /[^\0-\x7f]/;

/** The value of one column: escaped, as UTF-8 bytes in Latin-1. */
export function toCopyValue(text: string): string {
  const escaped = escapeCopyText(text);
  return NOT_ASCII.test(escaped) ? Buffer.from(escaped).toString("latin1") : escaped;
}

/** `toCopyValue` without the spaces around it. */
export const toCopyText = (text: string): string => toCopyValue(text.trim());

/** Gathers lines put together from such values as bytes. */
export interface CopyBatch {
  add(line: string): void;
  readonly bytes: () => number;
  /** The lines so far, in memory of their own that can be handed to another thread; the batch is empty again. */
  take(): Uint8Array<ArrayBuffer>;
}

/** A batch that takes `roomBytes` before it has to grow. Each line is written at once: as one long text they cost the collector a second in a million. */
export function openCopyBatch(roomBytes: number): CopyBatch {
  let buffer = Buffer.allocUnsafeSlow(roomBytes);
  let used = 0;
  return {
    add(line) {
      if (used + line.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow((used + line.length) * 2);
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      used += buffer.write(line, used, "latin1");
    },
    bytes: () => used,
    take() {
      const taken = new Uint8Array(buffer.buffer, 0, used);
      [buffer, used] = [Buffer.allocUnsafeSlow(roomBytes), 0];
      return taken;
    },
  };
}
