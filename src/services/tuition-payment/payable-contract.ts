import * as z from "zod";
import { recordId } from "#platform/contract/wire.ts";

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

export const payableFields = [
  "id",
  "studentNo",
  "studentName",
  "grade",
  "years",
  "collegeName",
  "majorName",
  "className",
  "realPayAmount",
] as const;
export type PayableField = (typeof payableFields)[number];
