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
    error: `must be at most ${mostSteps} numbers of seconds separated by commas, such as 5,300,1800`,
  });

const shape = {
  PUSH_ALLOWED_NETWORKS: networks.describe(
    "Private networks that receivers may be in, separated by commas, such as 10.20.0.0/16; link-local and metadata addresses are never allowed",
  ),
  PUSH_RETRY_SECONDS: schedule.describe("Delays before each retry of a failed push, in seconds, each ±20 %"),
  PUSH_TIMEOUT_SECONDS: seconds(0.1, 60, 15).describe("Seconds that a receiver may take to answer a push"),
  PUSH_CONCURRENCY: wholeNumber(1, 256, 16).describe("Concurrent pushes of one process to one project"),
  PUSH_LEASE_SECONDS: seconds(1, 3600, 60).describe(
    "Seconds after which another process takes over the pushes of a killed one",
  ),
  PUSH_PULL_SECONDS: seconds(1, 3600, 300).describe(
    "Seconds that a pulling receiver may take to acknowledge before events are given again",
  ),
  PUSH_POLL_MS: wholeNumber(10, 60_000, 500).describe("How often a process polls for due pushes, in milliseconds"),
  PUSH_KEEP_DELIVERED_DAYS: wholeNumber(1, 3650, 30).describe("Days that a delivered push stays in the log"),
  PUSH_KEEP_DEAD_DAYS: wholeNumber(1, 3650, 180).describe("Days that a dead letter stays in the log"),
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
