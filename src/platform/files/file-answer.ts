import type { FastifyRequest } from "fastify";
import type { StoredFile } from "#platform/files/file-store.ts";
import type { Upload } from "#platform/files/upload.ts";
import type { FileAnswer } from "#platform/endpoint.ts";

/**
 * An upload as it is served: never sniffed for another type, and, images aside, never shown inside the page's origin.
 */
export function toFileAnswer(upload: Upload, stored: StoredFile, request: FastifyRequest): FileAnswer {
  const shown = upload.image ? "inline" : "attachment";
  const headers = {
    "content-type": upload.mime,
    "content-length": String(stored.bytes),
    "content-disposition": `${shown}; filename*=UTF-8''${encodeName(upload.originalName || upload.name)}`,
    "x-content-type-options": "nosniff",
  };
  // HEAD gets the headers alone; opening the file for it would leave it open.
  return request.method === "HEAD" ? { headers } : { stream: stored.open(), headers };
}

const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.codePointAt(0)?.toString(16).toUpperCase()}`);
