import * as z from "zod";
import { secret, wholeNumber } from "#platform/contract/setting-types.ts";
import type { Platform } from "#platform/process/platform.ts";

const shape = {
  LIBRARY_DESK_KEY: secret("Key with which the library's desk says who a reader is"),
  LIBRARY_LOAN_DAYS: wholeNumber(1, 365, 30).describe("Days after which a book is due"),
};

export type LibrarySettings = z.output<z.ZodObject<typeof shape>>;
export type LibraryPlatform = Platform<LibrarySettings>;

export const librarySettings = { shape };
