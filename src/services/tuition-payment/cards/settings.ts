import * as z from "zod";
import type { Settings } from "#platform/process/config.ts";
import type { StartLine } from "#platform/process/service.ts";

const identities = ["header", "signed", "campus", "demo"] as const;
const provingIdentities = identities.filter((identity) => identity !== "demo");
const leastSecretLength = 16;

export const cardShape = {
  STUDENT_IDENTITY: z
    .enum(identities, { error: `must be one of ${identities.join(", ")}` })
    .optional()
    .describe(
      "How a student's card_number is proved: header (a gateway in front sets it), signed (card_time and card_sign), campus (card_token) or demo (not at all: on a loopback HOST and without a proxy only); not set: students are not served",
    ),
  STUDENT_IDENTITY_SECRET: z
    .string()
    .min(leastSecretLength, { error: `must have ${leastSecretLength} characters or more` })
    .optional()
    .meta({ description: "The secret of STUDENT_IDENTITY=signed, shared with whatever signs", secret: true }),
};

export type CardSettings = z.output<z.ZodObject<typeof cardShape>>;

/** For Zod's `superRefine`: a way of proving cards that could prove none stops the start. */
export function checkCardSettings(
  settings: CardSettings & Pick<Settings, "CAMPUS_APP_KEY">,
  context: z.RefinementCtx,
): void {
  const { STUDENT_IDENTITY: identity } = settings;
  const report = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message, input: undefined });
  if (identity === "signed" && !settings.STUDENT_IDENTITY_SECRET)
    report("STUDENT_IDENTITY_SECRET", "is needed beside STUDENT_IDENTITY=signed");
  if (identity === "campus" && !settings.CAMPUS_APP_KEY)
    report("CAMPUS_APP_KEY", "is needed beside STUDENT_IDENTITY=campus");
}

/** Why students cannot be served at all with these settings; a line each. */
export const findCardRefusals = ({ NODE_ENV, STUDENT_IDENTITY: identity }: CardSettings & Settings): string[] =>
  NODE_ENV === "production" && (identity === undefined || identity === "demo")
    ? [`STUDENT_IDENTITY: must be one of ${provingIdentities.join(", ")} where NODE_ENV is production`]
    : [];

/** What the start says of students. */
export function describeStudents({ STUDENT_IDENTITY: identity }: CardSettings): StartLine[] {
  if (identity === undefined) return [["students", "not served: STUDENT_IDENTITY is not set"]];
  return identity === "demo" ? [["students", "any card number is believed (STUDENT_IDENTITY=demo)"]] : [];
}
