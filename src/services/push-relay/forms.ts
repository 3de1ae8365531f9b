import { parseJson } from "#platform/contract/json.ts";
import type { Form } from "./selection-contract.ts";

// An event is stored as two texts: its data, and its head, which is the forwarded JSON without the data.

interface Writer {
  readonly contentType: string;
  readonly write: (head: string, data: string) => string;
  /** Whether the receiver refuses the push despite its 2xx status. */
  readonly isRefusal?: (answer: string) => boolean;
}

const json = "application/json";

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * Receivers written for the campus platform answer with code 0, since the campus platform would otherwise repeat a
 * push. Any other code is a refusal.
 */
function saysOtherCode(answer: string): boolean {
  const said = parseJson(answer);
  return typeof said === "object" && said !== null && "code" in said && Number(said.code) !== 0;
}

/** In form "raw", the forwarded request follows the data on a new line. */
export const joinRaw = (data: string, request: string): string => `${data}\n${request}`;
const rawAt = (joined: string): number => joined.lastIndexOf("\n");

export const writers: Readonly<Record<Form, Writer>> = {
  json: { contentType: json, write: (head, data) => head.replace('"data":', () => `"data":${data}`) },
  form: {
    contentType: "application/x-www-form-urlencoded",
    write: (head, data) => {
      const fields = Object.entries(JSON.parse(head.replace('"data":', '"data":null')) as Record<string, unknown>);
      const pairs = fields.map(([name, value]): [string, string] => [name, name === "data" ? data : toText(value)]);
      return new URLSearchParams(pairs).toString();
    },
  },
  raw: { contentType: json, write: (_head, joined) => joined.slice(rawAt(joined) + 1), isRefusal: saysOtherCode },
};

export function splitHead(stored: string): { form: Form; head: string } {
  const start = stored.indexOf("{");
  return { form: (stored.slice(0, start) || "json") as Form, head: stored.slice(start) };
}

const left = ',"left":true}';

/**
 * Marks the event as the notice that its subject no longer meets the conditions. `push_relay.compose_part` writes the
 * same text.
 */
export const markLeft = (head: string): string => head.slice(0, -1) + left;
export const saysLeft = (head: string): boolean => head.endsWith(left);

export const dataOf = (form: Form, data: string): string => (form === "raw" ? data.slice(0, rawAt(data)) : data);

/** Whether a request in form "raw" has its data as plain text. */
export const isDecrypted = ({ form, data }: { readonly form: Form; readonly data: string }): boolean =>
  form === "raw" && (JSON.parse(data.slice(rawAt(data) + 1)) as { raw_data: string }).raw_data === dataOf(form, data);
