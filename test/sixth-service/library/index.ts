import { readPart } from "#platform/process/health.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { library } from "./contract.ts";
import { identifyReader, libraryHandlers } from "./routes.ts";
import { type LibraryPlatform, librarySettings, type LibrarySettings } from "./settings.ts";
import { listBooks } from "./store.ts";

export const libraryModule: ServiceModule<LibrarySettings> = {
  contract: library,
  settings: librarySettings,
  create: createLibrary,
  findRefusals: ({ LIBRARY_DESK_KEY: key, NODE_ENV }) =>
    NODE_ENV === "production" && !key ? ["LIBRARY_DESK_KEY: is needed where NODE_ENV is production"] : [],
  describeStart: ({ LIBRARY_LOAN_DAYS: days }) => [["readers", `may keep a book for ${days} days`]],
};

function createLibrary(platform: LibraryPlatform): Service {
  return defineService(library, libraryHandlers, {
    identifyGuest: async (request) => identifyReader(request, platform),
    constraints: { book_title_key: "alreadyExists" },
    health: [
      () =>
        readPart("library", { zh: "图书借阅", en: "Library" }, async () => ({
          books: (await listBooks(platform.pool)).length,
        })),
    ],
  });
}
