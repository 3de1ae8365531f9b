import type { FastifyError } from "fastify";
import { type ConstraintProblems } from "#platform/contract/problem.ts";
import { explain, Problem, type ProblemName } from "#platform/contract/problem.ts";
import { brokenConstraint, isConnectionLoss, isDiskFull, isOverLimit } from "#platform/database/index.ts";

const byFastifyCode: Readonly<Record<string, ProblemName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_EMPTY_JSON_BODY: "bodyEmpty",
  FST_REQ_FILE_TOO_LARGE: "fileTooLarge",
  FST_FILES_LIMIT: "badFile",
  FST_PARTS_LIMIT: "badFile",
  FST_FIELDS_LIMIT: "badFile",
  FST_INVALID_MULTIPART_CONTENT_TYPE: "badFile",
};

const platformConstraints: ConstraintProblems = {
  account_user_name_key: "alreadyExists",
  account_name_key: "alreadyExists",
  factor_credential_key: "alreadyExists",
};

// An embedded PostgreSQL that was killed is back within about a second.
const retryAfter = { "retry-after": "2" } as const;

// Whoever sends it again once there is room has it stored.
const diskFull = { zh: "服务器磁盘已满，无法保存", en: "the server's disk is full, nothing can be stored" };

/** Any error as a problem: the database is the last validator, Fastify the first. What is left is ours to mend. */
export function toProblem(error: unknown, constraints: ConstraintProblems): Problem {
  if (error instanceof Problem) return error;
  const broken = brokenConstraint(error);
  const known = broken === undefined ? undefined : (constraints[broken] ?? platformConstraints[broken]);
  if (typeof known === "string") return new Problem(known);
  if (known) return explain(known.problem, `${known.field}: 已存在`, `${known.field}: exists already`);
  if (isDiskFull(error)) return new Problem("unavailable", { headers: retryAfter, detail: diskFull });
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
