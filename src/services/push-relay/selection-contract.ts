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
    .describe("Compared as text; an array field matches by any of its values"),
});

export const selectionFields = {
  events: z.array(z.enum(campusEvents)).max(campusEvents.length).describe("Event kinds to deliver; empty: all"),
  fields: z
    .partialRecord(z.enum(campusEvents), z.array(field).min(1).max(mostFields))
    .describe(
      "For each kind of event, the fields of `data` to deliver in addition to the subject's number; kinds not listed are delivered completely",
    ),
  when: z
    .array(condition)
    .max(mostConditions)
    .describe(
      "Conditions on the received event, all required; a subject that stops meeting them is delivered once more, with `left` true",
    ),
  form: z
    .enum(forms)
    .describe(
      "Format of the body. json: JSON; form: the same fields URL-encoded, with `data` as JSON text; raw: the campus platform's original request",
    ),
  decrypted: z.boolean().describe("Only for the format raw: whether `raw_data` is decrypted JSON text"),
  perSecond: z.int().min(0).max(mostPerSecond).describe("Maximum deliveries per second; 0: no limit"),
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
    .describe(
      "given: the event would be delivered; left: the subject does not match, so the event would be delivered only if the subject was delivered before; notGiven: the event would not be delivered; noEvent: there is no recent event of this kind",
    ),
  contentType: z.string().nullable(),
  body: z.string().nullable().describe("Body that would be sent; null: nothing would be sent"),
  missing: z.array(z.string()).describe("Selected fields missing from the event"),
});
