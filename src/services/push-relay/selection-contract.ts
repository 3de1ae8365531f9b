import * as z from "zod";
import { requiredText } from "#platform/contract/wire.ts";
import { campusEvents } from "./campus-contract.ts";

const mostFields = 200;
const mostConditions = 10;
const mostValues = 500;
const mostPerSecond = 10_000;

export const forms = ["json", "form", "raw"] as const;
export type Form = (typeof forms)[number];

const field = requiredText().meta({ examples: ["identity_type", "name", "organization"] });

const condition = z.object({
  field,
  in: z
    .array(z.union([requiredText(), z.number(), z.boolean()]))
    .min(1)
    .max(mostValues)
    .describe("Compared as text; of a field that is an array, one of its values will do"),
});

export const selectionFields = {
  events: z.array(z.enum(campusEvents)).max(campusEvents.length).describe("Others do not reach it; empty: all do"),
  fields: z
    .partialRecord(z.enum(campusEvents), z.array(field).min(1).max(mostFields))
    .describe(
      "Of an event only these fields of data, and the subject's number; an event that is not named is given whole",
    ),
  when: z
    .array(condition)
    .max(mostConditions)
    .describe(
      "All must hold of the event as it came; whoever stops to meet them is told of once more, with left: true",
    ),
  form: z
    .enum(forms)
    .describe("json; form: the same names urlencoded, data as JSON text; raw: the campus platform's own request"),
  decrypted: z.boolean().describe("Of the form raw: raw_data is the decrypted JSON text"),
  perSecond: z.int().min(0).max(mostPerSecond).describe("At most so many begin in a second; 0: as many as it takes"),
};

export type Selection = z.output<z.ZodObject<typeof selectionFields>>;

export const givenSelection = z.object(selectionFields).partial();
export type GivenSelection = z.output<typeof givenSelection>;

export const wholeSelection: Selection = {
  events: [],
  fields: {},
  when: [],
  form: "json",
  decrypted: false,
  perSecond: 0,
};

const previewStates = ["given", "left", "notGiven", "noEvent"] as const;

export const preview = z.object({
  state: z
    .enum(previewStates)
    .describe("left: only if it was told of the subject before; noEvent: none of the kind is among the latest"),
  contentType: z.string().nullable(),
  body: z.string().nullable().describe("As it would be sent; null when nothing would be"),
  missing: z.array(z.string()).describe("Fields that are chosen and that the event does not have"),
});
