import type { FastifyRequest } from "fastify";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { compileReader, type ReadingStyle } from "#platform/contract/input.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type ArrivedFile, receiveFile } from "#platform/files/arrivals.ts";
import type { Guarded } from "#platform/http/access.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";

/** What a request says, as the schemas of its operation have it. */
export interface Read {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export function compileRequestReader(endpoint: Endpoint, { settings }: Platform): (request: FastifyRequest) => Read {
  const lenient = toLeniency(settings);
  const fromText = { source: "text", lenient } as const;
  const params = endpoint.params && compileReader(endpoint.params, fromText);
  const query = endpoint.query && compileReader(endpoint.query, { source: "query", lenient });
  const json = endpoint.body && compileReader(endpoint.body, { source: "json", lenient });
  const form = endpoint.body && endpoint.form && compileReader(endpoint.body, fromText);
  return (request) => ({
    params: params?.(request.params),
    query: query?.(request.query),
    body: readBody(request, json, form),
  });
}

const toLeniency = ({ INPUT_STYLE, TIME_ZONE }: Settings): ReadingStyle["lenient"] =>
  INPUT_STYLE === "lenient" ? { zone: TIME_ZONE } : undefined;

type Reader = (value: unknown) => unknown;

export interface Form {
  readonly file: ArrivedFile | undefined;
  readonly fields: unknown;
}

export const noForm: Form = { file: undefined, fields: undefined };

/** Takes the file and what stands beside it; a field that is wrong leaves no file behind. */
export function compileFormReceiver(
  { service, endpoint: { fields } }: Guarded,
  { limit, mostJsonMb }: NonNullable<Endpoint["upload"]>,
  { settings, arrivals }: Platform,
): (request: FastifyRequest) => Promise<Form> {
  const readFields = fields && compileReader(fields, { source: "text", lenient: toLeniency(settings) });
  const mostMb = mostJsonMb ?? (limit === "workbook" ? settings.MAX_WORKBOOK_MB : settings.MAX_UPLOAD_MB);
  return async (request) => {
    const file = await receiveFile(request, arrivals, service, mostMb * 1024 * 1024);
    try {
      return { file, fields: readFields?.(file.fields) };
    } catch (error) {
      await file.end();
      throw error;
    }
  };
}

function readBody(request: FastifyRequest, json: Reader | undefined, form: Reader | undefined): unknown {
  if (!json) return undefined;
  const sentForm = isForm(request);
  if (sentForm && !form) throw explain("badFormat", "请求体应为 JSON", "the body must be JSON");
  if (request.body === undefined || (sentForm && Object.keys(request.body as object).length === 0))
    throw new Problem("bodyEmpty");
  return sentForm && form ? form(request.body) : json(request.body);
}

const isForm = (request: FastifyRequest): boolean =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i.test(request.headers["content-type"] ?? "");
