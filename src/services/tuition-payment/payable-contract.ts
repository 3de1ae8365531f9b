import * as z from "zod";
import { freeText, patternText, recordId, requiredText, yuan } from "#platform/contract/wire.ts";

/** A payable as administrators list it. The identity card stays where it is: no answer has it. */
export const listedPayable = z.object({
  id: recordId(),
  studentNo: z.string().nullable().describe("null while a new student has none"),
  studentName: z.string(),
  grade: z.string(),
  years: z.string().describe("Charging year"),
  collegeName: z.string(),
  majorName: z.string(),
  className: z.string(),
  realPayAmount: z.number().describe("Amount payable, in yuan"),
  payItemDetail: z.string().describe("The items as name:amount, a backslash between them"),
});

export const payable = listedPayable.extend({ pay: z.boolean().describe("Already paid") });

export type PayableField = Exclude<keyof z.output<typeof listedPayable>, "payItemDetail">;

/** By which payables can be sorted. */
export const payableFields = Object.keys(listedPayable.omit({ payItemDetail: true }).shape) as [
  PayableField,
  ...PayableField[],
];

/** Most characters of a payable's texts, in a body and in a workbook alike. */
export const payableLengths = {
  studentNo: 64,
  studentName: 64,
  grade: 32,
  years: 32,
  collegeName: 128,
  majorName: 128,
  className: 128,
  payItemDetail: 4000,
} as const;

export const idCardPattern = /^[0-9A-Za-z()-]{6,32}$/;

const idCard = patternText(idCardPattern, 32, {
  zh: "应为6到32位的证件号码",
  en: "must be an identity card number of 6 to 32 letters and digits",
});

export const payableBody = {
  studentNo: freeText(payableLengths.studentNo)
    .optional()
    .describe("Student number; new students have none yet, and are known by idCard")
    .meta({ examples: ["2022010001"] }),
  idCard: idCard
    .optional()
    .describe("Identity card number, by which new students are found; needed without a number; kept, never returned"),
  studentName: requiredText(payableLengths.studentName).meta({ examples: ["张三"] }),
  grade: requiredText(payableLengths.grade).meta({ examples: ["2022"] }),
  years: requiredText(payableLengths.years)
    .describe("Charging year")
    .meta({ examples: ["2025", "2026"] }),
  collegeName: freeText(payableLengths.collegeName).optional(),
  majorName: freeText(payableLengths.majorName).optional(),
  className: freeText(payableLengths.className).optional(),
  realPayAmount: yuan().describe("Amount payable, in yuan; the items must add up to it"),
  payItemDetail: requiredText(payableLengths.payItemDetail)
    .describe("The items as name:amount, a backslash between them; a name holds neither colon nor backslash")
    .meta({ examples: ["学费:4800\\住宿费:1200"] }),
};

export const payableFilter = {
  keyword: freeText(255).optional().describe("Anywhere in the student's name or number"),
  grade: freeText(32).optional().describe("One grade; an addition of this platform"),
  years: freeText(32).optional().describe("One charging year; an addition of this platform"),
  pay: z.boolean().optional().describe("Paid or not; an addition of this platform"),
};
