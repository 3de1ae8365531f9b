import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { auditRefusal, byCaller } from "#platform/accounts/audit.ts";
import { type Endpoint, guestsOf } from "#platform/contract/endpoint.ts";
import { Problem } from "#platform/contract/problem.ts";
import { authorise, isOpenToAll } from "#platform/http/access.ts";
import { readRawBodies } from "#platform/http/bodies.ts";
import { expectUpload } from "#platform/http/connections.ts";
import { readMultipartFields } from "#platform/http/multipart-fields.ts";
import { watchOverload } from "#platform/http/overload.ts";
import { limitRefusals } from "#platform/http/refusals.ts";
import { compileFormReceiver, compileRequestReader, noForm } from "#platform/http/request-reader.ts";
import { chooseRunner, describeCall, type Operation } from "#platform/http/runner.ts";
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
  const awaitAdmission = watchOverload(platform);
  const operations = Object.entries(contract.endpoints).map(([name, endpoint]) => {
    const entry = handlers[name];
    if (!entry) throw new Error(`${contract.name} has no handler for ${name}`);
    if (guestsOf(endpoint.access) && !identifyGuest)
      throw new Error(`${contract.name} identifies no guests for ${name}`);
    return { service: contract.name, name, endpoint, entry, identifyGuest, awaitAdmission };
  });
  const serve = (scope: FastifyInstance, holds: (endpoint: Endpoint) => boolean) => {
    for (const operation of operations) if (holds(operation.endpoint)) serveEndpoint(scope, platform, operation);
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

interface Served extends Operation {
  readonly awaitAdmission: () => Promise<void>;
}

function serveEndpoint(app: FastifyInstance, platform: Platform, operation: Served): void {
  const { endpoint } = operation;
  const send = compileSender(app, endpoint, platform);
  const varies = describeVariants(endpoint);
  const read = compileRequestReader(endpoint, platform);
  const receive = endpoint.upload ? compileFormReceiver(operation, endpoint.upload, platform) : undefined;
  const run = chooseRunner(platform, operation);
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    bodyLimit: endpoint.bodyLimitBytes ?? bodyLimitBytes,
    config: { answer: endpoint.answer },
    ...(endpoint.access.who === "anyone" && endpoint.access.limit === "refusals" ? limitRefusals(platform) : {}),
    onRequest: [
      (_request, reply, done) => {
        // Where other origins may call, their plugin has said that it looks at the origin.
        const before = reply.getHeader("vary");
        reply.header("vary", before === undefined ? varies : `${String(before)}, ${varies}`);
        done();
      },
      ...(endpoint.urgent ? [] : [operation.awaitAdmission]),
      // Before the body is read: who may not call must not make the server read a megabyte.
      ...(isOpenToAll(endpoint.access)
        ? []
        : [
            async (request: FastifyRequest) => {
              const { caller, guest } = await authorise(request, operation, platform);
              request.caller = caller;
              request.guest = guest;
            },
          ]),
    ],
    handler: async (request, reply) => {
      const input = read(request);
      const form = receive ? await receive(request) : noForm;
      try {
        return await send(request, reply, await run(describeCall(request, reply, input, form)));
      } catch (error) {
        await noteRefusal(platform, operation, request, error);
        throw error;
      } finally {
        await form.file?.end();
      }
    },
  });
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
