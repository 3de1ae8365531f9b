import { parseJson } from "#platform/contract/json.ts";
import type { Form } from "./selection-contract.ts";

// The ways to a body. An event is stored as its head, which is the JSON that is forwarded but for the data, and its data.

interface Writer {
  readonly contentType: string;
  readonly write: (head: string, data: string) => string;
  /** Whether an answer with 2xx says all the same that it was not taken; left out, none does. */
  readonly isRefusal?: (answer: string) => boolean;
}

const json = "application/json";

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The campus platform sends again whatever is answered with another code than 0, so its receivers refuse by that. */
function saysOtherCode(answer: string): boolean {
  const said = parseJson(answer);
  return typeof said === "object" && said !== null && "code" in said && Number(said.code) !== 0;
}

/** Of the form raw the data have the request that is forwarded on a line of its own behind them. */
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

/** @param stored a form's name, unless it is json, and the head @returns the two, apart */
export function splitHead(stored: string): { form: Form; head: string } {
  const start = stored.indexOf("{");
  return { form: (stored.slice(0, start) || "json") as Form, head: stored.slice(start) };
}

const left = ',"left":true}';

/** The head of what tells a project that its conditions hold no more, as `push_relay.compose_part` makes it. */
export const markLeft = (head: string): string => head.slice(0, -1) + left;
export const saysLeft = (head: string): boolean => head.endsWith(left);

/** The data alone, whatever the form. */
export const dataOf = (form: Form, data: string): string => (form === "raw" ? data.slice(0, rawAt(data)) : data);
