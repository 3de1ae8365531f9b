import type { Sent } from "./documented.ts";

// Pages written against a lenient server send empty parameters, numbers for documented strings and vice versa,
// JavaScript's time format, and forms and logins as FormData.

export function toOldPage({ query, body, form, ...rest }: Sent): Sent & { readonly fields?: FormData } {
  const oldForm = form ?? (isLogin(body) ? body : undefined);
  return {
    ...rest,
    ...(query && { query: spoilQuery(query) }),
    ...(oldForm ? { fields: toFields(oldForm) } : body === undefined ? {} : { body: spoil(body) }),
  };
}

const isLogin = (body: unknown): body is Record<string, string> =>
  typeof body === "object" && body !== null && Object.keys(body).join() === "userName,password";

function toFields(form: Readonly<Record<string, string | undefined>>): FormData {
  const fields = new FormData();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) fields.append(name, value);
  return fields;
}

const nothings = ["undefined", "null", ""];

const spoilQuery = (query: NonNullable<Sent["query"]>): NonNullable<Sent["query"]> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value], index) => {
      if (name === "pageSize" && value === undefined) return [name, 100_000];
      if (name === "order" && typeof value === "string") return [name, `${value}ending`];
      if (typeof value === "string") return [name, spoilTime(value)];
      return [name, value === undefined ? nothings[index % nothings.length] : value];
    }),
  );

const spoilTime = (text: string): string =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:00$/.test(text) ? text.replace(" ", "T").slice(0, -3) : text;

/**
 * Turns numbers into text, integers in text into numbers, absent values into null, and times into the formats that old
 * pages send.
 */
function spoil(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return /^(?:0|[1-9]\d{0,9})$/.test(value) ? Number(value) : spoilText(value);
  if (Array.isArray(value)) return value.map(spoil);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, spoil(part)]));
  return value;
}

const spoilText = (text: string): string =>
  /^\d\d:\d\d-\d\d:\d\d/.test(text) ? text.replaceAll(/\b0(\d):/g, "$1:").replaceAll("-", "~") : spoilTime(text);
