import type * as z from "zod";
import { keepDays } from "#platform/contract/setting-types.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type CardSettings, cardShape, checkCardSettings } from "./cards/settings.ts";
import { checkPaymentSettings, type PaymentSettings, paymentShape } from "./gateways/settings.ts";

/** The service's own settings: how students prove their card, and who takes the money. */
export type TuitionSettings = CardSettings & PaymentSettings;
export type TuitionPlatform = Platform<TuitionSettings>;

// A bank may still pay for a closed order, or ask for its number, for some days.
const leastOrderDays = 30;

const keptShape = {
  TUITION_KEEP_FEEDBACK_DAYS: keepDays().describe(
    "Days after it was answered that feedback is kept; left out, for ever",
  ),
  TUITION_KEEP_UNPAID_DAYS: keepDays(leastOrderDays).describe(
    "Days after it was closed that an order for which nothing was ever paid says whose it was; left out, for ever",
  ),
};

export const tuitionSettings = {
  shape: { ...cardShape, ...paymentShape, ...keptShape },
  check(settings: TuitionPlatform["settings"], context: z.RefinementCtx): void {
    checkCardSettings(settings, context);
    checkPaymentSettings(settings, context);
  },
};
