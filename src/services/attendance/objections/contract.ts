import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  decimal,
  freeText,
  listQuery,
  pageOf,
  patternText,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
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
    en: "must be a time as HH:mm",
  }).meta({ examples: ["08:30"] }),
});

export const newObjection = z.object({
  month: month(),
  groupOfCheck: freeText().optional().describe("Where several rows of the month are the employee's"),
  day: dayNumber(),
  kind: z.enum(kinds).describe("A forgotten punch, work elsewhere, leave, a fault of the system, or else"),
  text: requiredText(500),
  files: z.array(freeText(64)).max(mostFiles).optional().describe("Names that the employee's uploads answered"),
  punches: z.array(punch).max(mostPunches).optional().describe("When the employee was there, by the own word"),
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
  judgeTime: dateTime().nullable().describe("null while it is open"),
  note: z.string().nullable(),
  correction: correctionShape.nullable().describe("By which it was met; null: none, or undone since"),
});

const listedObjection = ownObjection.extend({
  userId: z.string(),
  workNum: z.string(),
  workName: z.string(),
  department: z.string().describe("Blank where the month has no such employee any more"),
  judgedBy: z.string().nullable(),
  cell: z.string().describe("What the month sheet says of the day"),
  explain: z
    .array(figure)
    .describe("The figures that the day adds to, with its entries alone; none until it is analysed"),
});

const confirmations = z.object({
  confirmed: z.int(),
  open: z.int().describe("Neither confirmed nor objecting"),
  objecting: z.int().describe("With an open objection"),
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

const access = { who: "administrator" } as const;

export const objectionEndpoints = {
  listObjections: endpoint({
    method: "GET",
    url: "/attendance/objection/list",
    summary: "What employees say is wrong, newest first unless asked otherwise, with what each day rests on",
    access,
    own: true,
    scoped: true,
    query: z.object({
      ...listQuery("curPage", ["makeTime"]),
      month: month().optional(),
      state: z.enum(states).optional(),
      department: freeText().optional(),
    }),
    answer: { as: "envelope", data: pageOf(listedObjection) },
  }),
  judgeObjection: endpoint({
    method: "PUT",
    url: "/attendance/objection/judge/:id",
    summary: "Accept an objection, with a correction or without, or refuse it with a note",
    access,
    own: true,
    scoped: true,
    params: z.object({ id: recordId() }),
    body: z
      .object({
        accept: z.boolean(),
        note: freeText(500).optional().describe("Needed to refuse"),
        correction: correctionOrder.optional(),
      })
      .refine(({ accept, note }) => accept || (note ?? "").trim() !== "", {
        params: { complaint: { zh: "驳回时应填写 note", en: "note is needed to refuse" } },
      })
      .refine(({ accept, correction }) => accept || !correction, {
        params: { complaint: { zh: "驳回时不能更正", en: "what is refused corrects nothing" } },
      }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "alreadyExists", "notAllowedNow"],
  }),
  readObjectionFile: endpoint({
    method: "GET",
    url: "/attendance/objection/file/:name",
    summary: "Read a file of an objection: for administrators, and for the employee who sent it",
    access: { who: "administrator", orGuests: employees },
    own: true,
    scoped: true,
    params: z.object({ name: freeText(255) }),
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound", "outsideFailed"],
  }),
  listConfirmations: endpoint({
    method: "GET",
    url: "/attendance/month/confirmations",
    summary: "Who has confirmed the own row of an analysed month, as it is now",
    access,
    own: true,
    scoped: true,
    query: z.object({ month: month() }),
    answer: { as: "envelope", data: confirmations },
    problems: ["notFound"],
  }),
};
