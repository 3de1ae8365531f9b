import { pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";

export type ArchiveLimits = Pick<SpreadsheetLimits, "maxEntries" | "maxUnpackedBytes" | "maxRatio">;

export type Archive = Awaited<ReturnType<typeof openArchive>>;

// An empty or tiny entry may well unpack to more than 200 times its bytes.
const RATIO_FREE_BYTES = 1024 * 1024;
const ENCRYPTED_FLAG = 1;
const METHOD_STORED = 0;
const METHOD_DEFLATED = 8;

/**
 * Reads the central directory only, and refuses an archive that declares too much of anything, is encrypted, or names
 * files unsafely. The archive is left open to read from; close it. Nothing is unpacked before `readEntry` is called.
 * Errors: `SpreadsheetError`.
 */
export async function openArchive(path: string, limits: ArchiveLimits) {
  const zip = await openPromise(path, { autoClose: false }).catch(refuse);
  try {
    const entries = await listEntries(zip, limits);
    return {
      /** What the directory says of each file, by its name. */
      entries,
      /** The unpacked bytes of an entry, streamed; more of them than the directory declares is a `SpreadsheetError`. */
      readEntry: (name: string) => readEntry(zip, entries.get(name)),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw refuse(error);
  }
}

async function listEntries(zip: ZipFile, limits: ArchiveLimits): Promise<Map<string, Entry>> {
  const { maxEntries, maxUnpackedBytes, maxRatio } = limits;
  if (zip.entryCount > maxEntries) throw new SpreadsheetError("entries", { limit: maxEntries, actual: zip.entryCount });
  const entries = new Map<string, Entry>();
  let unpackedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    if ((entry.generalPurposeBitFlag & ENCRYPTED_FLAG) !== 0) throw new SpreadsheetError("encrypted");
    // yauzl itself refuses "..", absolute paths and backslashes.
    if (entry.fileName === "" || entry.fileName.includes("\0")) throw new SpreadsheetError("unsafe-name");
    const ratio = entry.uncompressedSize / Math.max(entry.compressedSize, 1);
    if (entry.uncompressedSize > RATIO_FREE_BYTES && ratio > maxRatio)
      throw new SpreadsheetError("ratio", { limit: maxRatio, actual: Math.round(ratio) });
    unpackedBytes += entry.uncompressedSize;
    if (unpackedBytes > maxUnpackedBytes) throw new SpreadsheetError("unpacked-bytes", { limit: maxUnpackedBytes });
    // Two entries of one name are how a scanner is shown another file than the reader.
    if (entries.has(entry.fileName)) throw new SpreadsheetError("damaged");
    entries.set(entry.fileName, entry);
  }
  return entries;
}

// yauzl's own decoding stops at the declared size too, but with inflated chunks of 16 KiB; larger ones
// read a third faster, and the count is kept here.
async function* readEntry(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (entry === undefined || ![METHOD_STORED, METHOD_DEFLATED].includes(entry.compressionMethod))
    throw new SpreadsheetError("damaged");
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(refuse);
  // The callback is pipeline's leave to report; the reader of the inflater meets the same error.
  const inflate = (): Readable => pipeline(packed, createInflateRaw({ chunkSize: 64 * 1024 }), () => undefined);
  const unpacked: Readable = entry.compressionMethod === METHOD_STORED ? packed : inflate();
  let count = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      count += chunk.length;
      if (count > entry.uncompressedSize) throw new SpreadsheetError("damaged");
      yield chunk;
    }
  } catch (error) {
    throw refuse(error);
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
  if (count !== entry.uncompressedSize) throw new SpreadsheetError("damaged");
}

// Whatever yauzl or zlib say, a sender can only be told that the file does not read.
function refuse(error: unknown): never {
  throw error instanceof SpreadsheetError ? error : new SpreadsheetError("damaged");
}
