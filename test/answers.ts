import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { toPattern } from "#platform/http/failure.ts";
import { listProblems } from "#platform/openapi/responses.ts";

export interface JsonReply {
  readonly status: number;
  readonly text: string;
}

interface Operation {
  readonly contract: ServiceContract;
  readonly endpoint: Endpoint;
}

export type AnswerCheck = (method: string, target: string, reply: JsonReply) => string[];

export function compileAnswerCheck(contracts: readonly ServiceContract[]): AnswerCheck {
  const operations = contracts.flatMap((contract) =>
    Object.values(contract.endpoints).map((endpoint) => ({ contract, endpoint, pattern: toPattern(endpoint.url) })),
  );
  const inTurn = operations.toSorted((one, other) => countParams(one) - countParams(other));
  return (method, target, reply) => {
    const [path = ""] = target.split("?", 1);
    const called = inTurn.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path));
    return called ? findFaults(called, reply) : [];
  };
}

const countParams = ({ endpoint }: Operation): number => endpoint.url.split("/:").length;

function findFaults(operation: Operation, { status, text }: JsonReply): string[] {
  const { answer } = operation.endpoint;
  if (answer.as === "reply") return [];
  const body: unknown = JSON.parse(text);
  if (answer.as === "bare" && status === 200) return findStrays(answer.data, body);
  const envelope = answer.as === "bare" ? wrapBare(body) : body;
  if (!isEnvelope(envelope)) return [`${status} without the fields of the envelope`];
  const { success, code, data } = envelope;
  if (!success) return findStrangeFailure(operation, status, code);
  if (answer.as !== "envelope") return ["an envelope of success, where a file or a text is due"];
  return status === 200 && code === "0" ? findStrays(answer.data, data) : [`success with ${status} ${code}`];
}

/** Returns how the data deviates from the schema, including undeclared fields; an empty list means that it conforms. */
export function findStrays(schema: z.ZodType, data: unknown): string[] {
  const parsed = schema.safeParse(data);
  if (!parsed.success) return [`data is not what the contract says: ${z.prettifyError(parsed.error).slice(0, 300)}`];
  return isDeepStrictEqual(parsed.data, data) ? [] : ["data has more fields than the contract says"];
}

function findStrangeFailure({ contract, endpoint }: Operation, status: number, code: string): string[] {
  const kinds = listProblems(endpoint, true).map((name) => contract.problems[name]);
  // With STATUS_STYLE=always-200 failures may also have the status 200.
  const known = kinds.some((kind) => kind.code === code && [kind.status, 200].includes(status));
  return known ? [] : [`${status} ${code} is not documented for the operation`];
}

export const envelopeFields = "code,data,message,success";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldsOf = (value: object): string => Object.keys(value).toSorted().join();

interface Envelope {
  readonly success: boolean;
  readonly message: string;
  readonly code: string;
  readonly data: unknown;
}

export function isEnvelope(value: unknown): value is Envelope {
  if (!isRecord(value) || fieldsOf(value) !== envelopeFields) return false;
  const { success, message, code } = value;
  return typeof success === "boolean" && typeof message === "string" && message !== "" && typeof code === "string";
}

export function wrapBare(bare: unknown): object | undefined {
  if (!isRecord(bare) || fieldsOf(bare) !== "code,message" || !Number.isInteger(bare["code"])) return undefined;
  return { success: false, message: bare["message"], code: String(bare["code"]), data: null };
}
