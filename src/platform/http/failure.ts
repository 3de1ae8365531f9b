import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Answer, ServiceContract } from "#platform/contract/endpoint.ts";
import { fail, failBare } from "#platform/contract/envelope.ts";
import { type Language, readPreferences } from "#platform/contract/language.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import {
  type ConstraintProblems,
  explain,
  Problem,
  type ProblemName,
  type ProblemTable,
  sharedProblems,
} from "#platform/contract/problem.ts";
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

/** What Fastify does not tell about a path that it could not serve: which other methods it has, and whose it is. */
export interface RouteTable {
  /** The operations at the path of a raw URL, whichever method was tried; none when nothing is there. */
  operationsAt(rawUrl: string): readonly { readonly method: string; readonly answer: Answer }[];
  /** The table in whose words a failure at that path is told. */
  problemsAt(rawUrl: string): ProblemTable;
  /**
   * The URL without doubled slashes and one at the end of an operation's path, where old pages have them, and of a probe's;
   * every other address, such as a page's with its slash, stays as it is.
   */
  tidySlashes(rawUrl: string): string;
}

/** What stands at one path of its own, beside the operations. */
const singlePaths = ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/developers"];

export function compileRouteTable(contracts: readonly ServiceContract[], basePath: string): RouteTable {
  const routes = contracts.flatMap(({ problems, endpoints }) =>
    Object.values(endpoints).map(({ method, url, answer }) => ({
      method,
      answer,
      problems,
      pattern: toPattern(basePath + url),
      prefix: `${basePath}/${url.split("/")[1]}/`,
    })),
  );
  const problems = new Map(routes.map((route) => [route.prefix, route.problems]));
  const single = new Set(singlePaths.map((path) => basePath + path));
  const findPrefix = (path: string): string | undefined =>
    [...problems.keys()].find((prefix) => path.startsWith(prefix));
  return {
    operationsAt: (rawUrl) => routes.filter(({ pattern }) => pattern.test(pathOf(rawUrl))),
    problemsAt: (rawUrl) => problems.get(findPrefix(pathOf(rawUrl)) ?? "") ?? sharedProblems,
    tidySlashes(rawUrl) {
      const path = pathOf(rawUrl);
      if (!path.includes("//") && !path.endsWith("/")) return rawUrl;
      const tidy = path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
      return single.has(tidy) || findPrefix(tidy) !== undefined ? tidy + rawUrl.slice(path.length) : rawUrl;
    },
  };
}

const pathOf = (rawUrl: string): string => rawUrl.split("?", 1)[0] ?? "";

/** What matches the paths of an operation. */
export const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
      .join("/")}$`,
  );

/** What to say where nothing is, or nothing of that method. */
export function describeMissing(routes: RouteTable, rawUrl = ""): Problem {
  const methods = new Set(routes.operationsAt(rawUrl).map(({ method }) => method));
  return methods.size > 0
    ? new Problem("methodNotSupported", { headers: { allow: [...methods].join(", ") } })
    : new Problem("pathNotFound");
}

export interface FailureOptions {
  readonly routes: RouteTable;
  readonly always200: boolean;
  readonly constraints: ConstraintProblems;
  /** What a person is shown who opens an address that nobody serves, with the headers that it is sent under. */
  readonly renderMissing: (language: Language) => { html: string; headers: Readonly<Record<string, string>> };
}

export type SendFailure = ReturnType<typeof makeFailureSender>;

/** Answers whatever was thrown, in the words of the service whose path it is. */
export function makeFailureSender({ routes, always200, constraints, renderMissing }: FailureOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error, constraints);
    request.problem = problem.problem;
    if (problem.problem === "pathNotFound" && wantsPage(request)) {
      const { html, headers } = renderMissing(request.language);
      return reply.code(404).headers(headers).send(html);
    }
    logFailure(request, problem, error);
    const url = request.raw.url ?? "";
    const table = routes.problemsAt(url);
    const { answer } = request.routeOptions.config;
    const isBare = (answer ?? routes.operationsAt(url)[0]?.answer)?.as === "bare";
    return reply
      .code(always200 && answer && isEnvelope(answer, request) ? 200 : table[problem.problem].status)
      .headers(problem.extras.headers ?? {})
      .header("content-type", "application/json; charset=utf-8")
      .send(JSON.stringify((isBare ? failBare : fail)(problem, table, request.language)));
  };
}

function logFailure(
  { log, id: reqId, routeOptions }: FastifyRequest,
  { problem, extras: { why } }: Problem,
  error: unknown,
): void {
  const route = routeOptions.url;
  // Who refuses before the work begins tells of it once for many.
  if (problem === "unavailable" && !(error instanceof Problem))
    log.error({ ...toLoggable(error), reqId, route }, "the database was not to be had for a request");
  if (problem === "unknownError") log.error({ ...toLoggable(error), reqId, route }, "a request failed");
  if (why !== undefined) log.error({ why, reqId, route }, "an outside service failed");
}

/** Whether the call's success would be an envelope: what asks for a file is judged by its status, a page by nobody. */
const isEnvelope = (answer: Answer, { query }: FastifyRequest): boolean =>
  answer.as === "envelope" && !(answer.orFile && (query as { format?: unknown }).format === "xlsx");

/** Whether it is a person who asks: Accept names a page before JSON, or at all where it does not name JSON. */
function wantsPage({ method, headers }: FastifyRequest): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const wanted = readPreferences(headers.accept ?? "").filter(({ weight }) => weight > 0);
  const page = wanted.findIndex(({ name }) => name === "text/html");
  const json = wanted.findIndex(({ name }) => name === "application/json");
  if (page < 0 || json < 0) return page >= 0;
  const [pageWeight = 0, jsonWeight = 0] = [wanted[page]?.weight, wanted[json]?.weight];
  return pageWeight === jsonWeight ? page < json : pageWeight > jsonWeight;
}
