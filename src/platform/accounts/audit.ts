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

/** One line of the audit log: who did what to which records, from where, and how it ended. */
export interface AuditEntry {
  readonly service: string;
  readonly accountId?: number | undefined;
  readonly userName: string;
  /** The operation's name in the contract, such as closeReport. */
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  readonly records?: readonly (string | number)[];
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
  readonly address: string;
}

/**
 * Has the transaction note what it changes from here on, before and after, for its audit line
 * (`platform.keep_changes`). Nobody waits for it.
 */
export const noteChanges = (tx: Db): Promise<void> => tx.send`select set_config('quintet.changes', '{}', true)`;

/** Writes the line in the transaction of the change that it tells of, and with it, and with what was noted of it. */
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

/** What is done at the machine itself, by somebody whom the platform does not know. */
export const writeLocalAudit = (tx: Db, entry: Omit<AuditEntry, "outcome" | "address">): Promise<void> =>
  writeAudit(tx, { ...entry, outcome: "done", address: "local" });

/** Whether the caller has a line of this action about these records, no older than so many minutes. */
export const isAudited = async (db: Db, entry: AuditEntry, minutes: number): Promise<boolean> =>
  (await db.count`
    select from platform.audit
    where at > now() - make_interval(mins => ${minutes}) and service = ${entry.service} and action = ${entry.action}
      and account_id = ${entry.accountId ?? null} and records = ${(entry.records ?? []).map(String)}
    limit 1`) > 0;

/**
 * Writes down that somebody was refused, or failed to log in, after whose transaction is gone. What cannot be written is
 * logged and no more: it must not take the place of the refusal.
 */
export async function auditRefusal(
  { pool, log }: { readonly pool: Pool; readonly log: FastifyBaseLogger },
  entry: AuditEntry,
): Promise<void> {
  const { service, action, outcome } = entry;
  await writeAudit(pool, entry).catch((error: unknown) =>
    log.error({ service, action, outcome, ...toLoggable(error) }, "a refusal is missing in the audit log"),
  );
}

export const byCaller = ({ accountId, userName, keyId }: Pick<Caller, "accountId" | "userName" | "keyId">) => ({
  accountId,
  userName: keyId === undefined ? userName : `${userName} (${keyMark(keyId)})`,
});

// Where lines of the audit log go as they are written, beside the database: whoever can rewrite the one cannot rewrite the other.

interface WrittenLine {
  readonly id: number;
  readonly at: Date;
  readonly changes: unknown;
}

interface AuditSink {
  readonly send: (line: AuditEntry & WrittenLine) => void;
  /** Lines that wait to be taken, and those that were given up since the start. */
  readonly readFigures: () => { readonly waiting: number; readonly lost: number };
  /** Waits a little for what still has to leave. */
  readonly close: () => Promise<void>;
}

/** Undefined while they go nowhere else. It is the process's, as its standard output is. */
export let auditSink: AuditSink | undefined;

/** @param to as AUDIT_LOG says it */
export function openAuditSink(to: string | undefined): AuditSink | undefined {
  if (to === undefined) return (auditSink = undefined);
  const syslog = to.startsWith("syslog+tls:") ? openSyslog(new URL(to)) : undefined;
  const dest = to === "stdout" ? 1 : to.slice("file:".length);
  // At once, so that a line is there before its answer.
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

// Syslog over TLS (RFC 5424, framed by RFC 5425).

const port = 6514;
/** Facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6;
const maxQueued = 10_000;
const maxBackoffMs = 30_000;
const closeMs = 2000;

/** Sends each line; what cannot be sent yet waits, and of more than ten thousand the oldest are lost. */
export function openSyslog({ hostname: host, port: given }: URL, ca?: string) {
  const waiting: string[] = [];
  let lost = 0;
  let socket: TLSSocket | undefined;
  let isOpen = false;
  let isClosed = false;
  let failures = 0;
  const flush = (): void => {
    if (!isOpen) return;
    for (const line of waiting.splice(0)) {
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
    one.on("error", () => {});
    // A receiver says nothing; what is not read would keep its end from being heard.
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
      if (!socket || socket.destroyed) return;
      const ended = once(socket, "close").catch(() => undefined);
      socket.end();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
      socket.destroy();
    },
  };
}
