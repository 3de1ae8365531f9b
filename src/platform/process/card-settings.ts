import * as z from "zod";

const identities = ["header", "signed", "campus", "demo"] as const;
const provingIdentities = identities.filter((identity) => identity !== "demo");
const leastSecretLength = 16;

/** The settings of this folder, to be spread into the platform's. */
export const cardSettings = {
  NODE_ENV: z
    .string()
    .default("")
    .describe(
      "production: what is safe on one's own machine alone, such as STUDENT_IDENTITY=demo or none, stops the start",
    ),
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

export type CardSettings = z.infer<z.ZodObject<typeof cardSettings>>;

/** For Zod's `superRefine`: a way of proving cards that could prove none stops the start. */
export function checkCardSettings(
  settings: CardSettings & { readonly CAMPUS_APP_KEY?: string | undefined },
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
export const findCardRefusals = ({ NODE_ENV, STUDENT_IDENTITY: identity }: CardSettings): string[] =>
  NODE_ENV === "production" && (identity === undefined || identity === "demo")
    ? [`STUDENT_IDENTITY: must be one of ${provingIdentities.join(", ")} where NODE_ENV is production`]
    : [];
