import * as z from "zod";
import { oneOf, wholeNumber } from "./setting-types.ts";

/** Who has to choose another password than a given one, and who needs a second factor, where, and for how long it counts. */
export const signInSettings = {
  GIVEN_PASSWORD: oneOf(["keep", "console", "all"], "console").describe(
    "Whose password somebody else has set has to choose another. console: the console asks at the next sign-in, and old front ends go on with it; all: it opens nothing else anywhere; keep: nobody is asked",
  ),
  SECOND_FACTOR: z
    .enum(["off", "console", "all"], { error: "must be one of off, console, all" })
    .optional()
    .describe(
      "Who has a second factor is asked for it in the console, always. console: who must have one sets it up there, and old front ends go on with name and password; all: it is asked for at every login; left out: off, and the start and the console say that nobody has chosen",
    ),
  SECOND_FACTOR_FOR: oneOf(["everybody", "super"], "everybody").describe(
    "Who must have a second factor where SECOND_FACTOR is not off: everybody with an account, or operators and super administrators",
  ),
  SEPARATE_DUTIES: oneOf(["0", "1"], "0").describe(
    "1: no account combines the duties of system, security and audit: rights to accounts are of security, those to the audit log of audit, all others of system; operators and super administrators whose rights are not narrowed have security alone",
  ),
  SECOND_FACTOR_MINUTES: wholeNumber(1, 720, 10).describe(
    "Minutes for which a second factor counts before refunds, unlocking, changes of accounts and reading secrets ask for it again",
  ),
};

export type SignInSettings = z.output<z.ZodObject<typeof signInSettings>>;
