import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { holdKey } from "#platform/accounts/access-key-store.ts";
import { takeAccountTurn } from "#platform/accounts/account-store.ts";
import { auditRefusal, byCaller, noteChanges, writeAudit } from "#platform/accounts/audit.ts";
import { holdSession } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { type Endpoint, guestsOf, type Input } from "#platform/contract/endpoint.ts";
import { compileReader, type ReadingStyle } from "#platform/contract/input.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction, longLimits, type Pool, setLimits } from "#platform/database/index.ts";
import { type ArrivedFile, receiveFile } from "#platform/files/upload.ts";
import { authorise, type Guarded, isOpenToAll } from "#platform/http/access.ts";
import { readRawBodies } from "#platform/http/bodies.ts";
import { expectUpload } from "#platform/http/connections.ts";
import { digest, runOnce } from "#platform/http/idempotency.ts";
import { readMultipartFields } from "#platform/http/multipart-fields.ts";
import { watchOverload } from "#platform/http/overload.ts";
import { limitRefusals } from "#platform/http/refusals.ts";
import { compileSender, describeVariants } from "#platform/http/send.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Call, Once } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

type AnyHandler = (call: Call<Endpoint>) => Promise<unknown>;

const bodyLimitBytes = 1024 * 1024;
const mostKeyLength = 255;

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

type AnyEntry = AnyHandler | { readonly withoutTransaction: AnyHandler };

interface Operation extends Guarded {
  readonly entry: AnyEntry;
  readonly awaitAdmission: () => Promise<void>;
}

function serveEndpoint(app: FastifyInstance, platform: Platform, operation: Operation): void {
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

interface Read {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
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
    body: readBody(request, json, form),
  });
}

const toLeniency = ({ INPUT_STYLE, TIME_ZONE }: Settings): ReadingStyle["lenient"] =>
  INPUT_STYLE === "lenient" ? { zone: TIME_ZONE } : undefined;

type Reader = (value: unknown) => unknown;

interface Form {
  readonly file: ArrivedFile | undefined;
  readonly fields: unknown;
}

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

function describeCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { params, query, body }: Read,
  { file, fields }: Form,
): Prepared {
  return {
    params,
    query,
    body,
    file,
    fields,
    caller: request.caller,
    guest: request.guest as never,
    address: request.clientAddress,
    userAgent: request.headers["user-agent"] ?? "",
    language: request.language,
    audit: { records: [] },
    request,
    reply,
  };
}

type Prepared = Omit<Call<Endpoint>, "db" | "once" | "transact" | "file" | keyof Input<Endpoint>> & Read & Form;

/** How the handler runs: a read on the pool, a write in a transaction with its audit line. */
function chooseRunner({ pool }: Platform, operation: Operation): (call: Prepared) => Promise<unknown> {
  const { endpoint, entry } = operation;
  const handler = typeof entry === "function" ? entry : entry.withoutTransaction;
  const ownTransaction = endpoint.method === "GET" || typeof entry !== "function";
  return (prepared) => {
    const once = makeOnce(prepared, operation);
    const write = (work: (tx: Db) => Promise<unknown>, extent?: "oneStatement") =>
      extent && !prepared.caller && once === always
        ? work(pool)
        : inTransaction(pool, (tx) => runWrite(tx, { ...prepared, once }, work, operation));
    const complete = (db: Db) => ({ ...prepared, db, once, transact: write }) as unknown as Call<Endpoint>;
    if (endpoint.audited) return runAuditedRead(pool, prepared, () => handler(complete(pool)), operation);
    return ownTransaction ? handler(complete(pool)) : write((tx) => handler(complete(tx)));
  };
}

/** The line is there before the answer leaves. Nothing leaves with a HEAD request, so nobody has read anything. */
async function runAuditedRead(
  pool: Pool,
  call: Prepared,
  read: () => Promise<unknown>,
  operation: Operation,
): Promise<unknown> {
  const data = await read();
  if (call.request.method !== "HEAD") await auditDone(pool, call, operation);
  return data;
}

async function auditDone(db: Db, { caller, audit, address }: Prepared, { service, name }: Operation): Promise<void> {
  if (caller) await writeAudit(db, { service, ...byCaller(caller), action: name, outcome: "done", ...audit, address });
}

type Write = Prepared & { readonly once: Once };

async function runWrite(
  tx: Db,
  call: Write,
  work: (tx: Db) => Promise<unknown>,
  operation: Operation,
): Promise<unknown> {
  const { endpoint } = operation;
  const caller = call.caller;
  if (endpoint.upload?.limit === "workbook" || endpoint.takesLong) await setLimits(tx, longLimits, "transaction");
  // In this order: two who end one another's sessions would otherwise each hold what the other waits for.
  if (endpoint.changesAccounts) await takeAccountTurn(tx);
  // An import has counts of its own; before and after of each of its rows would be no line.
  if (caller && !endpoint.upload) await noteChanges(tx);
  const create = async () => work(tx);
  const data = await withSession(tx, caller, () =>
    endpoint.idempotent ? call.once(tx, create as () => Promise<string>) : create(),
  );
  await auditDone(tx, call, operation);
  return data;
}

/** Holds the caller's session while the work begins: what it has done is undone when the session has ended meanwhile. */
async function withSession<T>(tx: Db, caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
  if (!caller) return work();
  const [held, done] = await Promise.allSettled([holdCaller(tx, caller), work()]);
  if (held.status === "rejected") throw held.reason;
  if (!held.value) throw new Problem("tokenInvalid");
  if (done.status === "rejected") throw done.reason;
  return done.value;
}

const holdCaller = (tx: Db, caller: Caller): Promise<boolean> =>
  caller.keyId === undefined ? holdSession(tx, caller) : holdKey(tx, caller.keyId);

const always: Once = (_tx, create) => create();

function makeOnce(
  { request, caller, guest, params, body, file, address }: Prepared,
  { service, name, endpoint }: Operation,
): Once {
  const key = request.headers["idempotency-key"];
  if (!endpoint.idempotent || typeof key !== "string" || key === "") return always;
  if (key.length > mostKeyLength) throw explain("badFormat", "Idempotency-Key 过长", "the Idempotency-Key is too long");
  const who =
    caller?.accountId ?? (guest === undefined ? address : `${guestsOf(endpoint.access)?.knownBy} ${String(guest)}`);
  // With the key in it, which is kept as a hash only: nobody can guess a password from what is stored.
  const bodyHash = digest(
    JSON.stringify([key, params ?? null, body ?? null, file ? [file.sha256.toString("hex"), file.fields] : null]),
  );
  return (tx, create) => runOnce(tx, { scope: `${service}/${name}/${who}`, key, bodyHash }, create);
}
