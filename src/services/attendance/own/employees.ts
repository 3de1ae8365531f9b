import type { FastifyRequest } from "fastify";
import { identifyNumber } from "#platform/accounts/proven-number.ts";
import { findCampusSignIn } from "#platform/messaging/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { StartLine, WebPage } from "#platform/process/service.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import type { AttendancePlatform, AttendanceSettings } from "#services/attendance/settings.ts";
import type { ToldOfProof } from "#platform/contract/proven-contract.ts";
import { employeeHeaders } from "./guests-contract.ts";

// The prefix prevents a match between an employee and a student with the same number, since no student's card number
// contains a space.
const toHeld = (number: string): string => `employee ${number}`;

export const spellEmployee = (keys: Keyring, number: string): string[] => [
  ...new Set([
    keys.blindIndex("attendance.employee_no", toHeld(number)),
    ...keys.lookupTerms("attendance.employee_no", toHeld(number)),
  ]),
];

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

export const refuseEmployees = ({ NODE_ENV, EMPLOYEE_IDENTITY: way }: Settings & AttendanceSettings): string[] =>
  NODE_ENV === "production" && way === "demo" ? ["EMPLOYEE_IDENTITY: must not be demo if NODE_ENV is production"] : [];

export const describeEmployees = ({ EMPLOYEE_IDENTITY: way }: AttendanceSettings): StartLine[] =>
  way === "demo" ? [["employees", "identified by employee number without verification (EMPLOYEE_IDENTITY=demo)"]] : [];

export const employeesPage = ({ settings }: AttendancePlatform): WebPage => ({
  entry: "public/attendance",
  paths: ["/h5/attendance/"],
  title: { zh: "我的考勤", en: "My attendance" },
  about: {
    zh: "查看本人每月考勤，提出异议或确认",
    en: "Check your monthly attendance, then confirm it or raise an objection",
  },
  told: {
    identity: findWay(settings) ?? null,
    // The campus platform sends users back to the single address in CAMPUS_REDIRECT_URI, so its sign-in works on this
    // page only if that address is the address of this page.
    signIn:
      settings.EMPLOYEE_IDENTITY === "campus" && settings.CAMPUS_REDIRECT_URI?.includes("/h5/attendance/")
        ? findCampusSignIn(settings)
        : null,
  } satisfies ToldOfProof,
});
