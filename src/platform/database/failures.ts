import pg from "pg";

export type LossCode =
  | "CONNECTION_CLOSED"
  | "CONNECTION_REFUSED_TLS"
  | "CONNECTION_SILENT"
  | "CONNECTION_READ_ONLY"
  | "CONNECTION_UNCONFIRMED"
  | "CONNECT_TIMEOUT";

/** The connection was lost or is unusable, so the statement may or may not have run. */
export class ConnectionLoss extends Error {
  override readonly name = "ConnectionLoss";
  readonly code: LossCode;
  constructor(code: LossCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

// The driver's own errors have no code, so they are recognised by their messages.
const sentences: readonly (readonly [begins: RegExp, code: LossCode, message: string])[] = [
  [
    /^(?:timeout expired|.*connection timeout$)/,
    "CONNECT_TIMEOUT",
    "the database did not accept the connection within 10 s",
  ],
  [
    /^(?:The server does not support SSL|There was an error establishing an SSL)/,
    "CONNECTION_REFUSED_TLS",
    "the database does not offer TLS",
  ],
  [/^Query read timeout$/, "CONNECTION_SILENT", "the database does not respond"],
  [/^(?:Connection terminated|Client )/, "CONNECTION_CLOSED", "the connection to the database is closed"],
];

export function toFailure(error: unknown): Error {
  if (!(error instanceof Error)) return new Error("the database failed", { cause: error });
  if (error instanceof pg.DatabaseError) return Object.assign(error, { name: "DatabaseError" });
  if (error.constructor !== Error || "code" in error) return error;
  const known = sentences.find(([begins]) => begins.test(error.message));
  return known ? new ConnectionLoss(known[1], known[2], error) : error;
}

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
};

// These codes come from the operating system, from this module and from PostgreSQL: connection exceptions, shutdown and
// startup, too many connections, idle timeouts.
const losses = /^(?:ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOST|ENET|CONNECT|08...$|57P0.$|53300$|25P03$)/;

export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  // ENOENT means a missing socket only if `connect` failed; otherwise a file is missing.
  return losses.test(code) || (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect");
}

/** Whether the failed transaction is known to be rolled back. After a connection loss it may have committed. */
export const isUndone = (error: unknown): boolean => error instanceof pg.DatabaseError && !isConnectionLoss(error);

export const isDiskFull = (error: unknown): boolean => codeOf(error) === "53100" || codeOf(error) === "ENOSPC";

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

export const isMissingTable = (error: unknown): boolean => codeOf(error) === "42P01";

export const isOverLimit = (error: unknown): boolean => codeOf(error) === "57014" || isLockTimeout(error);

export const brokenConstraint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && codeOf(error).startsWith("23") ? error.constraint : undefined;

/**
 * A prepared plan becomes stale when a newer process changes the table, or when the session's prepared statements are
 * discarded.
 */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "26000" ||
  (error instanceof pg.DatabaseError && error.code === "0A000" && error.routine === "RevalidateCachedQuery");

/**
 * If waiting for a standby is cancelled, PostgreSQL reports success with this notice, but a failover may lose the
 * commit. The notice has no code, and its text depends on the language, so it is recognised by its routine.
 */
export const isUnconfirmed = ({ routine }: { readonly routine?: string | undefined }): boolean =>
  routine === "SyncRepWaitForLSN";

export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006";

// A deadlock, serialisation failure or stale plan rolls the transaction back, so the transaction may be repeated.
export const isRepeatable = (error: unknown): boolean =>
  ["40001", "40P01"].includes(codeOf(error)) || isStalePlan(error);
