import type { FastifyReply, FastifyRequest } from "fastify";
import { holdKey } from "#platform/accounts/access-key-store.ts";
import { takeAccountTurn } from "#platform/accounts/account-store.ts";
import { byCaller, noteChanges, writeAudit } from "#platform/accounts/audit.ts";
import { holdSession } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { type Endpoint, guestsOf, type Input } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction, longLimits, type Pool, setLimits } from "#platform/database/index.ts";
import type { Guarded } from "#platform/http/access.ts";
import { digest, runOnce } from "#platform/http/idempotency.ts";
import type { Form, Read } from "#platform/http/request-reader.ts";
import type { Call, Once } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";

const mostKeyLength = 255;

type AnyHandler = (call: Call<Endpoint>) => Promise<unknown>;

export interface Operation extends Guarded {
  readonly entry: AnyHandler | { readonly withoutTransaction: AnyHandler };
}

/** A call as its handler gets it, but for what it works with. */
export function describeCall(
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
export function chooseRunner({ pool }: Platform, operation: Operation): (call: Prepared) => Promise<unknown> {
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
