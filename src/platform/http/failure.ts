import type { FastifyError } from "fastify";
import { brokenConstraint, isConnectionLoss, isDiskFull, isOverLimit } from "#platform/database/index.ts";
import { explain, Problem, type ProblemName } from "#platform/problem.ts";

const byFastifyCode: Readonly<Record<string, ProblemName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_EMPTY_JSON_BODY: "bodyEmpty",
  FST_REQ_FILE_TOO_LARGE: "fileTooLarge",
  FST_FILES_LIMIT: "badFile",
  FST_PARTS_LIMIT: "badFile",
  FST_FIELDS_LIMIT: "badFile",
  FST_INVALID_MULTIPART_CONTENT_TYPE: "badFile",
};

/** What breaking a constraint means to the caller; with a field, the message names it. */
type BrokenMeaning = ProblemName | { readonly problem: ProblemName; readonly field: string };

/** Constraint names of the migrations, and what breaking one means. */
export type ConstraintProblems = Readonly<Record<string, BrokenMeaning>>;

const platformConstraints: ConstraintProblems = {
  account_user_name_key: "alreadyExists",
  account_name_key: "alreadyExists",
};

// An embedded PostgreSQL that was killed is back within about a second.
const retryAfter = { "retry-after": "2" } as const;

/** Any error as a problem: the database is the last validator, Fastify the first. What is left is ours to mend. */
export function toProblem(error: unknown, constraints: ConstraintProblems): Problem {
  if (error instanceof Problem) return error;
  const broken = brokenConstraint(error);
  const known = broken === undefined ? undefined : (constraints[broken] ?? platformConstraints[broken]);
  if (typeof known === "string") return new Problem(known);
  if (known) return explain(known.problem, `${known.field}: 已存在`, `${known.field}: exists already`);
  if (isDiskFull(error))
    return explain("unknownError", "服务器磁盘已满，无法保存", "the server's disk is full, nothing can be stored");
  const { code = "", statusCode = 500 } = error as Partial<FastifyError>;
  const named = byFastifyCode[code];
  if (named) return new Problem(named);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return explain("badFormat", "不支持的 Content-Type", "the content type is not supported");
  if (statusCode >= 400 && statusCode < 500) return explain("badFormat", "请求无法读取", "the request cannot be read");
  // Last: a client that hung up looks like a database that did, but for its status.
  if (isConnectionLoss(error) || isOverLimit(error)) return new Problem("unavailable", { headers: retryAfter });
  return new Problem("unknownError");
}

/**
 * What a log may tell of an error. A database error's message and detail quote values of the request, so only its
 * state, constraint and place are kept; of any other the stack.
 */
export function toLoggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { code, constraint, table, severity } = error as unknown as Record<string, unknown>;
  const frames = (error.stack ?? "").split("\n").filter((line) => line.trimStart().startsWith("at "));
  const stack = frames
    .slice(0, 12)
    .map((line) => line.trim())
    .join(" | ");
  if (severity !== undefined) return { kind: error.name, code, constraint, table, stack };
  return { kind: error.name, code, message: error.message, stack };
}
