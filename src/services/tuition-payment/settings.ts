import * as z from "zod";
import { provingWays } from "#platform/contract/proven-contract.ts";
import {
  keepDays,
  provingSecret,
  provingWay,
  requireWholeGroups,
  reviewProof,
} from "#platform/contract/setting-types.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { StartLine } from "#platform/process/service.ts";
import { paymentGroups, paymentShape } from "./gateways/settings.ts";

// A bank may still report a payment for a closed order for some days, so unpaid orders must be kept longer.
const leastOrderDays = 30;

const shape = {
  STUDENT_IDENTITY: provingWay()
    .optional()
    .describe(
      "How card_number is verified: header (set by a trusted gateway), signed (card_time and card_sign), campus (card_token) or demo (not verified; only with a loopback HOST and without a proxy); if not set, students cannot use the service",
    ),
  STUDENT_IDENTITY_SECRET: provingSecret()
    .optional()
    .meta({ description: "Shared secret for STUDENT_IDENTITY=signed", secret: true }),
  ...paymentShape,
  TUITION_KEEP_FEEDBACK_DAYS: keepDays().describe("Days for which processed feedback is kept; default: forever"),
  TUITION_KEEP_UNPAID_DAYS: keepDays(leastOrderDays).describe(
    "Days after closing for which an order without any payment keeps the student's name and number; default: forever",
  ),
};

export type TuitionSettings = z.output<z.ZodObject<typeof shape>>;
export type TuitionPlatform = Platform<TuitionSettings>;

export const tuitionSettings = {
  shape,
  check(settings: TuitionPlatform["settings"], context: z.RefinementCtx): void {
    const { STUDENT_IDENTITY: way, STUDENT_IDENTITY_SECRET: secret, CAMPUS_APP_KEY: campusKey } = settings;
    reviewProof("STUDENT_IDENTITY", { way, secret, campusKey }, context);
    requireWholeGroups(settings, paymentGroups, context);
  },
};

export function findRefusals({ NODE_ENV, STUDENT_IDENTITY: identity, PAY_SIMULATED }: Settings & TuitionSettings) {
  if (NODE_ENV !== "production") return [];
  const proving = provingWays.filter((each) => each !== "demo").join(", ");
  return [
    ...(identity === undefined || identity === "demo"
      ? [`STUDENT_IDENTITY: must be one of ${proving} if NODE_ENV is production`]
      : []),
    ...(PAY_SIMULATED === "1" ? ["PAY_SIMULATED: must not be set if NODE_ENV is production"] : []),
  ];
}

export function describeStudents({ STUDENT_IDENTITY: identity }: TuitionSettings): StartLine[] {
  if (identity === undefined) return [["students", "disabled: STUDENT_IDENTITY is not set"]];
  return identity === "demo"
    ? [["students", "identified by card number without verification (STUDENT_IDENTITY=demo)"]]
    : [];
}
