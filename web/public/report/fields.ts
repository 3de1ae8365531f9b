import type { ReportTexts } from "./texts.ts";

// Lengths and patterns are copied from the contract, which the server enforces: importing its schemas would double the
// page's size.

export const fieldNames = [
  "name",
  "phone",
  "wxPhone",
  "company",
  "entryName",
  "customerName",
  "trade",
  "projectAmount",
  "tenderTime",
  "licensing",
  "bProduct",
  "product",
  "content",
  "parameters",
] as const;
export type FieldName = (typeof fieldNames)[number];
export type Values = Readonly<Record<FieldName, string>>;

export const noValues = Object.fromEntries(fieldNames.map((name) => [name, ""])) as Values;

export type FieldKind = "text" | "phone" | "time" | "choice" | "list" | "long";

export interface FieldAsked {
  readonly name: FieldName;
  readonly kind: FieldKind;
  /** The maximum length in characters, of each entry if the field is a list. */
  readonly most: number;
  readonly optional?: true;
  readonly autoComplete?: "name" | "tel" | "organization";
}

export const stepNames = ["submitter", "project", "details", "review"] as const;
export type StepName = (typeof stepNames)[number];

export const asked: Readonly<Record<StepName, readonly FieldAsked[]>> = {
  submitter: [
    { name: "name", kind: "text", most: 32, autoComplete: "name" },
    { name: "phone", kind: "phone", most: 32, autoComplete: "tel" },
    { name: "wxPhone", kind: "phone", most: 32, optional: true },
    { name: "company", kind: "text", most: 128, autoComplete: "organization" },
  ],
  project: [
    { name: "entryName", kind: "text", most: 128 },
    { name: "customerName", kind: "text", most: 128 },
    { name: "trade", kind: "text", most: 64 },
    { name: "projectAmount", kind: "text", most: 64 },
    { name: "tenderTime", kind: "time", most: 19 },
    { name: "licensing", kind: "choice", most: 64 },
    { name: "bProduct", kind: "list", most: 64 },
    { name: "product", kind: "text", most: 64, optional: true },
  ],
  details: [
    { name: "content", kind: "long", most: 4000, optional: true },
    { name: "parameters", kind: "long", most: 4000, optional: true },
  ],
  review: [],
};

/** The answers are stored in Chinese whatever the form's language, since administrators read them. */
export const licensingChoices = ["是", "否"] as const;

export const mostFiles = 20;
const mostEntries = 50;

export const toEntries = (text: string): string[] =>
  text
    .split(/[、，,;；\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

export const toTime = (text: string): string => `${text.replace("T", " ")}:00`.slice(0, 19);

const phonePattern = /^(?=.{5,32}$)[\d +()-]+(?:(?:转|x|ext\.) *\d[\d ]*)?$/i;

// The API accepts any text, but administrators compare amounts, so the text must contain a digit or a Chinese numeral.
const amountPattern = /[\d０-９〇零一二三四五六七八九十百千万亿]/;

const countCharacters = (text: string): number => Array.from(text).length;

export function findFault(
  { name, kind, most, optional }: FieldAsked,
  values: Values,
  t: ReportTexts,
): string | undefined {
  const text = values[name].trim();
  if (text === "") return optional ? undefined : t.faults.missing;
  if (kind === "list") return findListFault(toEntries(text), most, t);
  if (countCharacters(text) > most) return t.faults.tooLong(most);
  if (name === "phone" && !phonePattern.test(text)) return t.faults.phone;
  if (name === "projectAmount" && !amountPattern.test(text)) return t.faults.amount;
  if (kind === "time" && Number.isNaN(Date.parse(text))) return t.faults.time;
  return undefined;
}

function findListFault(entries: readonly string[], most: number, t: ReportTexts): string | undefined {
  if (entries.length === 0) return t.faults.missing;
  if (entries.length > mostEntries) return t.faults.tooMany(mostEntries);
  return entries.some((entry) => countCharacters(entry) > most) ? t.faults.tooLong(most) : undefined;
}

export function toBody(values: Values, files: readonly string[]) {
  const trimmed = Object.fromEntries(fieldNames.map((name) => [name, values[name].trim()])) as Values;
  const { wxPhone, product, content, parameters, bProduct, tenderTime, ...needed } = trimmed;
  const optional = Object.entries({ wxPhone, product, content, parameters }).filter(([, text]) => text !== "");
  return {
    ...needed,
    ...Object.fromEntries(optional),
    tenderTime: toTime(tenderTime),
    bProduct: toEntries(bProduct),
    ...(files.length > 0 && { bFile: [...files] }),
  };
}
