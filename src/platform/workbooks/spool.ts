import { type FileHandle, open } from "node:fs/promises";
import type { Arrival } from "#platform/files/arrivals.ts";

/** Texts that wait in a file of their own, in the order in which they came. */
export interface Spool {
  /** @throws {Problem} notAllowedNow when there is no room. */
  add(text: string): Promise<void>;
  /** The texts as they were added; may be asked for again. */
  read(): AsyncGenerator<string>;
  /** Nothing is left of it. */
  remove(): Promise<void>;
}

/** Opens a spool. */
export async function openSpool(arrival: Arrival): Promise<Spool> {
  const file = await open(arrival.path, "wx+", 0o600);
  const lengths: number[] = [];
  let end = 0;
  return {
    async add(text) {
      const bytes = Buffer.from(text);
      if (bytes.length === 0) return;
      arrival.take(bytes.length);
      await writeAll(file, bytes, end);
      lengths.push(bytes.length);
      end += bytes.length;
    },
    async *read() {
      let at = 0;
      for (const length of lengths) {
        yield (await readAll(file, length, at)).toString();
        at += length;
      }
    },
    async remove() {
      await file.close();
      await arrival.end();
    },
  };
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function readAll(file: FileHandle, length: number, position: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Error("a spool is shorter than what was added");
    done += bytesRead;
  }
  return bytes;
}
