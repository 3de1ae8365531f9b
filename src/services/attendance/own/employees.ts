import type { FastifyRequest } from "fastify";
import { identifyNumber } from "#platform/accounts/proven-number.ts";
import type { Settings } from "#platform/process/config.ts";
import type { StartLine } from "#platform/process/service.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import type { AttendancePlatform, AttendanceSettings } from "#services/attendance/settings.ts";
import { employeeHeaders } from "./guests-contract.ts";

// A session of an employee is none of a student of the same number: no number of a card has a space in it.
const toHeld = (number: string): string => `employee ${number}`;

/** What sessions may have for an employee's number, the present way first. */
export const spellEmployee = (keys: Keyring, number: string): string[] => [
  ...new Set([
    keys.find("attendance.employee_no", toHeld(number)),
    ...keys.spell("attendance.employee_no", toHeld(number)),
  ]),
];

/** The number of the employee who calls, proved as EMPLOYEE_IDENTITY says. */
export const identifyEmployee =
  (platform: AttendancePlatform) =>
  (request: FastifyRequest): Promise<string> =>
    identifyNumber(request, platform, {
      headers: employeeHeaders,
      noun: { zh: "工号", en: "employee number" },
      setting: "EMPLOYEE_IDENTITY",
      way: findWay(platform.settings),
      secret: platform.settings.EMPLOYEE_IDENTITY_SECRET,
      spell: (number) => spellEmployee(platform.pool.keys, number),
    });

const findWay = ({ EMPLOYEE_IDENTITY: way }: AttendanceSettings) => (way === "off" ? undefined : way);

/** Why employees must not be served with these settings. */
export const refuseEmployees = ({ NODE_ENV, EMPLOYEE_IDENTITY: way }: Settings & AttendanceSettings): string[] =>
  NODE_ENV === "production" && way === "demo"
    ? ["EMPLOYEE_IDENTITY: must not be demo where NODE_ENV is production"]
    : [];

export const describeEmployees = ({ EMPLOYEE_IDENTITY: way }: AttendanceSettings): StartLine[] =>
  way === "demo" ? [["employees", "any employee number is believed (EMPLOYEE_IDENTITY=demo)"]] : [];
