import { pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { openPromise } from "yauzl";
import type { Entry, ZipFile } from "yauzl";
import type { SpreadsheetLimits } from "./limits.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

export type ArchiveLimits = Pick<SpreadsheetLimits, "maxEntries" | "maxUnpackedBytes" | "maxRatio">;

export type ArchiveEntry = {
  readonly name: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
};

/** A zip archive whose directory was found sound. Nothing is unpacked before `readEntry` is called. */
export type Archive = {
  readonly entries: readonly ArchiveEntry[];
  has(name: string): boolean;
  /** The unpacked bytes of an entry, streamed; more of them than the directory declares is a `SpreadsheetError`. */
  readEntry(name: string): AsyncGenerator<Buffer>;
  close(): void;
};

// An empty or tiny entry may well unpack to more than 200 times its bytes.
const RATIO_FREE_BYTES = 1024 * 1024;
const ENCRYPTED_FLAG = 1;
const METHOD_STORED = 0;
const METHOD_DEFLATED = 8;

/**
 * Reads the central directory only, and refuses an archive that declares too much of anything, is
 * encrypted, or names files unsafely.
 * Errors: `SpreadsheetError` "format", "limit" or "too-large".
 */
export async function checkArchive(path: string, limits: ArchiveLimits): Promise<readonly ArchiveEntry[]> {
  const archive = await openArchive(path, limits);
  archive.close();
  return archive.entries;
}

/** `checkArchive`, and the archive left open to read from. Close it. */
export async function openArchive(path: string, limits: ArchiveLimits): Promise<Archive> {
  const zip = await openPromise(path, { autoClose: false }).catch(asDamaged);
  try {
    const entries = await listEntries(zip, limits);
    return {
      entries: [...entries.values()].map(toArchiveEntry),
      has: (name) => entries.has(name),
      readEntry: (name) => readEntry(zip, entries.get(name)),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function listEntries(zip: ZipFile, limits: ArchiveLimits): Promise<Map<string, Entry>> {
  if (zip.entryCount > limits.maxEntries) {
    throw new SpreadsheetError("limit", "entries", {
      limit: limits.maxEntries,
      actual: zip.entryCount,
    });
  }
  const entries = new Map<string, Entry>();
  let unpackedBytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      checkEntry(entry, limits);
      unpackedBytes += entry.uncompressedSize;
      if (unpackedBytes > limits.maxUnpackedBytes) {
        throw new SpreadsheetError("too-large", "unpacked-bytes", {
          limit: limits.maxUnpackedBytes,
        });
      }
      // Two entries of one name are how a scanner is shown another file than the reader.
      if (entries.has(entry.fileName)) throw new SpreadsheetError("format", "damaged");
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    throw asSpreadsheetError(error);
  }
  return entries;
}

function checkEntry(entry: Entry, limits: ArchiveLimits): void {
  if ((entry.generalPurposeBitFlag & ENCRYPTED_FLAG) !== 0) throw new SpreadsheetError("format", "encrypted");
  // yauzl itself refuses "..", absolute paths and backslashes.
  if (entry.fileName === "" || entry.fileName.includes("\0")) throw new SpreadsheetError("format", "unsafe-name");
  const ratio = entry.uncompressedSize / Math.max(entry.compressedSize, 1);
  if (entry.uncompressedSize > RATIO_FREE_BYTES && ratio > limits.maxRatio) {
    throw new SpreadsheetError("too-large", "ratio", {
      limit: limits.maxRatio,
      actual: Math.round(ratio),
    });
  }
}

// yauzl's own decoding stops at the declared size too, but with inflated chunks of 16 KiB; larger ones
// read a third faster, and the count is kept here.
async function* readEntry(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new SpreadsheetError("format", "damaged");
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(asDamaged);
  const unpacked = unpack(packed, entry.compressionMethod);
  let count = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      count += chunk.length;
      if (count > entry.uncompressedSize) throw new SpreadsheetError("format", "damaged");
      yield chunk;
    }
  } catch (error) {
    throw asSpreadsheetError(error);
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
  if (count !== entry.uncompressedSize) throw new SpreadsheetError("format", "damaged");
}

function unpack(packed: Readable, method: number): Readable {
  if (method === METHOD_STORED) return packed;
  if (method !== METHOD_DEFLATED) throw new SpreadsheetError("format", "damaged");
  // The callback is pipeline's leave to report; the reader of the inflater meets the same error.
  return pipeline(packed, createInflateRaw({ chunkSize: 64 * 1024 }), () => undefined);
}

function toArchiveEntry(entry: Entry): ArchiveEntry {
  return {
    name: entry.fileName,
    packedBytes: entry.compressedSize,
    unpackedBytes: entry.uncompressedSize,
  };
}

function asDamaged(): never {
  throw new SpreadsheetError("format", "damaged");
}

// Whatever yauzl or zlib say, a sender can only be told that the file does not read.
function asSpreadsheetError(error: unknown): SpreadsheetError {
  return error instanceof SpreadsheetError ? error : new SpreadsheetError("format", "damaged");
}
