import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { describeApi } from "#platform/openapi/index.ts";
import { dereference } from "#test/dereference.ts";
import { envelopeFields, findStrays, isEnvelope, isRecord, wrapBare } from "#test/answers.ts";
import type { Outcome, Reply } from "./exchange.ts";
import { missesOperation, type Operation, type Shot, type Wire } from "./shot.ts";

export type Law = ReturnType<typeof makeLaw>;

export function makeLaw(contracts: readonly ServiceContract[], placesOfMachine: readonly string[]) {
  const document = dereference(describeApi(contracts, { title: "", version: "", basePath: "" }));
  const answers = new Map<string, ReadonlySet<string>>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods))
      answers.set(`${method} ${path}`, listFailures(described));
  return {
    /** The failures that OpenAPI documents for the operation, each as `status code`. */
    documented: ({ endpoint }: Operation): ReadonlySet<string> =>
      answers.get(`${endpoint.method.toLowerCase()} ${endpoint.url.replaceAll(/:(\w+)/g, "{$1}")}`) ?? new Set(),
    forbidden: [
      "    at ",
      "node_modules",
      "select ",
      "insert into ",
      "DatabaseError",
      "ConnectionLoss",
      "node:internal",
      ...placesOfMachine,
    ],
  };
}

interface Described {
  readonly responses: Readonly<
    Record<
      string,
      { content: { "application/json"?: { schema: { allOf?: { properties?: { code: { enum: string[] } } }[] } } } }
    >
  >;
}

const listFailures = (described: object): ReadonlySet<string> =>
  new Set(
    Object.entries((described as Described).responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { content }]) =>
        (content["application/json"]?.schema.allOf?.[1]?.properties?.code.enum ?? []).map(
          (code) => `${status} ${code}`,
        ),
      ),
  );

export interface Verdict {
  readonly succeeded: boolean;
  readonly data?: unknown;
  readonly code?: string;
  readonly faults: readonly string[];
}

export function judge(law: Law, shot: Shot, wire: Wire, token: string | undefined, outcome: Outcome): Verdict {
  if (outcome === "late") return { succeeded: false, faults: ["no answer within 10 s"] };
  // The server may close the connection before it has read a body that is cut off or too large.
  if (outcome === "broken")
    return { succeeded: false, faults: wire.cut || wire.isOversized ? [] : ["the connection broke"] };
  const verdict = judgeReply(law, shot, wire, outcome);
  return { ...verdict, faults: [...verdict.faults, ...findLeaks(law, shot, token, outcome)] };
}

function judgeReply(law: Law, shot: Shot, wire: Wire, reply: Reply): Verdict {
  // Node itself may answer a request that is cut off, so the documented failures of the operation do not apply.
  if (wire.cut)
    return { succeeded: false, faults: reply.status >= 500 ? [`${reply.status} to a request that was cut off`] : [] };
  // A response without a body has no code, so only the status can be compared.
  if (wire.method === "HEAD" || reply.status === 304) {
    const failures = [...law.documented(shot.operation)];
    const isKnown = reply.status < 500 || failures.some((failure) => failure.startsWith(`${reply.status} `));
    return { succeeded: false, faults: isKnown ? [] : [`${reply.status} without a body`] };
  }
  if (missesOperation(shot)) return judgeStranger(shot, reply);
  const { answer } = shot.operation.endpoint;
  if (answer.as === "reply" && reply.status in answer.replies) return { succeeded: true, faults: [] };
  const isSuccess =
    reply.status === 200 &&
    (answer.as !== "envelope" || isFile(answer, reply) || parseJson(reply)?.["success"] === true);
  return isSuccess ? judgeSuccess(shot, wire, reply) : judgeFailure(law, shot, reply);
}

const isFile = (answer: Endpoint["answer"], { headers }: Reply): boolean =>
  answer.as === "envelope" && answer.orFile !== undefined && headers["content-type"] === answer.orFile;

function parseJson({ body }: Reply): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function judgeStranger({ operation: { endpoint } }: Shot, reply: Reply): Verdict {
  const envelope = parseJson(reply);
  if (reply.status === 431) return { succeeded: false, faults: [] };
  // An operation without an envelope refuses an unsupported method with code and message only.
  const known = endpoint.answer.as === "bare" ? [envelopeFields, "code,message"] : [envelopeFields];
  if (envelope && !known.includes(Object.keys(envelope).toSorted().join()))
    return { succeeded: false, faults: ["an envelope with other fields"] };
  return { succeeded: false, faults: reply.status >= 500 && envelope?.["code"] !== "20004" ? [`${reply.status}`] : [] };
}

function judgeSuccess(shot: Shot, wire: Wire, reply: Reply): Verdict {
  const {
    operation: { endpoint, contract },
    caller,
  } = shot;
  const faults: string[] = [];
  if (wire.mustFail) faults.push("success, though the schema refuses the request");
  const openTo =
    endpoint.access.who === "anyone" || (endpoint.access.who === "download" && wire.path.includes("ticket="));
  const mayCall =
    ["right", "alsoRight"].includes(caller) || (contract.name === "platform" && endpoint.access.who !== "operator");
  if (!openTo && !mayCall) faults.push(`success with the token "${caller}"`);
  if (endpoint.answer.as === "bare")
    return { succeeded: true, faults: [...faults, ...findStrays(endpoint.answer.data, parseJson(reply))] };
  if (endpoint.answer.as !== "envelope" || isFile(endpoint.answer, reply))
    return { succeeded: true, data: reply.body.toString("latin1"), faults };
  const envelope = parseJson(reply);
  if (!isEnvelope(envelope) || envelope.code !== "0")
    return { succeeded: true, faults: [...faults, "a success without the four fields of the envelope"] };
  const { data } = envelope;
  return { succeeded: true, data, faults: [...faults, ...findStrays(endpoint.answer.data, data)] };
}

function judgeFailure(law: Law, shot: Shot, reply: Reply): Verdict {
  const { contract, endpoint } = shot.operation;
  const envelope = endpoint.answer.as === "bare" ? wrapBare(parseJson(reply)) : parseJson(reply);
  if (!isEnvelope(envelope))
    return {
      succeeded: false,
      faults: [`${reply.status} without the envelope: ${reply.body.subarray(0, 200).toString()}`],
    };
  const { code, success, message } = envelope;
  const faults: string[] = [];
  if (success) faults.push(`success true with ${reply.status}`);
  const kinds = Object.values(contract.problems).filter((kind) => kind.code === code && kind.status === reply.status);
  if (kinds.length === 0) faults.push(`${reply.status} with ${code}, which is not in the table`);
  const said = `${reply.status} ${code}`;
  const isOutside = code === contract.problems.outsideFailed.code && law.documented(shot.operation).has(said);
  if (reply.status >= 500 && !isOutside) faults.push(`${said} ${message}`);
  else if (!law.documented(shot.operation).has(said) && !isOfTransport(shot, said))
    faults.push(`${said} (${message.slice(0, 80)}) is not documented for the operation`);
  if (
    endpoint.access.who !== "anyone" &&
    ["none", "empty", "unknown", "long", "revoked"].includes(shot.caller) &&
    ![401, 431].includes(reply.status) &&
    !isOfTransport(shot, said)
  )
    faults.push(`${said} to the token "${shot.caller}"`);
  return { succeeded: false, code, faults };
}

/**
 * Whether `said` reports a bad format or too large a body, and the shot spoils the request's body, content type or
 * upload form.
 */
function isOfTransport({ operation: { contract, endpoint }, text, contentType, form }: Shot, said: string): boolean {
  const { badFormat, bodyTooLarge } = contract.problems;
  const spoilt =
    text !== undefined ||
    contentType !== undefined ||
    (endpoint.upload !== undefined && ["json", "emptyBody", "junk", "noBoundary"].includes(form));
  return spoilt && [badFormat, bodyTooLarge].some((kind) => said === `${kind.status} ${kind.code}`);
}

function findLeaks(law: Law, { operation }: Shot, token: string | undefined, { body }: Reply): string[] {
  const text = body.toString("latin1");
  // The list of settings shows DATA_DIR to operators, so its answer is not searched for forbidden texts.
  const leaks =
    operation.name === "listSettings"
      ? []
      : law.forbidden
          .filter((piece) => text.includes(piece))
          .map((piece) => `the answer holds ${JSON.stringify(piece)}`);
  return token !== undefined && token.length > 10 && text.includes(token)
    ? [...leaks, "the answer holds the token"]
    : leaks;
}
