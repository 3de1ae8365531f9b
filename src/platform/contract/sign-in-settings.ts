import * as z from "zod";
import { oneOf, wholeNumber } from "./setting-types.ts";

export const signInSettings = {
  GIVEN_PASSWORD: oneOf(["keep", "console", "all"], "console").describe(
    "Whether users must change a password that somebody else has set. console: at the next login to the console, while old front ends still accept it; all: at every login; keep: never",
  ),
  SECOND_FACTOR: z
    .enum(["off", "console", "all"], { error: "must be one of off, console, all" })
    .optional()
    .describe(
      "Whether logins require a second factor. console: in the console, while old front ends still accept a password alone; all: at every login; off: only in the console for accounts that have set one up. If not set: off, with a warning",
    ),
  SECOND_FACTOR_FOR: oneOf(["everybody", "super"], "everybody").describe(
    "Who must have a second factor if SECOND_FACTOR is console or all. everybody: all accounts; super: operators and super administrators",
  ),
  SEPARATE_DUTIES: oneOf(["0", "1"], "0").describe(
    "1: each account has only one of the duties security (accounts), audit (audit log) and system (everything else); unrestricted operators and super administrators then have the security duty only",
  ),
  SECOND_FACTOR_MINUTES: wholeNumber(1, 720, 10).describe(
    "Minutes after which sensitive operations ask for the second factor again",
  ),
};

export type SignInSettings = z.output<z.ZodObject<typeof signInSettings>>;
