import iconv from "iconv-lite";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "gb18030";

/** Turns bytes into text, a piece at a time. */
export interface PiecewiseDecoder {
  /** @throws {TypeError} for what is no Unicode; of GB18030 it comes as U+FFFD. */
  write(bytes: Buffer): string;
  /** What is left. @throws {TypeError} for half a character. */
  end(): string;
}

/** A byte order mark is no text. */
export function openDecoder(encoding: Encoding): PiecewiseDecoder {
  if (encoding === "gb18030") {
    const decoder = iconv.getDecoder(encoding);
    return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? "" };
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}
