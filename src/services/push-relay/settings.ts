import * as z from "zod";
import { isNetwork } from "#platform/contract/networks.ts";
import { commaList, seconds, splitList, wholeNumber } from "#platform/contract/setting-types.ts";
import type { Platform } from "#platform/process/platform.ts";

const networks = commaList.refine((parts) => parts.every(isNetwork), {
  error: "must be networks separated by commas, such as 10.20.0.0/16,fd12:3456::/32",
});

const mostSteps = 20;
const mostStepSeconds = 30 * 86_400;

const schedule = z
  .string()
  .default("5,300,1800,7200,18000,36000,36000")
  .transform((text) => splitList(text).map(Number))
  .refine((steps) => steps.length <= mostSteps && steps.every((step) => step > 0 && step <= mostStepSeconds), {
    error: `must be at most ${mostSteps} delays in seconds separated by commas, such as 5,300,1800`,
  });

const shape = {
  PUSH_ALLOWED_NETWORKS: networks.describe(
    "Private networks in which receivers are allowed, separated by commas, such as 10.20.0.0/16; link-local and metadata addresses are never allowed",
  ),
  PUSH_RETRY_SECONDS: schedule.describe(
    "Delays in seconds before the retries of a failed push, each varied randomly by up to 20 %",
  ),
  PUSH_TIMEOUT_SECONDS: seconds(0.1, 60, 15).describe("Time limit in seconds for a receiver's response to a push"),
  PUSH_CONCURRENCY: wholeNumber(1, 256, 16).describe(
    "Maximum number of concurrent pushes from one process to one project",
  ),
  PUSH_LEASE_SECONDS: seconds(1, 3600, 60).describe(
    "Seconds after which the pushes of a process that was killed are taken over by another process",
  ),
  PUSH_PULL_SECONDS: seconds(1, 3600, 300).describe(
    "Seconds within which a receiver must acknowledge pulled events; after that, they are delivered again",
  ),
  PUSH_POLL_MS: wholeNumber(10, 60_000, 500).describe(
    "Interval in milliseconds at which a process polls for due pushes",
  ),
  PUSH_KEEP_DELIVERED_DAYS: wholeNumber(1, 3650, 30).describe("Days for which delivered pushes are kept in the log"),
  PUSH_KEEP_DEAD_DAYS: wholeNumber(1, 3650, 180).describe("Days for which dead letters are kept in the log"),
  PUSH_FLAG_DAYS: seconds(0.01, 365, 3).describe("Days without a success after which a failing project is flagged"),
};

export type RelaySettings = z.output<z.ZodObject<typeof shape>>;
export type RelayPlatform = Platform<RelaySettings>;

export const relaySettings = {
  shape,
  /** If a lease expired while its push was in flight, the delivery would be pushed twice. */
  check(settings: RelaySettings, context: z.RefinementCtx): void {
    const message = "must be at least twice PUSH_TIMEOUT_SECONDS";
    if (settings.PUSH_LEASE_SECONDS < settings.PUSH_TIMEOUT_SECONDS * 2)
      context.addIssue({ code: "custom", path: ["PUSH_LEASE_SECONDS"], message, input: undefined });
  },
};
