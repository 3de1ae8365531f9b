import pg from "pg";

/** Why a connection was lost or could not be made, in the way of the codes of Node and PostgreSQL. */
export type LossCode =
  | "CONNECTION_CLOSED"
  | "CONNECTION_REFUSED_TLS"
  | "CONNECTION_SILENT"
  | "CONNECTION_READ_ONLY"
  | "CONNECTION_UNCONFIRMED"
  | "CONNECT_TIMEOUT";

/** A connection is gone, or none could be had: nothing is wrong with the statement, and it may have been run or not. */
export class ConnectionLoss extends Error {
  override readonly name = "ConnectionLoss";
  readonly code: LossCode;
  constructor(code: LossCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

// node-postgres tells its own failures by their sentences alone.
const sentences: readonly (readonly [begins: RegExp, code: LossCode, message: string])[] = [
  [/^(?:timeout expired|.*connection timeout$)/, "CONNECT_TIMEOUT", "the database did not let us in within 10 s"],
  [
    /^(?:The server does not support SSL|There was an error establishing an SSL)/,
    "CONNECTION_REFUSED_TLS",
    "the database does not offer TLS",
  ],
  [/^Query read timeout$/, "CONNECTION_SILENT", "the database does not answer"],
  [/^(?:Connection terminated|Client )/, "CONNECTION_CLOSED", "the connection to the database is closed"],
];

/** What the driver failed with, under a name. */
export function toFailure(error: unknown): Error {
  if (!(error instanceof Error)) return new Error("the database failed", { cause: error });
  // The driver's is "error".
  if (error instanceof pg.DatabaseError) return Object.assign(error, { name: "DatabaseError" });
  if (error.constructor !== Error || "code" in error) return error;
  const known = sentences.find(([begins]) => begins.test(error.message));
  return known ? new ConnectionLoss(known[1], known[2], error) : error;
}

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
};

// Of the system, of ourselves, and of PostgreSQL: the class of lost connections, a server that ends or begins, too many
// connections, a session that was idle for too long.
const losses = /^(?:ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOST|ENET|CONNECT|08...$|57P0.$|53300$|25P03$)/;

/** Whether the database could not be reached, or ended the connection: nothing is wrong with the request. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  // A file that is not there has the code of a socket that is not there.
  return losses.test(code) || (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect");
}

/**
 * Whether the database has said that the transaction failed. Of a connection that was lost nobody can tell: the COMMIT may
 * have been heard, and only its answer not.
 */
export const isUndone = (error: unknown): boolean => error instanceof pg.DatabaseError && !isConnectionLoss(error);

/** Whether the disk has no room for what was to be stored: the database's own, or the one that files are written to. */
export const isDiskFull = (error: unknown): boolean => codeOf(error) === "53100" || codeOf(error) === "ENOSPC";

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

export const isMissingTable = (error: unknown): boolean => codeOf(error) === "42P01";

/** Whether a statement, or its wait for a lock, took longer than it may. */
export const isOverLimit = (error: unknown): boolean => codeOf(error) === "57014" || isLockTimeout(error);

/** The name of the constraint that a statement broke, when that is why it failed. */
export const brokenConstraint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && codeOf(error).startsWith("23") ? error.constraint : undefined;

/**
 * Whether a statement failed for what was prepared alone: a table was changed behind it, as by another process that is
 * newer, or somebody threw the session's prepared statements away.
 */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "26000" ||
  (error instanceof pg.DatabaseError && error.code === "0A000" && error.routine === "RevalidateCachedQuery");

/**
 * Whether a notice says that a commit's wait for its standbys was ended, as by pg_cancel_backend: PostgreSQL then calls the
 * commit done, and a fail-over may lose it. It has no code of its own, and its words are translated.
 */
export const isUnconfirmed = ({ routine }: { readonly routine?: string | undefined }): boolean =>
  routine === "SyncRepWaitForLSN";

export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006";

// Deadlock and serialization failures: the transaction was undone whole and may be run again as it is.
export const isRepeatable = (error: unknown): boolean =>
  ["40001", "40P01"].includes(codeOf(error)) || isStalePlan(error);
