import type { FileHandle } from "node:fs/promises";

const signature = "d0cf11e0a1b11ae1";
const headerBytes = 512;
const entryBytes = 128;
/**
 * Only the first directory entries are read. Programs other than Office write few entries, so the entry of the main
 * stream is among them.
 */
const lookedAtBytes = 32 * entryBytes;

export type CompoundKind = "doc" | "xls" | "ppt" | "encrypted";

/** The keys are CLSIDs of the root entry, which Office always sets. */
const classes: Readonly<Record<string, CompoundKind>> = {
  "0609020000000000c000000000000046": "doc",
  "1008020000000000c000000000000046": "xls",
  "2008020000000000c000000000000046": "xls",
  "108d81649b4fcf1186ea00aa00b929e8": "ppt",
};
const streams: Readonly<Record<string, CompoundKind>> = {
  WordDocument: "doc",
  Workbook: "xls",
  Book: "xls",
  "PowerPoint Document": "ppt",
  EncryptedPackage: "encrypted",
  "\u0006DataSpaces": "encrypted",
};

/** CFB (Compound File Binary) is the container format of .doc, .xls, .ppt, .msi, .msg and encrypted .xlsx. */
export const isCompoundFile = (head: Buffer): boolean => head.toString("hex", 0, 8) === signature;

export async function findCompoundKind(file: FileHandle): Promise<CompoundKind | undefined> {
  const header = await readAt(file, 0, headerBytes);
  if (header.length < headerBytes) return undefined;
  const sectorBytes = header.readUInt16LE(30) === 12 ? 4096 : 512;
  const directory = await readAt(file, (header.readUInt32LE(48) + 1) * sectorBytes, lookedAtBytes);
  const kind = classes[directory.toString("hex", 80, 96)];
  if (kind) return kind;
  for (let at = entryBytes; at + entryBytes <= directory.length; at += entryBytes) {
    const nameBytes = Math.min(Math.max(directory.readUInt16LE(at + 64) - 2, 0), 62);
    const found = streams[directory.toString("utf16le", at, at + nameBytes)];
    if (found) return found;
  }
  return undefined;
}

async function readAt(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, position);
  return buffer.subarray(0, bytesRead);
}
