import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditRefusal, byCaller } from "#platform/accounts/audit.ts";
import { type Endpoint, guestsOf } from "#platform/contract/endpoint.ts";
import { compileReader } from "#platform/contract/input.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { receiveFile } from "#platform/files/arrivals.ts";
import { authorise, isOpenToAll } from "#platform/http/access.ts";
import { readMultipartFields, readRawBodies } from "#platform/http/bodies.ts";
import { expectUpload } from "#platform/http/connections.ts";
import { limitRefusals } from "#platform/http/rate-limit.ts";
import { compileRunner, type Form, type Operation, type Read } from "#platform/http/runner.ts";
import { compileSender, describeVariants } from "#platform/http/send.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

const bodyLimitBytes = 1024 * 1024;

/** Registers every operation of a service. */
export function serveContract(
  app: FastifyInstance,
  platform: Platform,
  { contract, handlers, identifyGuest }: Service,
): void {
  const operations = Object.entries(contract.endpoints).map(([name, endpoint]) => {
    const entry = handlers[name];
    if (!entry) throw new Error(`${contract.name} has no handler for ${name}`);
    if (guestsOf(endpoint.access) && !identifyGuest)
      throw new Error(`${contract.name} identifies no guests for ${name}`);
    return { service: contract.name, name, endpoint, entry, identifyGuest };
  });
  const tellOverload = watchOverload(platform);
  const serve = (scope: FastifyInstance, holds: (endpoint: Endpoint) => boolean) => {
    for (const operation of operations)
      if (holds(operation.endpoint)) serveEndpoint(scope, platform, operation, tellOverload);
  };
  serve(app, ({ upload, form, raw }) => !upload && !form && !raw);
  app.register(async (scope) => {
    readRawBodies(scope);
    serve(scope, ({ raw }) => raw === true);
  });
  app.register(async (scope) => {
    readMultipartFields(scope);
    serve(scope, ({ form }) => form === true);
  });
  // By themselves, since the plugin's hooks would run for every request there is.
  app.register(async (scope) => {
    await scope.register(multipart);
    scope.addHook("onRequest", async ({ raw }) => expectUpload(raw));
    serve(scope, ({ upload }) => upload !== undefined);
  });
}

function serveEndpoint(
  app: FastifyInstance,
  platform: Platform,
  operation: Operation,
  tellOverload: () => Problem,
): void {
  const { endpoint } = operation;
  const varies = describeVariants(endpoint);
  const isGuarded = !isOpenToAll(endpoint.access);
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    bodyLimit: endpoint.bodyLimitBytes ?? bodyLimitBytes,
    config: { answer: endpoint.answer },
    ...(endpoint.access.who === "anyone" && endpoint.access.limit === "refusals" ? limitRefusals(platform) : {}),
    onRequest: async (request, reply) => {
      // Where other origins may call, their plugin has said that it looks at the origin.
      const before = reply.getHeader("vary");
      reply.header("vary", before === undefined ? varies : `${String(before)}, ${varies}`);
      // Before anything is done for the call, its token and its body included.
      if (!endpoint.urgent && !(await platform.pool.mayBegin())) throw tellOverload();
      // Before the body is read: who may not call must not make the server read a megabyte.
      if (isGuarded) await authorise(request, operation, platform);
    },
    handler: compileHandler(app, platform, operation),
  });
}

function compileHandler(app: FastifyInstance, platform: Platform, operation: Operation) {
  const { endpoint } = operation;
  const send = compileSender(app, endpoint, platform);
  const read = compileRequestReader(endpoint, platform);
  const receive = endpoint.upload ? compileFormReceiver(operation, endpoint.upload, platform) : undefined;
  const run = compileRunner(platform, operation);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const input = read(request);
    const form = receive ? await receive(request) : noForm;
    try {
      return await send(request, reply, await run(request, reply, input, form));
    } catch (error) {
      await noteRefusal(platform, operation, request, error);
      throw error;
    } finally {
      if (form.file) await form.file.end();
    }
  };
}

/** A line of the log tells how many were refused in so long, in ms: a line each would be work of its own. */
const gatherMs = 1000;

/** What is told to whoever calls while the process cannot begin it soon. */
function watchOverload({ log }: Platform): () => Problem {
  let refused = 0;
  const tell = (): void => {
    log.warn({ refused }, "too much at once: requests were refused");
    refused = 0;
  };
  return () => {
    if (refused++ === 0) setTimeout(tell, gatherMs).unref();
    return new Problem("unavailable", { headers: { "retry-after": "2" } });
  };
}

/** A refusal by a rule of the handler; its transaction is gone by now. Refusals by the access are noted where it is judged. */
async function noteRefusal(
  platform: Platform,
  { service, name }: Operation,
  { caller, clientAddress }: FastifyRequest,
  error: unknown,
): Promise<void> {
  if (!caller || !(error instanceof Problem) || error.problem !== "forbidden") return;
  const entry = { service, ...byCaller(caller), action: name, address: clientAddress };
  await auditRefusal(platform, { ...entry, outcome: "refused" });
}

function compileRequestReader(endpoint: Endpoint, { settings }: Platform): (request: FastifyRequest) => Read {
  const lenient = toLeniency(settings);
  const fromText = { source: "text", lenient } as const;
  const params = endpoint.params && compileReader(endpoint.params, fromText);
  const query = endpoint.query && compileReader(endpoint.query, { source: "query", lenient });
  const json = endpoint.body && compileReader(endpoint.body, { source: "json", lenient });
  const form = endpoint.body && endpoint.form && compileReader(endpoint.body, fromText);
  return (request) => ({
    params: params?.(request.params),
    query: query?.(request.query),
    body: json && readBody(request, json, form),
  });
}

const toLeniency = ({ INPUT_STYLE, TIME_ZONE }: Platform["settings"]) =>
  INPUT_STYLE === "lenient" ? { zone: TIME_ZONE } : undefined;

type Reader = (value: unknown) => unknown;

function readBody(request: FastifyRequest, json: Reader, form: Reader | undefined): unknown {
  const sentForm = isForm(request);
  if (sentForm && !form) throw explain("badFormat", "请求体应为 JSON", "the body must be JSON");
  if (request.body === undefined || (sentForm && Object.keys(request.body as object).length === 0))
    throw new Problem("bodyEmpty");
  return sentForm && form ? form(request.body) : json(request.body);
}

const isForm = (request: FastifyRequest): boolean =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i.test(request.headers["content-type"] ?? "");

const noForm: Form = { file: undefined, fields: undefined };

/** Takes the file and what stands beside it; a field that is wrong leaves no file behind. */
function compileFormReceiver(
  { service, endpoint: { fields } }: Operation,
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
