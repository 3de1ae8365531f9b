import type * as z from "zod";
import { oneOf } from "./setting-types.ts";

/** Whether one has to choose another password than the one that somebody else has set. */
export const passwordSettings = {
  GIVEN_PASSWORD: oneOf(["keep", "console", "all"], "console").describe(
    "Whose password somebody else has set has to choose another. console: the console asks at the next sign-in, and old front ends go on with it; all: it opens nothing else anywhere; keep: nobody is asked",
  ),
};

export type GivenPasswordSettings = z.output<z.ZodObject<typeof passwordSettings>>;
