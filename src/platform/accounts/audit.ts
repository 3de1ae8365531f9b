import { once } from "node:events";
import { hostname } from "node:os";
import { connect, type TLSSocket } from "node:tls";
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import type { Caller } from "#platform/contract/caller.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Db, type Pool, sendAndNotify, sql } from "#platform/database/index.ts";
import { openLineFile } from "#platform/process/line-file.ts";
import { keyMark } from "./access-keys.ts";

export interface AuditEntry {
  readonly service: string;
  readonly accountId?: number | undefined;
  readonly userName: string;
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  readonly records?: readonly (string | number)[];
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
  readonly address: string;
}

/**
 * After this call, triggers created by `platform.keep_changes` record the values before and after each change in this
 * transaction. Statements of a transaction run in the sequence in which they are sent, so the caller need not await
 * this statement.
 */
export const noteChanges = (tx: Db): Promise<void> => tx.send`select set_config('quintet.changes', '{}', true)`;

export async function writeAudit(tx: Db, entry: AuditEntry): Promise<void> {
  const statement = sql`
    insert into platform.audit (service, account_id, user_name, action, outcome, records, detail, address, changes)
    values (${entry.service}, ${entry.accountId ?? null}, ${entry.userName}, ${entry.action}, ${entry.outcome},
      ${(entry.records ?? []).map(String)}, ${entry.detail === undefined ? null : JSON.stringify(entry.detail)}, ${entry.address},
      nullif(nullif(current_setting('quintet.changes', true), ''), '{}')::jsonb)
    returning id, at, changes`;
  await sendAndNotify(tx, statement, (rows) => {
    for (const row of rows as readonly WrittenLine[]) auditSink?.send({ ...row, ...entry });
  });
}

export const commandLine = "command line";

/**
 * Records an action on the server's command line. The platform cannot identify the person, so the entry has no account
 * id.
 */
export const writeLocalAudit = (tx: Db, entry: Omit<AuditEntry, "outcome" | "address">): Promise<void> =>
  writeAudit(tx, { ...entry, outcome: "done", address: "local" });

export const isAudited = async (db: Db, entry: AuditEntry, minutes: number): Promise<boolean> =>
  (await db.count`
    select from platform.audit
    where at > now() - make_interval(mins => ${minutes}) and service = ${entry.service} and action = ${entry.action}
      and account_id = ${entry.accountId ?? null} and records = ${(entry.records ?? []).map(String)}
    limit 1`) > 0;

/**
 * Records a refused or failed call outside the call's transaction, so that a rollback does not remove the entry. A
 * failure to record is only logged, because it must not replace the refusal.
 */
export async function auditRefusal(
  { pool, log }: { readonly pool: Pool; readonly log: FastifyBaseLogger },
  entry: AuditEntry,
): Promise<void> {
  const { service, action, outcome } = entry;
  await writeAudit(pool, entry).catch((error: unknown) =>
    log.error({ service, action, outcome, ...toLoggable(error) }, "could not write a refused call to the audit log"),
  );
}

export const byCaller = ({ accountId, userName, keyId }: Pick<Caller, "accountId" | "userName" | "keyId">) => ({
  accountId,
  userName: keyId === undefined ? userName : `${userName} (${keyMark(keyId)})`,
});

// If AUDIT_LOG is set, audit entries are also sent to a second destination, so that somebody who can rewrite the
// database cannot rewrite both copies.

interface WrittenLine {
  readonly id: number;
  readonly at: Date;
  readonly changes: unknown;
}

interface AuditSink {
  readonly send: (line: AuditEntry & WrittenLine) => void;
  readonly readFigures: () => { readonly waiting: number; readonly lost: number };
  readonly close: () => Promise<void>;
}

export let auditSink: AuditSink | undefined;

export function openAuditSink(to: string | undefined): AuditSink | undefined {
  if (to === undefined) return (auditSink = undefined);
  const syslog = to.startsWith("syslog+tls:") ? openSyslog(new URL(to)) : undefined;
  const dest = to === "stdout" ? 1 : to.slice("file:".length);
  // Lines for stdout or a file are written synchronously, so that an entry is there before the request is answered.
  const stream = syslog ?? openLineFile(dest, { sync: true });
  const log = pino({ base: { host: hostname() }, timestamp: false }, stream);
  auditSink = {
    send: (line) => log.info({ audit: line }, "audit"),
    readFigures: () => syslog?.readFigures() ?? { waiting: 0, lost: 0 },
    close: async () => {
      auditSink = undefined;
      await syslog?.close();
    },
  };
  return auditSink;
}

// The protocol is syslog over TLS (RFC 5425), with messages in the format of RFC 5424.

const port = 6514;
/** The priority is facility 13 (log audit) with severity 6 (informational). */
const priority = 13 * 8 + 6;
const maxQueued = 10_000;
const maxBackoffMs = 30_000;
const closeMs = 2000;

export function openSyslog({ hostname: host, port: given }: URL, ca?: string) {
  const waiting: string[] = [];
  let lost = 0;
  let socket: TLSSocket | undefined;
  let isOpen = false;
  let isClosed = false;
  let failures = 0;
  // Unless the connection is closing, lines wait here while the receiver does not read, so that they are bounded and
  // reported.
  const mayWrite = (): boolean => isOpen && (isClosed || socket?.writableNeedDrain === false);
  const flush = (): void => {
    while (mayWrite()) {
      const line = waiting.shift();
      if (line === undefined) return;
      const head = `<${priority}>1 ${new Date().toISOString()} ${hostname()} quintet ${process.pid} audit -`;
      const text = `${head} ${line.trimEnd()}`;
      socket?.write(`${Buffer.byteLength(text)} ${text}`);
    }
  };
  const open = (): void => {
    const one = connect({ host, port: Number(given || port), servername: host, ...(ca === undefined ? {} : { ca }) });
    socket = one;
    one.unref();
    one.on("secureConnect", () => {
      [isOpen, failures] = [true, 0];
      flush();
    });
    one.on("drain", flush);
    one.on("error", () => {});
    // A syslog receiver sends no data, but the socket must be read, because otherwise the platform would not notice
    // that the receiver closed the connection.
    one.resume();
    one.once("close", () => {
      isOpen = false;
      failures++;
      if (!isClosed) setTimeout(open, Math.min(maxBackoffMs, 1000 * 2 ** (failures - 1))).unref();
    });
  };
  open();
  return {
    write(line: string) {
      waiting.push(line);
      if (waiting.length > maxQueued) {
        waiting.shift();
        lost++;
      }
      flush();
    },
    readFigures: () => ({ waiting: waiting.length, lost }),
    async close() {
      isClosed = true;
      flush();
      if (!socket || socket.destroyed) return;
      const ended = once(socket, "close").catch(() => undefined);
      socket.end();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
      socket.destroy();
    },
  };
}
