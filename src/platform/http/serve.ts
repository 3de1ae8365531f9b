import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Endpoint, guestsOf } from "#platform/contract/endpoint.ts";
import { compileReader } from "#platform/contract/input.ts";
import { compileMask } from "#platform/contract/masking.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { mayUse } from "#platform/contract/rights.ts";
import { receiveFile } from "#platform/files/temporary-files.ts";
import { authorise, auditForbidden } from "#platform/http/access.ts";
import { passBodies, readMultipartFields, readRawBodies } from "#platform/http/bodies.ts";
import { expectUpload } from "#platform/http/connections.ts";
import { rateLimitRefusals } from "#platform/http/rate-limit.ts";
import { compileRunner, type Form, type Operation, type Read } from "#platform/http/runner.ts";
import { compileSender, describeVariants } from "#platform/http/send.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

const bodyLimitBytes = 1024 * 1024;
// Refusals are counted and logged once per interval, since a line for each would add to the load.
const gatherMs = 1000;

export function serveContract(
  app: FastifyInstance,
  platform: Platform,
  { contract, handlers, identifyGuest }: Service,
): void {
  const operations = Object.entries(contract.endpoints).map(([name, endpoint]) => {
    const entry = handlers[name];
    if (!entry) throw new Error(`the service ${contract.name} has no handler for the operation ${name}`);
    if (guestsOf(endpoint.access) && !identifyGuest)
      throw new Error(`the service ${contract.name} does not identify guests, but the operation ${name} needs them`);
    const { name: service, dimensions = {} } = contract;
    return { service, dimensions, name, endpoint, entry, identifyGuest };
  });
  let refused = 0;
  const refuse = (): Problem => {
    if (refused++ === 0)
      setTimeout(() => {
        platform.log.warn({ refused }, "requests were refused because the server is overloaded");
        refused = 0;
      }, gatherMs).unref();
    return new Problem("unavailable", { headers: { "retry-after": "2" } });
  };
  const serve = (scope: FastifyInstance, holds: (endpoint: Endpoint) => boolean) => {
    for (const operation of operations)
      if (holds(operation.endpoint)) serveEndpoint(scope, platform, operation, refuse);
  };
  serve(app, ({ upload, form, raw }) => !upload && !form && !raw);
  app.register(async (scope) => {
    readRawBodies(scope);
    serve(scope, ({ raw }) => raw === true);
  });
  app.register(async (scope) => {
    passBodies(scope);
    scope.addHook("onRequest", async ({ raw }) => expectUpload(raw));
    serve(scope, ({ raw }) => raw === "stream");
  });
  app.register(async (scope) => {
    readMultipartFields(scope);
    serve(scope, ({ form }) => form === true);
  });
  // The multipart plugin is registered in a scope of its own, because its hooks would otherwise run for every request.
  app.register(async (scope) => {
    await scope.register(multipart);
    scope.addHook("onRequest", async ({ raw }) => expectUpload(raw));
    serve(scope, ({ upload }) => upload !== undefined);
  });
}

function serveEndpoint(app: FastifyInstance, platform: Platform, operation: Operation, refuse: () => Problem): void {
  const { endpoint } = operation;
  const { access } = endpoint;
  const varies = describeVariants(endpoint);
  const isOpen =
    access.who === "anyone" && !access.orAdministrator && (access.limit === undefined || access.limit === "refusals");
  const counted = isOpen && access.limit === "refusals" ? { errorHandler: rateLimitRefusals(platform) } : undefined;
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    bodyLimit: endpoint.bodyLimitBytes ?? bodyLimitBytes,
    config: { answer: endpoint.answer },
    ...counted,
    onRequest: async (request, reply) => {
      // The CORS plugin may already have set the Vary header to `origin`.
      const before = reply.getHeader("vary");
      reply.header("vary", before === undefined ? varies : `${String(before)}, ${varies}`);
      if (!endpoint.urgent && !(await platform.pool.mayBegin())) throw refuse();
      // Callers are authorised before the body is read, so that unauthorised callers cannot make the server read one.
      if (!isOpen) await authorise(request, operation, platform);
    },
    handler: compileHandler(app, platform, operation),
  });
}

function compileHandler(app: FastifyInstance, platform: Platform, operation: Operation) {
  const { endpoint } = operation;
  const { caching } = endpoint;
  const send = compileSender(app, endpoint, platform);
  const read = compileRequestReader(endpoint, platform);
  const receive = endpoint.upload ? compileFormReceiver(operation, endpoint.upload, platform) : undefined;
  const run = compileRunner(platform, operation);
  const mask =
    "data" in endpoint.answer && !("streamed" in endpoint.answer) ? compileMask(endpoint.answer.data) : undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const input = read(request);
    const form = receive ? await receive(request) : noForm;
    try {
      const whole = await run(request, reply, input, form);
      const output =
        mask && request.caller && !mayUse(request.caller, operation.service, "export") ? mask(whole) : whole;
      if (caching !== undefined) reply.header("cache-control", caching);
      return await send(request, reply, output);
    } catch (error) {
      // A refusal by the handler is recorded after the rollback; `authorise` records its own refusals.
      if (request.caller && error instanceof Problem && error.problem === "forbidden")
        await auditForbidden(platform, operation, request.caller, request.clientAddress);
      throw error;
    } finally {
      if (form.file) await form.file.end();
    }
  };
}

const toLeniency = ({ INPUT_STYLE, TIME_ZONE }: Platform["settings"]) =>
  INPUT_STYLE === "lenient" ? { zone: TIME_ZONE } : undefined;

const formType = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i;

function compileRequestReader(endpoint: Endpoint, { settings }: Platform): (request: FastifyRequest) => Read {
  const lenient = toLeniency(settings);
  const fromText = { source: "text", lenient } as const;
  const params = endpoint.params && compileReader(endpoint.params, fromText);
  const query = endpoint.query && compileReader(endpoint.query, { source: "query", lenient });
  const json = endpoint.body && compileReader(endpoint.body, { source: "json", lenient });
  const form = endpoint.form && endpoint.body && compileReader(endpoint.body, fromText);
  const mayBeEmpty = endpoint.body?.safeParse(undefined).success ?? false;
  const readBody = ({ headers, body }: FastifyRequest): unknown => {
    const isForm = formType.test(headers["content-type"] ?? "");
    if (isForm && !form) throw explain("badFormat", "请求体应为 JSON", "the request body must be JSON");
    if (body === undefined && mayBeEmpty) return undefined;
    if (body === undefined || (isForm && Object.keys(body as object).length === 0)) throw new Problem("bodyEmpty");
    return isForm ? form?.(body) : json?.(body);
  };
  return (request) => ({
    params: params?.(request.params),
    query: query?.(request.query),
    body: json && readBody(request),
  });
}

const noForm: Form = { file: undefined, fields: undefined };

function compileFormReceiver(
  { service, endpoint: { fields } }: Operation,
  { limit, mostJsonMb }: NonNullable<Endpoint["upload"]>,
  { settings, temporaryFiles }: Platform,
): (request: FastifyRequest) => Promise<Form> {
  const readFields = fields && compileReader(fields, { source: "text", lenient: toLeniency(settings) });
  const mostMb = mostJsonMb ?? (limit === "workbook" ? settings.MAX_WORKBOOK_MB : settings.MAX_UPLOAD_MB);
  return async (request) => {
    const file = await receiveFile(request, temporaryFiles, service, mostMb * 1024 * 1024);
    try {
      return { file, fields: readFields?.(file.fields) };
    } catch (error) {
      await file.end();
      throw error;
    }
  };
}
