import * as z from "zod";
import { oneOf, wholeNumber } from "./setting-types.ts";

export const signInSettings = {
  GIVEN_PASSWORD: oneOf(["keep", "console", "all"], "console").describe(
    "Who must replace a password that somebody else has set. console: at the next sign-in in the console, old front ends go on; all: everywhere; keep: nobody",
  ),
  SECOND_FACTOR: z
    .enum(["off", "console", "all"], { error: "must be one of off, console, all" })
    .optional()
    .describe(
      "Who must have a second factor. console: it is set up and asked for in the console, old front ends go on with passwords; all: at every login; off: nobody, but whoever has one is asked in the console. Unset: off, with a warning",
    ),
  SECOND_FACTOR_FOR: oneOf(["everybody", "super"], "everybody").describe(
    "Who must have a second factor unless SECOND_FACTOR is off: everybody, or operators and super administrators",
  ),
  SEPARATE_DUTIES: oneOf(["0", "1"], "0").describe(
    "1: no account combines the duties security (accounts), audit (audit log) and system (everything else); unrestricted operators and super administrators then have security only",
  ),
  SECOND_FACTOR_MINUTES: wholeNumber(1, 720, 10).describe(
    "Minutes that a verified second factor counts before dangerous operations ask for it again",
  ),
};

export type SignInSettings = z.output<z.ZodObject<typeof signInSettings>>;
