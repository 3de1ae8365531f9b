// `JSON.parse` says where it stopped only of some faults. This goes over a text that it has refused, once more and by
// itself, and without a stack of its own that a deep text could use up.

type Wanted = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing";

const blank = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** Where a text stops being JSON, as an index into it; its length where something is still to come. */
export function findJsonFault(text: string): number {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  let at = skip(text, blank, 0);
  while (at < text.length) {
    const next = takeToken(text, at, wanted, open);
    if (typeof next === "number") return next;
    wanted = next.wanted;
    at = skip(text, blank, next.end);
  }
  return at;
}

type Taken = { readonly end: number; readonly wanted: Wanted } | number;

/** Takes what stands at a place, where that is what is wanted; else says at which index it is not. */
function takeToken(text: string, at: number, wanted: Wanted, open: ("{" | "[")[]): Taken {
  const letter = text[at] ?? "";
  const after = (): Wanted => (open.length === 0 ? "nothing" : "commaOrEnd");
  const wantsValue = wanted === "value" || wanted === "valueOrEnd";
  const wantsKey = wanted === "key" || wanted === "keyOrEnd";
  if (wantsValue && (letter === "{" || letter === "[")) {
    open.push(letter);
    return { end: at + 1, wanted: letter === "{" ? "keyOrEnd" : "valueOrEnd" };
  }
  if (letter === '"' && (wantsValue || wantsKey)) {
    const { end, isWhole } = takeString(text, at);
    return isWhole ? { end, wanted: wantsKey ? "colon" : after() } : end;
  }
  if (wanted === "colon" && letter === ":") return { end: at + 1, wanted: "value" };
  if (wanted === "commaOrEnd" && letter === ",") return { end: at + 1, wanted: open.at(-1) === "{" ? "key" : "value" };
  const closes = letter === "}" ? open.at(-1) === "{" : letter === "]" && open.at(-1) === "[";
  if (closes && ["valueOrEnd", "keyOrEnd", "commaOrEnd"].includes(wanted)) {
    open.pop();
    return { end: at + 1, wanted: after() };
  }
  const end = wantsValue ? skip(text, scalar, at) : at;
  return end > at ? { end, wanted: after() } : at;
}

/** Its end is behind the closing quote, else where it stops being a string. */
function takeString(text: string, from: number): { readonly end: number; readonly isWhole: boolean } {
  let at = from + 1;
  while (at < text.length) {
    const letter = text.charAt(at);
    if (letter === '"') return { end: at + 1, isWhole: true };
    const end = letter === "\\" ? skip(text, escape, at) : at + 1;
    if (letter < " " || end === at) break;
    at = end;
  }
  return { end: at, isWhole: false };
}

function skip(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
