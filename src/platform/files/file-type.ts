import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fileTypeFromBuffer } from "file-type";
import { fromFdPromise } from "yauzl";
import { findCompoundKind, isCompoundFile } from "./compound-file.ts";

export type UploadType = {
  readonly extension: UploadExtension;
  readonly mime: string;
  readonly image: boolean;
};

export type UploadExtension = keyof typeof MIME_TYPES;

const MIME_TYPES = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  zip: "application/zip",
  txt: "text/plain; charset=utf-8",
  csv: "text/csv; charset=utf-8",
} as const;

const HEAD_BYTES = 64 * 1024;
const MAX_ZIP_NAMES = 20_000;

const PLAIN_TYPES: Readonly<Record<string, UploadExtension>> = {
  png: "png",
  apng: "png",
  jpg: "jpg",
  gif: "gif",
  webp: "webp",
  pdf: "pdf",
};
const ACTIVE_TEXT = new Set(["rtf", "ps", "eps", "xml", "reg", "ics", "vcf"]);

/**
 * Returns null if the file is empty or the type of its content is not allowed. The original name is used only to
 * distinguish .csv from .txt. Reads at most about 64 KiB at a time and unpacks nothing: archives are identified by the
 * file names in their directory.
 */
export async function detectUploadType(path: string, originalName: string): Promise<UploadType | null> {
  await using file = await open(path);
  const extension = await detectExtension(file, path, originalName);
  if (extension === null) return null;
  const mime = MIME_TYPES[extension];
  return { extension, mime, image: mime.startsWith("image/") };
}

async function detectExtension(file: FileHandle, path: string, originalName: string): Promise<UploadExtension | null> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  if (head.length === 0) return null;
  // Archives and compound files are detected here, because the library file-type would inflate parts of an archive and
  // cannot distinguish compound files.
  if (["PK\u0003\u0004", "PK\u0005\u0006"].includes(head.toString("latin1", 0, 4))) return detectArchive(file);
  if (isCompoundFile(head)) {
    const kind = await findCompoundKind(file);
    return kind === undefined || kind === "encrypted" ? null : kind;
  }
  const found = (await fileTypeFromBuffer(head))?.ext ?? "";
  const plain = PLAIN_TYPES[found];
  // The first 32 bytes of an image contain a zero byte in every allowed format. A script that starts with "GIF89a"
  // contains no zero byte.
  if (plain !== undefined) return plain === "pdf" || head.subarray(0, 32).includes(0) ? plain : null;
  // Other matches of the library are ignored, because many depend on two bytes, such as "BM" or "MZ", with which a text
  // may start.
  if (ACTIVE_TEXT.has(found)) return null;
  if (!(await isTextIn(path, "utf-8")) && !(await isTextIn(path, "gb18030"))) return null;
  return originalName.toLowerCase().endsWith(".csv") ? "csv" : "txt";
}

async function detectArchive(file: FileHandle): Promise<UploadExtension | null> {
  const names = await listZipNames(file);
  if (names === null) return null;
  if (!names.has("[Content_Types].xml")) {
    const isOtherFormat = ["META-INF/MANIFEST.MF", "AndroidManifest.xml", "mimetype"].some((name) => names.has(name));
    return isOtherFormat ? null : "zip";
  }
  // A document with macros is a .docm, .xlsm or .pptm, whatever its name, and none of these is allowed.
  if ([...names].some((name) => name.endsWith("/vbaProject.bin"))) return null;
  if (names.has("word/document.xml")) return "docx";
  if (names.has("xl/workbook.xml")) return "xlsx";
  return names.has("ppt/presentation.xml") ? "pptx" : null;
}

// Names are compared as raw bytes, since older Chinese archives encode them in GBK.
async function listZipNames(file: FileHandle): Promise<Set<string> | null> {
  const names = new Set<string>();
  try {
    const zip = await fromFdPromise(file.fd, { autoClose: false, decodeStrings: false });
    for await (const entry of zip.eachEntry()) {
      names.add(Buffer.from(entry.fileName).toString("latin1"));
      if (names.size >= MAX_ZIP_NAMES) break;
    }
  } catch {
    return null;
  }
  return names;
}

// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\ufffd]/;

async function isTextIn(path: string, encoding: "utf-8" | "gb18030"): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let start = "";
  const isText = (text: string): boolean => {
    if (start.length < 2) start = (start + text).replace(/^[\ufeff\u200b\s]+/, "").slice(0, 2);
    // A text that starts with markup, such as <html, <!doctype, <!-- or <?xml, is refused; "<3" and "< 5" are not
    // markup.
    return !NOT_TEXT.test(text) && !/^<[a-z!?/%]/i.test(start);
  };
  try {
    for await (const bytes of createReadStream(path))
      if (!isText(decoder.decode(bytes as Buffer, { stream: true }))) return false;
    return isText(decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
