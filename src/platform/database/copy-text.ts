// The text form of COPY: a line a row, values separated by tabs.

export const COPY_NULL = String.raw`\N`;

// Of control characters COPY reads these alone in another way than they are.
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const needsEscape = /[\\\n\r\t\0]/;

/** A text as it stands in a line, without NUL, which PostgreSQL cannot keep. */
export const escapeCopyText = (text: string): string =>
  needsEscape.test(text)
    ? text.replaceAll("\0", "").replaceAll(/[\\\n\r\t]/g, (letter) => escapes[letter] ?? "")
    : text;

export type CopyValue = string | number | null | readonly (string | number)[];

/** One row; an array becomes one of PostgreSQL's. */
export const toCopyLine = (values: readonly CopyValue[]): string => `${values.map(toField).join("\t")}\n`;

function toField(value: CopyValue): string | number {
  if (value === null) return COPY_NULL;
  if (typeof value === "number") return value;
  return escapeCopyText(typeof value === "string" ? value : `{${value.map(toElement).join(",")}}`);
}

const needsQuoting = /["\\]/;

function toElement(value: string | number): string {
  if (typeof value === "number") return String(value);
  return needsQuoting.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
}
