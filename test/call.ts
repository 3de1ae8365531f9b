import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";

export interface CallOptions {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly query?: Record<string, string | number | readonly (string | number)[] | undefined>;
  readonly headers?: Record<string, string>;
  /** A request body that is sent as it is, instead of `body` as JSON. */
  readonly raw?: string | FormData | Uint8Array | URLSearchParams;
  readonly file?: readonly [name: string, content: string | Uint8Array | Blob];
  readonly fields?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The JSON is untyped, since tests read any field of the contract.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

/** @throws if there is no complete answer: the connection fails or is lost, or the signal aborts the call */
export async function send(
  base: string,
  method: string,
  target: string,
  { body, token, query = {}, headers = {}, file, fields = {}, raw = toForm(file, fields), signal }: CallOptions = {},
): Promise<Answer> {
  const url = new URL(base + target);
  for (const [key, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(key, String(one));
  }
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers: { ...json, ...(token === undefined ? {} : { admin_token: token }), ...headers },
    ...(raw !== undefined ? { body: raw as never } : body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function toForm(file: CallOptions["file"], fields: NonNullable<CallOptions["fields"]>): FormData | undefined {
  if (!file) return undefined;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const [name, content] = file;
  form.append("file", content instanceof Blob ? content : new Blob([content as string]), name);
  return form;
}

/** Returns the data of a successful answer, and fails for any other answer. */
export function getData({ json: said, text }: Answer): Answer["json"] {
  assert.equal(said?.code, "0", text);
  return said.data;
}

/** Posts with the given Host header, which fetch cannot set. */
export async function postByHost(
  base: string,
  host: string,
  target: string,
  { body, token = "" }: Pick<CallOptions, "body" | "token">,
): Promise<Answer["json"]> {
  const headers = { host, admin_token: token, "content-type": "application/json" };
  const asked = request(base + target, { method: "POST", headers }).end(JSON.stringify(body));
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return json(answer);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
