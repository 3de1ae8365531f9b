/** What a spreadsheet program allows in one cell, counted in UTF-16 units as Excel counts. */
export const MAX_CELL_CHARS = 32_767;

// Excel runs a cell that is edited, or pasted, when it starts with one of these. The last four are what
// an East Asian keyboard types for = + - @ ; Excel in those languages takes them as the narrow ones.
const FORMULA_START = new Set(Array.from("=+-@\t\r\n＝＋－＠", (character) => character.charCodeAt(0)));

// oxlint-disable-next-line no-control-regex -- these are the characters that the test is for
const NEEDS_CARE = /[&<>\u0000-\u001f\ud800-\udfff\ufffe\uffff]|_x|^ | $/;
// oxlint-disable-next-line no-control-regex
const FORBIDDEN_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
// oxlint-disable-next-line no-control-regex
const ALLOWED_IN_XML = /[^\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;

/**
 * True if a spreadsheet program might take the text for a formula when somebody edits or pastes it. What a cell cannot
 * hold is left out of it, so it is the first character behind that which the program sees.
 */
export function startsLikeFormula(text: string): boolean {
  return FORMULA_START.has(text.charCodeAt(text.search(ALLOWED_IN_XML)));
}

/**
 * The `<t>` element of an inline string: cut at 32,767 (never inside a surrogate pair), without what
 * XML 1.0 forbids, and with `_xHHHH_`, which spreadsheet programs read as an escape, kept literal.
 */
export function toTextElement(value: string): string {
  const text = value.length > MAX_CELL_CHARS ? cutText(value) : value;
  if (!NEEDS_CARE.test(text)) return `<t>${text}</t>`;
  return `<t xml:space="preserve">${escapeText(text)}</t>`;
}

/** The value of an XML attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}

function cutText(text: string): string {
  const last = text.charCodeAt(MAX_CELL_CHARS - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? MAX_CELL_CHARS - 1 : MAX_CELL_CHARS);
}

// A form sends line ends as CR LF; a cell's line end is LF. A single CR needs a reference, since an XML
// reader turns a bare one into LF.
function escapeText(text: string): string {
  return text
    .replace(FORBIDDEN_IN_XML, "")
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(LOOKS_ESCAPED, "_x005F_")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "&#13;");
}
