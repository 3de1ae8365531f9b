export const COPY_NULL = String.raw`\N`;

// COPY gives no special meaning to other control characters.
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const needsEscape = /[\\\n\r\t\0]/;

export const escapeCopyText = (text: string): string =>
  needsEscape.test(text)
    ? text.replaceAll("\0", "").replaceAll(/[\\\n\r\t]/g, (letter) => escapes[letter] ?? "")
    : text;

export type CopyValue = string | number | null | readonly (string | number)[];

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
