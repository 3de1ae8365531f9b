import * as z from "zod";
import { provingWays } from "#platform/contract/proven-contract.ts";
import { keepDays, oneOf, provingSecret, reviewProof, wholeNumber } from "#platform/contract/setting-types.ts";
import type { Platform } from "#platform/process/platform.ts";

const shape = {
  EMPLOYEE_IDENTITY: oneOf(["off", ...provingWays], "off").describe(
    "How employee_no is verified: header (set by a trusted gateway), signed (employee_time and employee_sign), campus (employee_token) or demo (not verified; only with a loopback HOST and without a proxy); off: employees cannot use the service",
  ),
  EMPLOYEE_IDENTITY_SECRET: provingSecret()
    .optional()
    .meta({ description: "Shared secret for EMPLOYEE_IDENTITY=signed", secret: true }),
  ATTENDANCE_PERIOD_START: wholeNumber(1, 28, 1).describe(
    "First day of an attendance month. 1: calendar months; otherwise this day of the previous month, so that with 26 the month 2026-05 is 26 April to 25 May",
  ),
  ATTENDANCE_KEEP_CARD_DAYS: keepDays().describe(
    "Days after the end of a month for which its rows keep identity card numbers; locked months keep them. Default: forever",
  ),
  ATTENDANCE_KEEP_DAYS: keepDays().describe(
    "Days after the end of a month for which it is kept; months that have ever been locked are always kept. Default: forever",
  ),
};

export type AttendanceSettings = z.output<z.ZodObject<typeof shape>>;
export type AttendancePlatform = Platform<AttendanceSettings>;

export const attendanceSettings = {
  shape,
  check(settings: AttendancePlatform["settings"], context: z.RefinementCtx): void {
    const { EMPLOYEE_IDENTITY: way, EMPLOYEE_IDENTITY_SECRET: secret, CAMPUS_APP_KEY: campusKey } = settings;
    reviewProof("EMPLOYEE_IDENTITY", { way, secret, campusKey }, context);
  },
};
