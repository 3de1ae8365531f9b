import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { fail, failBare } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
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

// After two seconds a killed embedded PostgreSQL is usually back, and a full disk may have space again.
const headers = { "retry-after": "2" } as const;
const diskFull = { zh: "服务器磁盘已满，无法保存", en: "the server's disk is full: the data could not be saved" };

export function toProblem(error: unknown, constraints: ConstraintProblems): Problem {
  if (error instanceof Problem) return error;
  const broken = brokenConstraint(error);
  const known = broken === undefined ? undefined : (constraints[broken] ?? platformConstraints[broken]);
  if (typeof known === "string") return new Problem(known);
  if (known) return explain(known.problem, `${known.field}: 已存在`, `${known.field}: already exists`);
  if (isDiskFull(error)) return new Problem("unavailable", { headers, detail: diskFull });
  const { code = "", statusCode = 500 } = error as Partial<FastifyError>;
  const named = byFastifyCode[code];
  if (named) return new Problem(named);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return explain("badFormat", "不支持的 Content-Type", "this Content-Type is not supported");
  if (statusCode >= 400 && statusCode < 500)
    return explain("badFormat", "请求格式有误，无法读取", "the request is malformed and cannot be read");
  // This check comes last, because the error of a disconnected client has the same code as that of a lost database.
  // Only the status of the client's error, which is checked above, tells them apart.
  if (isConnectionLoss(error) || isOverLimit(error)) return new Problem("unavailable", { headers });
  return new Problem("unknownError");
}

const singlePaths = ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/developers"];

export type RouteTable = ReturnType<typeof compileRouteTable>;

/**
 * Finds the operations of a path and the problems of its service, because Fastify reports neither for a request that no
 * route serves.
 */
export function compileRouteTable(contracts: readonly ServiceContract[], basePath: string) {
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
    operationsAt: (rawUrl: string) => routes.filter(({ pattern }) => pattern.test(pathOf(rawUrl))),
    problemsAt: (rawUrl: string): ProblemTable => problems.get(findPrefix(pathOf(rawUrl)) ?? "") ?? sharedProblems,
    /**
     * Removes doubled and trailing slashes, which old pages send, from addresses of services and from `singlePaths`.
     * Other addresses, such as those of web pages, stay unchanged.
     */
    tidySlashes(rawUrl: string): string {
      const path = pathOf(rawUrl);
      if (!path.includes("//") && !path.endsWith("/")) return rawUrl;
      const tidy = path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
      return single.has(tidy) || findPrefix(tidy) !== undefined ? tidy + rawUrl.slice(path.length) : rawUrl;
    },
  };
}

const pathOf = (rawUrl: string): string => rawUrl.split("?", 1)[0] ?? "";

export const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
      .join("/")}$`,
  );

export function describeMissing(routes: RouteTable, rawUrl = ""): Problem {
  const methods = new Set(routes.operationsAt(rawUrl).map(({ method }) => method));
  return methods.size > 0
    ? new Problem("methodNotSupported", { headers: { allow: [...methods].join(", ") } })
    : new Problem("pathNotFound");
}

export type RenderMissing = (language: Language) => { html: string; headers: Readonly<Record<string, string>> };

export type SendFailure = ReturnType<typeof makeFailureSender>;

export function makeFailureSender(
  routes: RouteTable,
  always200: boolean,
  constraints: ConstraintProblems,
  renderMissing: RenderMissing,
) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const found = toProblem(error, constraints);
    const { problem, extras } = found;
    const { log, id: reqId, language, routeOptions } = request;
    request.problem = problem;
    if (problem === "pathNotFound" && wantsPage(request)) {
      const { html, headers } = renderMissing(language);
      return reply.code(404).headers(headers).send(html);
    }
    const line = { reqId, route: routeOptions.url };
    // Admission control throws a Problem and logs its refusals itself, several in one line.
    if (problem === "unavailable" && !(error instanceof Problem))
      log.error({ ...toLoggable(error), ...line }, "the database was unavailable for a request");
    if (problem === "unknownError") log.error({ ...toLoggable(error), ...line }, "a request failed");
    if (extras.why !== undefined) log.error({ why: extras.why, ...line }, "an external service failed");
    const url = request.raw.url ?? "";
    const table = routes.problemsAt(url);
    const { answer } = routeOptions.config;
    const isBare = (answer ?? routes.operationsAt(url)[0]?.answer)?.as === "bare";
    const isEnvelope =
      answer?.as === "envelope" && !(answer.orFile && (request.query as { format?: unknown }).format === "xlsx");
    return reply
      .code(always200 && isEnvelope ? 200 : table[problem].status)
      .headers(extras.headers ?? {})
      .header("content-type", "application/json; charset=utf-8")
      .send(JSON.stringify((isBare ? failBare : fail)(found, table, language)));
  };
}

/** Browsers name `text/html` before JSON when a user opens an address; scripts and programs do not. */
const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") &&
  /\b(?:text\/html|application\/json)\b/i.exec(headers.accept ?? "")?.[0].toLowerCase() === "text/html";
