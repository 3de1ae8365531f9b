import type { FastifyRequest } from "fastify";
import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { FileStore, OpenedFile } from "#platform/files/file-store.ts";
import type { Upload } from "#platform/files/upload.ts";

/**
 * Only images are displayed inline; other files are downloaded.
 * @throws {Problem} notFound if the row has no file, outsideFailed if the file store fails
 */
export async function toFileAnswer(upload: Upload, files: FileStore, request: FastifyRequest): Promise<FileAnswer> {
  const shown = upload.image ? "inline" : "attachment";
  const served = {
    "content-type": upload.mime,
    "content-disposition": `${shown}; filename*=UTF-8''${encodeName(nameDownload(upload))}`,
  };
  // For HEAD the file is not opened, because nobody would close the stream.
  const stored: Partial<OpenedFile> | undefined =
    request.method === "HEAD" ? await files.stat(upload.name) : await files.open(upload.name);
  if (!stored) throw new Problem("notFound");
  const headers = { ...served, "content-length": String(stored.bytes), "x-content-type-options": "nosniff" };
  return { ...(stored.stream && { stream: stored.stream }), headers };
}

// With bidirectional marks, `a<mark>txt.exe` is displayed as aexe.txt; invisible characters can hide an extension.
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Returns the original name with the extension of the detected content, so that the operating system opens the file
 * with a program for that content. If nothing else remains of the original name, returns the stored name.
 */
function nameDownload({ name, originalName }: Upload): string {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const own = originalName.replaceAll(unseen, "").split(/[/\\]/).at(-1) ?? "";
  const stem = trimEnd(own).replace(/\.[A-Za-z0-9]{1,10}$/, "");
  return stem === "" ? name : `${trimEnd(stem)}.${extension}`;
}

/** Trailing dots are removed too, because Windows strips them like blanks. */
function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end).trimStart();
}

const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.codePointAt(0)?.toString(16).toUpperCase()}`);
