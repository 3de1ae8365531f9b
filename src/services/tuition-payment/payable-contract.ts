import * as z from "zod";
import { workbookMime, under } from "#platform/contract/endpoint.ts";
import {
  clearableDay,
  freeText,
  listQuery,
  pageOf,
  ignoresFields,
  patternText,
  recordId,
  requiredText,
  yuan,
} from "#platform/contract/wire.ts";
import { noticePreference } from "#platform/notices/contract.ts";
import { adjustment, ownAdjustment } from "./adjustment-contract.ts";
import { students } from "./cards/contract.ts";

export const dueItem = z.object({
  name: z.string(),
  amount: z.number().min(0),
  due: z.number().min(0).describe("Amount of the item still due, in yuan"),
});

/** Responses about payables never contain identity cards, so this record has none. */
export const listedPayable = z.object({
  id: recordId(),
  studentNo: z.string().nullable().describe("null for a new student without a student number"),
  studentName: z.string(),
  grade: z.string(),
  years: z.string().describe("Charging year"),
  collegeName: z.string(),
  majorName: z.string(),
  className: z.string(),
  realPayAmount: z.number().describe("Amount payable, in yuan"),
  payItemDetail: z.string().describe("Items as name:amount, separated by backslashes"),
  due: z.number().min(0).describe("Amount still due in yuan, after adjustments and payments"),
  dueDate: z
    .string()
    .nullable()
    .describe("Due date (yyyy-MM-dd), moved by the last deferral in force, if there is one"),
  items: z.array(dueItem),
  adjustments: z.array(adjustment).describe("Adjustments in force"),
});

const paid = { pay: z.boolean().describe("Whether the payable is paid") };

export const payable = listedPayable.extend(paid);

export const ownPayable = payable.extend({ adjustments: z.array(ownAdjustment).describe("Adjustments in force") });

/**
 * Any student who knows another student's number and name may read this record, so it lacks the adjustments, which are
 * private.
 */
export const matchedPayable = payable.omit({ adjustments: true });

const unsorted = { payItemDetail: true, due: true, items: true, adjustments: true } as const;
export type PayableField = Exclude<keyof z.output<typeof listedPayable>, keyof typeof unsorted>;

const payableFields = Object.keys(listedPayable.omit(unsorted).shape) as [PayableField, ...PayableField[]];

export const payableLengths = {
  // A student number is a card number, which has at most 64 characters (T9).
  studentNo: 64,
  studentName: 255,
  grade: 255,
  years: 255,
  collegeName: 255,
  majorName: 255,
  className: 255,
  payItemDetail: 4000,
} as const;

export const idCardPattern = /^[0-9A-Za-z()-]{6,32}$/;

const idCard = patternText(idCardPattern, 32, {
  zh: "应为6到32位的证件号码",
  en: "must be an identity card number of 6 to 32 letters and digits",
});

const payableBody = {
  studentNo: freeText(payableLengths.studentNo)
    .optional()
    .describe("Student number; new students without a number are identified by idCard")
    .meta({ examples: ["2022010001"] }),
  idCard: idCard
    .optional()
    .describe("Identity card number of a new student; required if studentNo is empty. Stored but never returned"),
  studentName: requiredText(payableLengths.studentName).meta({ examples: ["张三"] }),
  grade: requiredText(payableLengths.grade).meta({ examples: ["2022"] }),
  years: requiredText(payableLengths.years)
    .describe("Charging year")
    .meta({ examples: ["2025", "2026"] }),
  collegeName: freeText(payableLengths.collegeName).optional(),
  majorName: freeText(payableLengths.majorName).optional(),
  className: freeText(payableLengths.className).optional(),
  realPayAmount: yuan().describe("Amount payable in yuan; must equal the sum of the items"),
  payItemDetail: requiredText(payableLengths.payItemDetail)
    .describe("Items as name:amount, separated by backslashes; names must not contain colons or backslashes")
    .meta({ examples: ["学费:4800\\住宿费:1200"] }),
  dueDate: clearableDay().optional().describe('Due date; "" in an update removes it'),
};

const ofOne = (length: number, what: string) =>
  freeText(length).optional().describe(`${what}. Not in the interface documents`);

export const ofStudents = {
  collegeName: ofOne(payableLengths.collegeName, "Only this college"),
  majorName: ofOne(payableLengths.majorName, "Only this major"),
  className: ofOne(payableLengths.className, "Only this class"),
};

export const payableFilter = z.object({
  keyword: freeText(255).optional().describe("Substring of the student's name or number"),
  grade: freeText().optional().describe("Only this grade. Not in the interface documents"),
  years: freeText().optional().describe("Only this charging year. Not in the interface documents"),
  pay: z.boolean().optional().describe("Whether the payable is paid. Not in the interface documents"),
  state: z
    .enum(["due", "unpaid", "partly", "paid"])
    .optional()
    .describe(
      "due: unpaid or partly paid; partly: an amount is due, and some was paid or waived. Not in the interface documents",
    ),
  ...ofStudents,
  overdue: z.enum(["1"]).optional().describe("1: only payables with an amount due whose due date has passed"),
});

const id = z.object({ id: recordId() });
const administrators = { who: "administrator" } as const;
export const prefix = "/tuitionpayment";
export const ownOfAdministrators = under(prefix, { access: administrators, own: true });
export const scopedOfAdministrators = under(prefix, { access: administrators, own: true, scoped: true });
export const ownOfStudents = under(prefix, { access: { who: "guest", guests: students }, own: true });
export const { get, post } = under(prefix);

export const studentEndpoints = {
  loginStudent: post("/student/login", {
    summary: "Exchange the campus platform's authorization code for a card token (STUDENT_IDENTITY=campus)",
    access: { who: "anyone", limit: "open" },
    body: z.object({ code: requiredText(1024).describe("wxcode of the campus platform; can be used once") }),
    form: true,
    data: z.object({
      cardNumber: z.string().describe("Send as the header card_number"),
      token: z.string().describe("Send as the header card_token"),
      expireTime: z.int().describe("Epoch milliseconds"),
    }),
    holdsSecret: true,
    problems: ["notAllowedNow", "forbidden", "outsideNotConfigured", "outsideFailed"],
    own: true,
  }),
  findOwnPayable: get("/payableinfo/payableInfo", {
    summary: "Read the student's payable of the earliest unpaid charging year, or of the latest year if all are paid",
    access: { who: "guest", guests: students },
    data: ownPayable,
    problems: ["paymentNotFound"],
  }),
  matchPayable: get("/payableinfo/payableInfo/:studentNo/:studentName", {
    summary: "Read a student's payable by number and name",
    access: { who: "guest", guests: students, mostPerMinute: 20 },
    params: z.object({
      studentNo: requiredText(payableLengths.studentNo).describe(
        "Student number, or identity card number of a new student",
      ),
      studentName: requiredText(payableLengths.studentName),
    }),
    data: matchedPayable,
    problems: ["paymentNotFound"],
  }),
  listOwnPayables: ownOfStudents.get("/payableinfo/years", {
    summary: "Read the student's payables of all charging years, oldest first",
    data: z.array(ownPayable),
  }),
  readOwnNotices: ownOfStudents.get("/notice/own", {
    summary: "Read whether the student gets notices about payments",
    data: noticePreference,
    problems: ["notFound"],
  }),
  changeOwnNotices: ownOfStudents.put("/notice/own", {
    summary: "Turn notices about payments on or off",
    body: noticePreference,
    problems: ["notFound"],
  }),
};

export const payableEndpoints = {
  listPayables: get("/payableinfo/list", {
    summary: "List payables, newest first",
    access: administrators,
    scoped: true,
    query: payableFilter.extend(listQuery("curPage", payableFields)),
    data: pageOf(listedPayable),
  }),
  findPayable: scopedOfAdministrators.get("/payableinfo/info/:id", {
    summary: "Read a payable and whether it is paid",
    params: id,
    data: payable,
    problems: ["notFound"],
  }),
  listPaidPayables: scopedOfAdministrators.get("/payableinfo/paid", {
    summary: "Return which of the given payables are paid, as a list of ids",
    query: z.object({ ids: z.array(recordId()).min(1).max(1000) }),
    data: z.array(recordId()),
  }),
};

export const payableFileEndpoints = {
  importPayables: scopedOfAdministrators.post("/payableinfo/import", {
    summary: "Import payables from a workbook; data is the number of rows",
    upload: { limit: "workbook" },
    fields: z.object({
      dryRun: z.boolean().optional().describe("true: only check the file, without storing anything"),
      replace: z.boolean().optional().describe("true: existing payables are updated from their rows"),
    }),
    idempotent: true,
    problems: ["importFailed"],
  }),
  readImportTemplate: scopedOfAdministrators.get("/payableinfo/importTemplate", {
    summary: "Download the template workbook for the import",
    answer: { as: "file", mime: workbookMime },
  }),
  exportPayables: scopedOfAdministrators.get("/payableinfo/export", {
    summary: "Export payables and their paid state as a workbook",
    query: payableFilter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
};

export const payableChangeEndpoints = {
  savePayable: scopedOfAdministrators.post("/payableinfo/save", {
    summary: "Add a payable",
    body: ignoresFields(z.object(payableBody), { id: "id", pay: "boolean" }),
    idempotent: true,
    problems: ["alreadyExists", "amountWrong", "paymentItemExists"],
  }),
  updatePayable: scopedOfAdministrators.put("/payableinfo/update", {
    summary: "Change an unpaid payable; omitted fields are unchanged",
    body: ignoresFields(z.object(payableBody).partial().extend({ id: recordId().optional() }), { pay: "boolean" }),
    problems: ["idMissing", "notFound", "alreadyExists", "notAllowedNow", "amountWrong", "paymentItemExists"],
  }),
  deletePayable: scopedOfAdministrators.remove("/payableinfo/delete/:id", {
    summary: "Delete an unpaid payable",
    params: id,
    problems: ["notFound", "notAllowedNow"],
  }),
  recordPayment: scopedOfAdministrators.put("/payableinfo/pay/:id/:pay", {
    summary: "Record an administrator's decision that a payable is paid, or undo it",
    group: "money",
    params: z.object({ id: recordId(), pay: z.enum(["true", "false"]) }),
    problems: ["notFound", "notAllowedNow"],
  }),
};
