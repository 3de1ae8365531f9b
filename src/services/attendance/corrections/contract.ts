import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  freeText,
  oneOfNumbers,
  pageOf,
  pageQuery,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import { correctionKind as kind, correctionShape, month } from "#services/attendance/record-contract.ts";

export const correctionOrder = z
  .object({
    kind,
    campus: oneOfNumbers([1, 2])
      .optional()
      .describe("Only for kind `present`: the campus; default: the day's campus without the correction"),
    hours: z
      .number()
      .min(0)
      .max(24)
      .multipleOf(0.25)
      .optional()
      .describe("Only for kind `leave`: the hours of leave, which are recorded but not counted"),
  })
  .refine(({ kind: given, campus }) => campus === undefined || given === "present", {
    params: { complaint: { zh: "campus 仅用于 present", en: "campus is only allowed with present" } },
  })
  .refine(({ kind: given, hours }) => hours === undefined || given === "leave", {
    params: { complaint: { zh: "hours 仅用于 leave", en: "hours is only allowed with leave" } },
  });

export const whoseMonth = {
  month: month(),
  userId: freeText().optional(),
  workNum: freeText().optional().describe("Employee number, for an employee without a userId"),
  groupOfCheck: freeText().optional().describe("Attendance group, if several rows of the month have the userId"),
};

export const dayNumber = () => z.int().min(1).max(31).describe("Day of the month");

export const correctionRecord = z.object({
  id: recordId(),
  month: z.string(),
  userId: z.string(),
  workNum: z.string(),
  groupOfCheck: z.string().describe("Empty unless several rows of the month have the userId"),
  workName: z.string(),
  department: z.string().describe("Empty if the employee is no longer in the month"),
  day: dayNumber(),
  correction: correctionShape,
  evidence: z.string(),
  objection: recordId()
    .nullable()
    .describe("Id of the objection that led to the correction; null if there was no objection"),
  madeBy: z.string(),
  makeTime: dateTime(),
  undoneBy: z.string().nullable().describe("null: the correction is in force"),
  undoTime: dateTime().nullable(),
  reason: z.string().nullable(),
});

const { get, post, put } = under("/attendance/correction", {
  access: { who: "administrator" },
  own: true,
  scoped: true,
});

export const correctionEndpoints = {
  listCorrections: get("", {
    summary: "List corrections, newest first",
    query: z.object({
      ...pageQuery("curPage"),
      month: month().optional(),
      department: freeText().optional(),
      standing: z.boolean().optional().describe("true: in force; false: undone"),
    }),
    data: pageOf(correctionRecord),
  }),
  correct: post("", {
    summary: "Correct an employee's day; the correction takes effect at once in an analysed month",
    idempotent: true,
    body: z.object({ ...whoseMonth, day: dayNumber(), correction: correctionOrder, evidence: requiredText(500) }),
    problems: ["notFound", "alreadyExists", "notAllowedNow"],
  }),
  undoCorrection: put("", {
    summary: "Undo a correction",
    body: z.object({
      id: recordId().optional().describe("Required; code 10023 if missing"),
      reason: requiredText(),
    }),
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
};
