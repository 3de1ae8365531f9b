import type { FastifyReply, FastifyRequest } from "fastify";
import { lockAccountChanges } from "#platform/accounts/account-store.ts";
import { byCaller, noteChanges, writeAudit } from "#platform/accounts/audit.ts";
import { lockCaller } from "#platform/accounts/session.ts";
import { type Endpoint, guestsOf } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction, longLimits, setLimits, Within } from "#platform/database/index.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";
import type { Guarded } from "#platform/http/access.ts";
import { digest, runOnce } from "#platform/http/idempotency.ts";
import type { Call, Once } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";

const mostKeyLength = 255;

type AnyHandler = (call: Call<Endpoint>) => Promise<unknown>;

export interface Operation extends Guarded {
  readonly entry: AnyHandler | { readonly withoutTransaction: AnyHandler };
}

export interface Read {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface Form {
  readonly file: ReceivedFile | undefined;
  readonly fields: unknown;
}

type Running = { -readonly [K in keyof Call<Endpoint>]: Call<Endpoint>[K] };

export function compileRunner({ pool }: Platform, operation: Operation) {
  const { endpoint, entry } = operation;
  const handler = typeof entry === "function" ? entry : entry.withoutTransaction;
  const ownTransaction = endpoint.method === "GET" || typeof entry !== "function";
  return async (request: FastifyRequest, reply: FastifyReply, read: Read, { file, fields }: Form): Promise<unknown> => {
    const once = endpoint.idempotent ? makeOnce(request, read, file, operation) : always;
    const write = (work: (tx: Db) => Promise<unknown>, extent?: "oneStatement"): Promise<unknown> =>
      extent && !call.caller && once === always
        ? work(pool)
        : inTransaction(pool, (tx) => runWrite(tx, call, work, operation));
    const call: Running = {
      params: read.params as undefined,
      query: read.query as undefined,
      body: read.body,
      file: file as undefined,
      fields: fields as undefined,
      caller: request.caller,
      guest: request.guest as never,
      within: Within.of(request.caller?.scope ?? null, operation.dimensions) as never,
      address: request.clientAddress,
      userAgent: request.headers["user-agent"] ?? "",
      language: request.language,
      audit: { records: [] },
      request,
      reply,
      db: pool,
      once,
      transact: write as Running["transact"],
    };
    if (!ownTransaction)
      return write((tx) => {
        call.db = tx;
        return handler(call);
      });
    const data = await handler(call);
    // The audit entry is written before the answer is sent. A HEAD request reads nothing, so it gets no entry.
    if (endpoint.audited && request.method !== "HEAD") await auditDone(pool, call, operation);
    return data;
  };
}

async function auditDone(db: Db, { caller, audit, address }: Running, { service, name }: Operation): Promise<void> {
  if (caller) await writeAudit(db, { service, ...byCaller(caller), action: name, outcome: "done", ...audit, address });
}

async function runWrite(
  tx: Db,
  call: Running,
  work: (tx: Db) => Promise<unknown>,
  operation: Operation,
): Promise<unknown> {
  const { endpoint } = operation;
  const caller = call.caller;
  if (endpoint.upload?.limit === "workbook" || endpoint.takesLong) await setLimits(tx, longLimits, "transaction");
  // The lock on account changes is taken before the lock on the session, so that two callers who end each other's
  // sessions cannot deadlock.
  if (endpoint.changesAccounts) await lockAccountChanges(tx);
  // Changes are not noted for uploads: an import reports its own counts, because the changes of all its rows would not
  // fit into an audit entry.
  if (caller && !endpoint.upload) await noteChanges(tx);
  let isNew = false;
  const create = async () => {
    isNew = true;
    return work(tx) as Promise<string>;
  };
  if (!caller) return call.once(tx, create);
  // The session is locked at the same time as the work starts. If the session has ended, the transaction is rolled
  // back.
  const [held, done] = await Promise.allSettled([lockCaller(tx, caller), call.once(tx, create)]);
  if (held.status === "rejected") throw held.reason;
  if (!held.value) throw new Problem("tokenInvalid");
  if (done.status === "rejected") throw done.reason;
  // A retry with the Idempotency-Key of an earlier call has changed nothing.
  if (isNew) await auditDone(tx, call, operation);
  return done.value;
}

const always: Once = (_tx, create) => create();

function makeOnce(
  { headers, caller, guest, clientAddress }: FastifyRequest,
  { params, body }: Read,
  file: ReceivedFile | undefined,
  { service, name, endpoint }: Operation,
): Once {
  const key = headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return always;
  if (key.length > mostKeyLength)
    throw explain("badFormat", "Idempotency-Key 长度超过上限", "the Idempotency-Key is too long");
  const who =
    caller?.accountId ?? (guest === undefined ? clientAddress : `${guestsOf(endpoint.access)?.knownBy} ${guest}`);
  // The hash includes the idempotency key, which is not stored itself, so that nobody can guess a password in the body
  // from the hash.
  const fileParts = file ? [file.sha256.toString("hex"), file.fields] : null;
  const bodyHash = digest(JSON.stringify([key, params ?? null, body ?? null, fileParts]));
  return (tx, create) => runOnce(tx, { scope: `${service}/${name}/${who}`, key, bodyHash }, create);
}
