import type { Access, Answer, Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { fail, failBare } from "#platform/contract/envelope.ts";
import { Problem, type ProblemName, sharedProblems } from "#platform/contract/problem.ts";
import type { JsonSchema } from "./schema.ts";

const message = {
  type: "string",
  description: "What was wrong and where, in Chinese or English as Accept-Language prefers",
};

export const failureSchema: JsonSchema = {
  type: "object",
  description:
    "Failure of an operation: the HTTP status and code identify the problem for programs, the message explains it to people.",
  required: ["success", "message", "code", "data"],
  properties: {
    success: { type: "boolean", const: false },
    message,
    code: { type: "string", description: "Error code of the service" },
    data: { description: "null, or the invalid rows of a failed import" },
  },
};

export const bareFailureSchema: JsonSchema = {
  type: "object",
  description: "Failure of an operation whose responses have no envelope: a numeric code and a message.",
  required: ["code", "message"],
  properties: {
    code: { type: "integer", description: "Error code of the service" },
    message,
  },
};

const needsToken: readonly ProblemName[] = [
  "headerMissing",
  "tokenEmpty",
  "tokenInvalid",
  "forbidden",
  "factorNeeded",
  "passwordGiven",
  // Calls with an invalid access key are limited too, so each operation that accepts a key may answer tooManyRequests.
  "tooManyRequests",
];
const byLimit: Readonly<Record<"open" | "login" | "refusals", readonly ProblemName[]>> = {
  open: ["tooManyRequests"],
  refusals: ["tooManyRequests"],
  login: ["loginFailed", "forbidden", "factorNeeded", "passwordGiven", "accountLocked", "tooManyRequests"],
};

export function listProblems(
  { access, params, query, body, upload, fields, idempotent, answer, problems = [] }: Endpoint,
  holdsBoundedText: boolean,
): ProblemName[] {
  const found = new Set<ProblemName>(["unknownError", "unavailable", ...problems, ...problemsOfAccess(access)]);
  const add = (applies: unknown, ...names: ProblemName[]) => applies && names.forEach((name) => found.add(name));
  add(params ?? query ?? body ?? fields ?? idempotent, "badFormat");
  add(fields, "tooLong");
  add((params ?? query) && holdsBoundedText, "tooLong");
  add(query && "orderField" in query.shape, "notAllowedNow");
  add(body, "bodyEmpty", "tooLong", "bodyTooLarge");
  add(answer.as === "events" || ("streamed" in answer && answer.streamed), "tooManyRequests");
  add(upload, "badFile", "fileTooLarge", "notAllowedNow");
  add(idempotent, "keyReused");
  return (Object.keys(sharedProblems) as ProblemName[]).filter((name) => found.has(name));
}

function problemsOfAccess(access: Access): readonly ProblemName[] {
  if (access.who === "guest")
    return access.mostPerMinute ? [...access.guests.problems, "tooManyRequests"] : access.guests.problems;
  if (access.who === "administrator" && access.orGuests) return [...needsToken, ...access.orGuests.problems];
  if (access.who !== "anyone") return needsToken;
  return access.limit ? byLimit[access.limit] : [];
}

export function describeContent(answer: Answer, data: JsonSchema | undefined): object {
  if (answer.as === "text") return { "text/plain": { schema: { type: "string" }, example: answer.example } };
  if (answer.as === "reply") return {};
  if (answer.as === "file") return { [answer.mime]: { schema: { type: "string", format: "binary" } } };
  if (answer.as === "bare") return { "application/json": { schema: data ?? {} } };
  if (answer.as === "document") return { [answer.mime]: { schema: data ?? {} } };
  // OpenAPI versions before 3.2 cannot describe the events of a stream.
  if (answer.as === "events")
    return {
      "text/event-stream": { schema: { type: "string", contentMediaType: "text/event-stream", "x-data": data } },
    };
  const properties = {
    success: { type: "boolean", const: true },
    message: { type: "string", examples: ["操作成功"] },
    code: { type: "string", const: "0" },
    data: data ?? {},
  };
  return {
    "application/json": {
      schema: { type: "object", required: ["success", "message", "code", "data"], properties },
    },
    ...(answer.orFile && { [answer.orFile]: { schema: { type: "string", format: "binary" } } }),
  };
}

const waitingProblems: ReadonlySet<ProblemName> = new Set(["tooManyRequests", "accountLocked", "unavailable"]);
const retryAfter = { description: "Seconds to wait before the next attempt", schema: { type: "integer", minimum: 1 } };

export function describeFailures(
  { name: service, problems }: ServiceContract,
  { answer }: Endpoint,
  names: readonly ProblemName[],
  examples: Record<string, object>,
): Record<string, object> {
  const isBare = answer.as === "bare";
  const statuses = [...Map.groupBy(names, (name) => problems[name].status)].toSorted(([a], [b]) => a - b);
  const responses = statuses.map(([status, group]) => {
    const references = group.map((name) => {
      const { code, zh, en } = problems[name];
      // A service that uses the shared code and wording of a problem also uses its shared example.
      const isShared = code === sharedProblems[name].code && zh === sharedProblems[name].zh;
      const place = isBare ? `${service}.bare.${name}` : isShared ? name : `${service}.${name}`;
      examples[place] = { summary: en, value: (isBare ? failBare : fail)(new Problem(name), problems, "zh") };
      return [place, { $ref: `#/components/examples/${place}` }] as const;
    });
    const kinds = group.map((name) => problems[name]);
    const codes = [...new Set(kinds.map(({ code }) => code))].toSorted();
    const meanings = new Set(kinds.map(({ code, zh, en }) => `- \`${code}\` ${en} · ${zh}`));
    const $ref = `#/components/schemas/${isBare ? "BareFailure" : "Failure"}`;
    const schema = { allOf: [{ $ref }, { properties: { code: { enum: isBare ? codes.map(Number) : codes } } }] };
    const response = {
      description: [...meanings].join("\n"),
      ...(group.some((name) => waitingProblems.has(name)) && { headers: { "Retry-After": retryAfter } }),
      content: { "application/json": { schema, examples: Object.fromEntries(references) } },
    };
    return [status, response] as const;
  });
  return Object.fromEntries(responses);
}
