import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, listQuery, pageOf, patternText, recordId, requiredText } from "#platform/contract/wire.ts";
import { correctionOrder, dayNumber } from "#services/attendance/corrections/contract.ts";
import { employees } from "#services/attendance/own/guests-contract.ts";
import { correctionShape, figure, month } from "#services/attendance/record-contract.ts";

const kinds = ["forgot", "outside", "leave", "system", "other"] as const;
const states = ["open", "accepted", "refused"] as const;
const mostFiles = 3;
const mostPunches = 10;

const punch = z.object({
  slot: requiredText(32).describe("Such as 上班1"),
  time: patternText(/^(?:\d{4}-\d{2}-\d{2} )?(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/, 19, {
    zh: "应为 HH:mm 格式的时间",
    en: "must be a time in the format HH:mm",
  }).meta({ examples: ["08:30"] }),
});

export const newObjection = z.object({
  month: month(),
  groupOfCheck: freeText().optional().describe("Attendance group, if the employee has several rows in the month"),
  day: dayNumber(),
  kind: z
    .enum(kinds)
    .describe(
      "forgot: a forgotten punch; outside: work elsewhere; leave: on leave; system: a system fault; other: another reason",
    ),
  text: requiredText(500),
  files: z.array(freeText(64)).max(mostFiles).optional().describe("File names returned by the employee's uploads"),
  punches: z
    .array(punch)
    .max(mostPunches)
    .optional()
    .describe("Times at which the employee claims to have been present"),
});

export const ownObjection = z.object({
  id: recordId(),
  month: z.string(),
  groupOfCheck: z.string(),
  day: dayNumber(),
  kind: z.enum(kinds),
  text: z.string(),
  files: z.array(z.string()),
  punches: z.array(z.object({ slot: z.string(), time: z.string() })),
  state: z.enum(states),
  makeTime: dateTime(),
  judgeTime: dateTime().nullable().describe("null while the objection is open"),
  note: z.string().nullable(),
  correction: correctionShape
    .nullable()
    .describe("Correction made for the objection; null if there is none or it was undone"),
});

const listedObjection = ownObjection.extend({
  userId: z.string(),
  workNum: z.string(),
  workName: z.string(),
  department: z.string().describe("Empty if the employee is no longer in the month"),
  judgedBy: z.string().nullable(),
  cell: z.string().describe("Cell of the day in the monthly summary"),
  explain: z
    .array(figure)
    .describe("Figures to which the day contributes, with this day's entries only; empty until the month is analysed"),
});

const confirmations = z.object({
  confirmed: z.int(),
  open: z.int().describe("Employees who have neither confirmed nor objected"),
  objecting: z.int().describe("Employees with an open objection"),
  of: z.int(),
  people: z.array(
    z.object({
      userId: z.string(),
      workNum: z.string(),
      workName: z.string(),
      department: z.string(),
      groupOfCheck: z.string(),
      state: z.enum(["confirmed", "objecting", "open"]),
      confirmTime: dateTime().nullable(),
    }),
  ),
});

const byAdministrators = under("/attendance", { access: { who: "administrator" }, own: true, scoped: true });

export const objectionEndpoints = {
  listObjections: byAdministrators.get("/objection/list", {
    summary: "List objections with each day's evidence, newest first by default",
    query: z.object({
      ...listQuery("curPage", ["makeTime"]),
      month: month().optional(),
      state: z.enum(states).optional(),
      department: freeText().optional(),
    }),
    data: pageOf(listedObjection),
  }),
  judgeObjection: byAdministrators.put("/objection/judge/:id", {
    summary: "Accept an objection, with or without a correction, or reject it with a note",
    params: z.object({ id: recordId() }),
    body: z
      .object({
        accept: z.boolean(),
        note: freeText(500).optional().describe("Required for a rejection"),
        correction: correctionOrder.optional(),
      })
      .refine(({ accept, note }) => accept || (note ?? "").trim() !== "", {
        params: { complaint: { zh: "驳回时必须填写 note", en: "note is required for a rejection" } },
      })
      .refine(({ accept, correction }) => accept || !correction, {
        params: { complaint: { zh: "驳回时不能附带更正", en: "a rejection must not include a correction" } },
      }),
    problems: ["notFound", "alreadyExists", "notAllowedNow"],
  }),
  readObjectionFile: under("/attendance").get("/objection/file/:name", {
    summary: "Read a file attached to an objection, as an administrator or as the employee who raised it",
    access: { who: "administrator", orGuests: employees },
    own: true,
    scoped: true,
    params: z.object({ name: freeText(255) }),
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound", "outsideFailed"],
  }),
  listConfirmations: byAdministrators.get("/month/confirmations", {
    summary: "List which employees of an analysed month have confirmed their current row",
    query: z.object({ month: month() }),
    data: confirmations,
    problems: ["notFound"],
  }),
};
