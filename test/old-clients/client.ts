import assert from "node:assert/strict";
import { type Answer, type Documented, type Refusal, type Sent, written } from "./documented.ts";
import { findDifferences } from "./judge.ts";
import { toOldPage } from "./old-page.ts";

export interface Ground {
  readonly url: string;
  /** If true, the server has the three compatibility settings, and the requests are in the style of old pages. */
  readonly isOldPage: boolean;
  /**
   * The values of the headers that identify the caller, by header name, or by service and header name if only one service
   * accepts the value. "undocumented" is the operator's token, for operations that document no header.
   */
  readonly credentials: Map<string, string>;
  /** Collects the decisions that explain deviations from the documents. */
  readonly decisions: Set<string>;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/**
 * Asserts that the operation is refused without its header, if it needs one, is refused with the request `refused`, and
 * succeeds as documented.
 */
export async function play(ground: Ground, operation: Documented): Promise<void> {
  await playWithoutHeader(ground, operation);
  if (operation.refused) await playRefusal(ground, operation, operation.refused());
  const sent = (await operation.send?.()) ?? {};
  const reply = await send(ground, operation, sent, readCredential(ground, operation));
  const data = judgeSuccess(ground, answerOf(operation), reply);
  await operation.check?.(data as never, reply.headers);
}

const answerOf = ({ answer = { envelope: written } }: Documented): Answer => answer;

const credentialOf = ({ header, always }: Documented): string | undefined =>
  header ?? (always ? "undocumented" : undefined);

const headerNames: Readonly<Record<string, string>> = { undocumented: "admin_token" };

function readCredential(ground: Ground, operation: Documented): Record<string, string> {
  const name = credentialOf(operation);
  if (name === undefined) return {};
  // An old page sends no header where none is documented.
  if (name === "undocumented" && ground.isOldPage && !operation.always) return {};
  const value = ground.credentials.get(serviceOf(operation) + name) ?? ground.credentials.get(name);
  assert.ok(value, `nobody has signed in for ${operation.call}`);
  return { [headerNames[name] ?? name]: value };
}

export const serviceOf = ({ call }: Pick<Documented, "call">): string =>
  `${call.split("/")[1]?.replace("enablePayLimit", "tuitionpayment")} `;

async function playWithoutHeader(ground: Ground, operation: Documented): Promise<void> {
  if (credentialOf(operation) === undefined) return;
  if (operation.header === "undocumented" && ground.isOldPage && !operation.always) return;
  await expectRefusal(ground, operation, {}, {}, { code: "10012", status: 401 });
}

async function playRefusal(ground: Ground, operation: Documented, refusal: Refusal): Promise<void> {
  await expectRefusal(ground, operation, refusal, readCredential(ground, operation), refusal);
}

async function expectRefusal(
  ground: Ground,
  operation: Documented,
  sent: Sent,
  headers: Record<string, string>,
  { code, status }: Pick<Refusal, "code" | "status">,
): Promise<void> {
  const reply = await send(ground, operation, sent, headers);
  const json = JSON.parse(reply.bytes.toString()) as Record<string, unknown>;
  const inEnvelope = "envelope" in answerOf(operation);
  const isBare = "bare" in answerOf(operation);
  const own = codeOf(operation, code);
  assert.deepEqual(
    [reply.status, Object.keys(json).toSorted(), json["code"], json["success"]],
    isBare
      ? [status, ["code", "message"], Number(own), undefined]
      : [ground.isOldPage && inEnvelope ? 200 : status, ["code", "data", "message", "success"], own, false],
    `${operation.call} answered ${reply.bytes.toString().slice(0, 300)}`,
  );
}

/** The push relay documents a code of its own for a missing header. */
const codeOf = ({ call }: Documented, code: string): string =>
  call.includes(" /wx/") && code === "10012" ? "10002" : code;

function judgeSuccess(ground: Ground, answer: Answer, { status, headers, bytes }: Reply): unknown {
  const text = bytes.toString();
  assert.equal(status, 200, text.slice(0, 300));
  const type = headers.get("content-type") ?? "";
  if ("plain" in answer) {
    assert.equal(answer.plain === "nothing", text === "", text);
    return text;
  }
  if ("file" in answer) {
    assert.ok(type.startsWith(answer.file) && bytes.length > 0, type);
    return bytes;
  }
  assert.match(type, /^application\/json/);
  const json = JSON.parse(text) as Record<string, unknown>;
  const envelope = { success: "boolean", message: "string", code: "string", data: {} } as const;
  const shape = "bare" in answer ? answer.bare : { ...envelope, data: answer.envelope };
  assert.deepEqual(findDifferences(json, shape, ground.decisions, "answer"), []);
  if ("bare" in answer) return json;
  assert.deepEqual([json["success"], json["code"]], [true, "0"], text.slice(0, 300));
  return json["data"];
}

async function send(
  { url, isOldPage }: Ground,
  { call }: Documented,
  sent: Sent,
  headers: Record<string, string>,
): Promise<Reply> {
  const [method = "", template = ""] = call.split(" ");
  const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(sent.params?.[name] ?? "1"),
  );
  const request = toRequest(isOldPage ? toOldPage(sent) : sent);
  const response = await fetch(`${url}${isOldPage ? `/${path}/` : path}${request.search}`, {
    method,
    headers: { ...headers, ...request.headers, ...(isOldPage && { "X-Requested-With": "XMLHttpRequest" }) },
    ...(request.body !== undefined && { body: request.body as string }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

function toRequest({ query = {}, body, form, file, fields }: Sent & { readonly fields?: FormData }) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  );
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
  if (fields) return { search, headers: {}, body: fields };
  if (file) {
    const data = new FormData();
    data.append("file", new Blob([new Uint8Array(file.bytes)]), file.name);
    return { search, headers: {}, body: data };
  }
  if (form) {
    const pairs = Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return { search, headers: {}, body: new URLSearchParams(pairs) };
  }
  if (body === undefined) return { search, headers: {}, body };
  return { search, headers: { "content-type": "application/json; charset=utf-8" }, body: JSON.stringify(body) };
}
