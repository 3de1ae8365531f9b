import { pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";

export type ArchiveLimits = Pick<SpreadsheetLimits, "maxEntries" | "maxUnpackedBytes" | "maxRatio">;

export type Archive = Awaited<ReturnType<typeof openArchive>>;

// The ratio is not checked for smaller entries, because a tiny entry may legitimately exceed it.
const RATIO_FREE_BYTES = 1024 * 1024;
const ENCRYPTED_FLAG = 1;
const METHOD_STORED = 0;
const METHOD_DEFLATED = 8;

/**
 * Opens a ZIP archive and checks the declared sizes, encryption and names in its directory. Nothing is unpacked before
 * `readEntry`. The caller must close the archive.
 * @throws {SpreadsheetError}
 */
export async function openArchive(path: string, limits: ArchiveLimits) {
  const zip = await openPromise(path, { autoClose: false }).catch(refuse);
  try {
    const entries = await listEntries(zip, limits);
    return {
      entries,
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
    // yauzl already refuses ".." and absolute paths, and replaces backslashes with slashes.
    if (entry.fileName === "" || entry.fileName.includes("\0")) throw new SpreadsheetError("unsafe-name");
    const ratio = entry.uncompressedSize / Math.max(entry.compressedSize, 1);
    if (entry.uncompressedSize > RATIO_FREE_BYTES && ratio > maxRatio)
      throw new SpreadsheetError("ratio", { limit: maxRatio, actual: Math.round(ratio) });
    unpackedBytes += entry.uncompressedSize;
    if (unpackedBytes > maxUnpackedBytes) throw new SpreadsheetError("unpacked-bytes", { limit: maxUnpackedBytes });
    // With duplicate names, an attacker can show a virus scanner a different file than the reader.
    if (entries.has(entry.fileName)) throw new SpreadsheetError("damaged");
    entries.set(entry.fileName, entry);
  }
  return entries;
}

// Entries are inflated here, because yauzl's chunks of 16 KiB are a third slower than larger ones. The declared size
// must therefore be checked here too.
async function* readEntry(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (entry === undefined || ![METHOD_STORED, METHOD_DEFLATED].includes(entry.compressionMethod))
    throw new SpreadsheetError("damaged");
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(refuse);
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

function refuse(error: unknown): never {
  throw error instanceof SpreadsheetError ? error : new SpreadsheetError("damaged");
}
