import { writeFile } from "node:fs/promises";
import { crc32, deflateRawSync } from "node:zlib";

/** `flags` and `declaredBytes` may contradict the data, to build invalid archives. */
export type FixtureEntry = {
  readonly name: string;
  readonly content: string | Buffer;
  readonly stored?: boolean;
  /** Whether a data descriptor after the data states the sizes, as streaming writers do. */
  readonly descriptor?: boolean;
  readonly flags?: number;
  readonly declaredBytes?: number;
};

/** Archives are built byte by byte, so that they may be invalid in ways that no library would write. */
export function buildArchive(entries: readonly FixtureEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = typeof entry.content === "string" ? Buffer.from(entry.content) : entry.content;
    const packed = entry.stored ? content : deflateRawSync(content, { level: 1 });
    const fields = describe(entry, content, packed);
    const name = Buffer.from(entry.name);
    const local = Buffer.concat([localHeader(fields, name, entry), name, packed, trailer(fields, entry)]);
    directory.push(Buffer.concat([directoryHeader(fields, name, offset), name]));
    files.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  const directoryBytes = Buffer.concat(directory);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, directoryBytes, end]);
}

export function buildWorkbook(sheetXml: string, parts: Readonly<Record<string, string>> = {}): FixtureEntry[] {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const all: Record<string, string> = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": `<Relationships><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns:r="${office}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId3"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels":
      `<Relationships><Relationship Id="rId3" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>` +
      `<Relationship Id="rId4" Type="${office}/sharedStrings" Target="sharedStrings.xml"/>` +
      `<Relationship Id="rId5" Type="${office}/styles" Target="/xl/styles.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": sheetXml,
    ...parts,
  };
  return Object.entries(all).map(([name, content]) => ({ name, content }));
}

export function wrapRows(rows: string): string {
  return `<?xml version="1.0"?><worksheet><dimension ref="A1"/><sheetData>${rows}</sheetData></worksheet>`;
}

export async function writeCompoundFile(path: string, names: readonly string[], rootClass = ""): Promise<void> {
  const header = Buffer.alloc(512);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(0xffff_fffe, 68);
  header.fill(0xff, 76);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(512, 0xff);
  const directory = Buffer.concat(["Root Entry", ...names].map((name, index) => directoryEntry(name, index, names)));
  directory.write(rootClass, 80, "hex");
  const sectors = Math.ceil(directory.length / 512);
  for (let sector = 1; sector <= sectors; sector++) {
    table.writeUInt32LE(sector === sectors ? 0xffff_fffe : sector + 1, sector * 4);
  }
  const padding = Buffer.alloc(sectors * 512 - directory.length);
  await writeFile(path, Buffer.concat([header, table, directory, padding]));
}

// In a compound file (OLE) the root's children form a tree; here each entry's right sibling is the next one.
function directoryEntry(name: string, index: number, names: readonly string[]): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, "utf16le");
  entry.writeUInt16LE(name.length * 2 + 2, 64);
  entry[66] = index === 0 ? 5 : 2;
  entry.writeUInt32LE(0xffff_ffff, 68);
  entry.writeUInt32LE(index > 0 && index < names.length ? index + 1 : 0xffff_ffff, 72);
  entry.writeUInt32LE(index === 0 && names.length > 0 ? 1 : 0xffff_ffff, 76);
  return entry;
}

type Fields = ReturnType<typeof describe>;

function describe(entry: FixtureEntry, content: Buffer, packed: Buffer) {
  return {
    flags: (entry.flags ?? 0x800) | (entry.descriptor ? 8 : 0),
    method: entry.stored ? 0 : 8,
    crc: crc32(content),
    packedBytes: packed.length,
    plainBytes: entry.declaredBytes ?? content.length,
  };
}

function localHeader(fields: Fields, name: Buffer, entry: FixtureEntry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(fields.flags, 6);
  header.writeUInt16LE(fields.method, 8);
  if (!entry.descriptor) writeSizes(header, 14, fields);
  header.writeUInt16LE(name.length, 26);
  return header;
}

function trailer(fields: Fields, entry: FixtureEntry): Buffer {
  const descriptor = Buffer.alloc(entry.descriptor ? 16 : 0);
  if (!entry.descriptor) return descriptor;
  descriptor.writeUInt32LE(0x0807_4b50, 0);
  writeSizes(descriptor, 4, fields);
  return descriptor;
}

function directoryHeader(fields: Fields, name: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(fields.flags, 8);
  header.writeUInt16LE(fields.method, 10);
  writeSizes(header, 16, fields);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(offset, 42);
  return header;
}

function writeSizes(target: Buffer, at: number, fields: Fields): void {
  target.writeUInt32LE(fields.crc, at);
  target.writeUInt32LE(fields.packedBytes, at + 4);
  target.writeUInt32LE(fields.plainBytes, at + 8);
}
