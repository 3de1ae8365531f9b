import type { FastifyRequest } from "fastify";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { endpoints } from "./contract.ts";
import type { LibraryPlatform } from "./settings.ts";
import { insertBook, lendBook, listBooks } from "./store.ts";

export const libraryHandlers: Handlers<typeof endpoints> = {
  listBooks: async ({ db }) => [...(await listBooks(db))],
  saveBook: async ({ db, body, audit }) => {
    const id = await insertBook(db, body.title);
    audit.records = [id];
    return String(id);
  },
  borrowBook: async ({ db, params, guest: reader }) => {
    if (!(await lendBook(db, params.id, reader))) throw new Problem("notFound");
    return "1";
  },
};

export function identifyReader({ headers }: FastifyRequest, { settings }: LibraryPlatform): string {
  const { reader_number: reader, reader_key: key } = headers;
  if (!reader) throw explain("headerMissing", "reader_number", "reader_number");
  if (key === undefined || key !== settings.LIBRARY_DESK_KEY) throw new Problem("tokenInvalid");
  return String(reader);
}
