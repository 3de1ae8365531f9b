import type * as z from "zod";
import type { Platform } from "#platform/process/platform.ts";
import { type CardSettings, cardShape, checkCardSettings } from "./cards/settings.ts";
import { checkPaymentSettings, type PaymentSettings, paymentShape } from "./gateways/settings.ts";

/** The service's own settings: how students prove their card, and who takes the money. */
export type TuitionSettings = CardSettings & PaymentSettings;
export type TuitionPlatform = Platform<TuitionSettings>;

export const tuitionSettings = {
  shape: { ...cardShape, ...paymentShape },
  check(settings: TuitionPlatform["settings"], context: z.RefinementCtx): void {
    checkCardSettings(settings, context);
    checkPaymentSettings(settings, context);
  },
};
