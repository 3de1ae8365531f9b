import * as z from "zod";
import { isNetwork } from "#platform/contract/networks.ts";
import { commaList, requireWholeGroups, secretOf } from "#platform/contract/setting-types.ts";
import { isMailAddress, readMailServer } from "./mail-address.ts";

const networks = commaList.refine((parts) => parts.every(isNetwork), {
  error: "must be networks separated by commas, such as 10.20.0.0/16,fd12:3456::/32",
});

/** The settings of what goes out to addresses that operators name, to be spread into the platform's. */
export const outboundSettings = {
  ALERT_ALLOWED_NETWORKS: networks.describe(
    "Private networks that alerts may be sent to, separated by commas, such as 10.20.0.0/16; link-local and metadata addresses never",
  ),
  SMTP_URL: secretOf(
    readMailServer,
    "smtps://user:password@host:465, smtp://user:password@host:587 (STARTTLS is asked for), or without user and password smtp://host:25?tls=none",
    "Mail server for alerts: smtps://user:password@host:465, or smtp://user:password@host:587, where STARTTLS is asked for; without user and password also smtp://host:25?tls=none",
  ),
  MAIL_FROM: z
    .string()
    .refine(isMailAddress, { error: "must be a mail address, such as quintet@example.edu" })
    .optional()
    .describe("Mail address that alerts come from; with SMTP_URL it is needed"),
};

/** Mail needs both, the server and whom it is from. */
export const checkOutboundSettings = (
  settings: { readonly SMTP_URL?: string; readonly MAIL_FROM?: string },
  context: z.RefinementCtx,
): void => requireWholeGroups(settings, [{ all: ["SMTP_URL", "MAIL_FROM"] }], context);
