import type { CampusEvent } from "./campus-contract.ts";
import { encrypt } from "./cipher.ts";
import { joinRaw } from "./forms.ts";
import { type SourceRequest, subjectFields } from "./received-event.ts";
import { type Form, type GivenSelection, type Selection, wholeSelection } from "./selection-contract.ts";

export interface SourceEvent {
  readonly event: CampusEvent;
  readonly schoolCode: string;
  readonly data: string;
}

export interface Part {
  readonly form: Form;
  readonly data: string;
  /** Whether the subject meets the conditions; null if there are none. */
  readonly fits: boolean | null;
}

const selectionNames = Object.keys(wholeSelection) as (keyof Selection)[];

export function changeSelection(before: Selection | null, given: GivenSelection): Selection | null {
  const from = before ?? wholeSelection;
  const next = Object.fromEntries(selectionNames.map((name) => [name, given[name] ?? from[name]])) as Selection;
  return JSON.stringify(next) === JSON.stringify(wholeSelection) ? null : next;
}

/** Returns the top-level values as unparsed text. If a name occurs twice, the last value counts, as in JSON.parse. */
export function readMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let [depth, from, name] = [0, -1, ""];
  for (let at = 0; at < text.length; at++) {
    const one = text[at];
    if (one === '"') {
      const end = findStringEnd(text, at);
      if (depth === 1 && from < 0) name = readString(text.slice(at, end + 1));
      at = end;
    } else if (one === "{" || one === "[") depth++;
    else if (one === ":" && depth === 1) from = at + 1;
    else if (one === "," || one === "}" || one === "]") {
      if (depth === 1 && from >= 0) {
        members.set(name, text.slice(from, at).trim());
        from = -1;
      }
      if (one !== ",") depth--;
    }
  }
  return members;
}

function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}

const readString = (quoted: string): string =>
  quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);

export function openSource(source: SourceEvent, request: SourceRequest | undefined) {
  const { event, data } = source;
  let members: Map<string, string> | undefined;
  const read = () => (members ??= readMembers(data));
  const made = new Map<string, string>();
  const make = (key: string, work: () => string): string => {
    const known = made.get(key) ?? work();
    made.set(key, known);
    return known;
  };
  const holds = ({ field, in: values }: Selection["when"][number]): boolean => {
    const text = read().get(field);
    if (text === undefined) return false;
    const value: unknown = JSON.parse(text);
    // Parsing rounds a long number, so the value is compared as it is written too.
    const present = new Set((Array.isArray(value) ? value : [value, text]).map(String));
    return values.some((one) => present.has(String(one)));
  };
  const choose = (names: readonly string[] | undefined): string => {
    if (!names) return data;
    const wanted = new Set(names);
    // The field that identifies the subject is always included, since receivers need it.
    const own = subjectFields[/User$|Org$/.exec(event)?.[0] ?? ""]?.field;
    if (own) wanted.add(own);
    const kept: string[] = [];
    for (const [name, text] of read()) if (wanted.has(name)) kept.push(`${JSON.stringify(name)}:${text}`);
    return `{${kept.join(",")}}`;
  };
  /** @returns undefined if the selection excludes the event */
  const partFor = ({ events, fields, when, form, decrypted }: Selection): Part | undefined => {
    if (events.length > 0 && !events.includes(event)) return undefined;
    const fits = when.length === 0 ? null : when.every(holds);
    const names = fields[event];
    const chosen = make(JSON.stringify(names ?? null), () => choose(names));
    if (form !== "raw") return { form, data: chosen, fits };
    const key = JSON.stringify([names, decrypted, fits === false]);
    const write = () => joinRaw(chosen, writeRaw(source, chosen, request, { decrypted, leaves: fits === false }));
    return { form, data: make(key, write), fits };
  };
  return {
    partFor,
    missing: ({ fields }: Selection): string[] => (fields[event] ?? []).filter((name) => !read().has(name)),
  };
}

/**
 * Writes a request of the campus platform. With `decrypted`, `raw_data` is the chosen fields as plain text. Without it,
 * `raw_data` is the received text if all fields were chosen and that text is known, and otherwise the chosen fields,
 * encrypted with the application's keys.
 */
function writeRaw(
  { event, schoolCode, data }: SourceEvent,
  chosen: string,
  request: SourceRequest | undefined,
  { decrypted, leaves }: { readonly decrypted: boolean; readonly leaves: boolean },
): string {
  const encrypted = () => {
    if (chosen === data && request?.rawData !== undefined) return request.rawData;
    // Without the application, the keys are unknown, so the data is not encrypted.
    return request ? encrypt(chosen, request.keys) : chosen;
  };
  return JSON.stringify({
    app_key: request?.keys.appKey ?? "",
    ...(request?.secret !== undefined && { app_secret: request.secret }),
    school_code: schoolCode,
    event,
    raw_data: decrypted ? chosen : encrypted(),
    ...(leaves && { left: true }),
  });
}
