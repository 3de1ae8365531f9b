import type { FileHandle } from "node:fs/promises";

const SIGNATURE = Buffer.from("d0cf11e0a1b11ae1", "hex");
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const HEADER_DIFAT_ENTRIES = 109;
// The main streams of an Office file are among its first entries; a hostile chain of sectors must end.
const MAX_DIRECTORY_SECTORS = 256;
const MAX_DIFAT_SECTORS = 4096;
const LAST_SECTOR = 0xffff_fffa;

/** True if the bytes begin a compound file (CFB): .doc, .xls, .ppt, .msi, .msg and encrypted .xlsx are such. */
export function isCompoundFile(head: Buffer): boolean {
  return head.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/**
 * The names at the top of a compound file's directory (of streams and storages), by which its kind is
 * known: "Workbook", "WordDocument", "PowerPoint Document", "EncryptedPackage". What is embedded in it
 * lies deeper and does not count. Reads only the header and the directory, at most 256 sectors of it.
 * A damaged file gives the names found so far.
 */
export async function readCompoundNames(file: FileHandle): Promise<Set<string>> {
  const header = await readAt(file, 0, HEADER_BYTES);
  const shift = header.length < HEADER_BYTES ? 0 : header.readUInt16LE(30);
  if (!isCompoundFile(header) || (shift !== 9 && shift !== 12)) return new Set();
  const sectorBytes = 2 ** shift;
  const entries: DirectoryEntry[] = [];
  let sector = header.readUInt32LE(48);
  for (let count = 0; sector < LAST_SECTOR && count < MAX_DIRECTORY_SECTORS; count++) {
    entries.push(...readEntries(await readAt(file, (sector + 1) * sectorBytes, sectorBytes)));
    sector = await findNextSector(file, header, sectorBytes, sector);
  }
  return listTopNames(entries);
}

type DirectoryEntry = ReturnType<typeof readEntries>[number];

function readEntries(sector: Buffer) {
  const entries = [];
  for (let at = 0; at + ENTRY_BYTES <= sector.length; at += ENTRY_BYTES) {
    const nameBytes = Math.min(Math.max(sector.readUInt16LE(at + 64) - 2, 0), 62);
    entries.push({
      name: sector.toString("utf16le", at, at + nameBytes),
      left: sector.readUInt32LE(at + 68),
      right: sector.readUInt32LE(at + 72),
      child: sector.readUInt32LE(at + 76),
    });
  }
  return entries;
}

// The first entry is the root; its children are a binary tree, which a hostile file may bend into a ring.
function listTopNames(entries: readonly DirectoryEntry[]): Set<string> {
  const names = new Set<string>();
  const seen = new Set<number>();
  const waiting = [entries[0]?.child ?? LAST_SECTOR];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const entry = entries[index];
    if (entry === undefined || seen.has(index)) continue;
    seen.add(index);
    names.add(entry.name);
    waiting.push(entry.left, entry.right);
  }
  return names;
}

async function findNextSector(file: FileHandle, header: Buffer, sectorBytes: number, sector: number): Promise<number> {
  const perSector = sectorBytes / 4;
  const table = await findTableSector(file, header, sectorBytes, Math.floor(sector / perSector));
  if (table >= LAST_SECTOR) return LAST_SECTOR;
  const entry = await readAt(file, (table + 1) * sectorBytes + (sector % perSector) * 4, 4);
  return entry.length < 4 ? LAST_SECTOR : entry.readUInt32LE(0);
}

// The first 109 sectors of the allocation table are listed in the header, the others in a chain.
async function findTableSector(file: FileHandle, header: Buffer, sectorBytes: number, index: number): Promise<number> {
  if (index < HEADER_DIFAT_ENTRIES) return header.readUInt32LE(76 + index * 4);
  const perSector = sectorBytes / 4 - 1;
  let rest = index - HEADER_DIFAT_ENTRIES;
  let sector = header.readUInt32LE(68);
  for (let count = 0; sector < LAST_SECTOR && count < MAX_DIFAT_SECTORS; count++) {
    const list = await readAt(file, (sector + 1) * sectorBytes, sectorBytes);
    if (list.length < sectorBytes) break;
    if (rest < perSector) return list.readUInt32LE(rest * 4);
    rest -= perSector;
    sector = list.readUInt32LE(perSector * 4);
  }
  return LAST_SECTOR;
}

async function readAt(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, position);
  return buffer.subarray(0, bytesRead);
}
