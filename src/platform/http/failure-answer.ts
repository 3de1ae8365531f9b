import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answer } from "#platform/contract/endpoint.ts";
import { fail, failBare } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type ConstraintProblems, Problem } from "#platform/contract/problem.ts";
import { toProblem } from "#platform/http/failure.ts";
import { wantsPage } from "#platform/http/missing-page.ts";
import type { RouteTable } from "#platform/http/route-table.ts";

export interface FailureOptions {
  readonly routes: RouteTable;
  readonly always200: boolean;
  readonly constraints: ConstraintProblems;
  /** What a person is shown who opens an address that nobody serves. */
  readonly renderMissing: (language: Language) => Page;
}

/** A document with the policy that it is sent under. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** Answers whatever was thrown, in the words of the service whose path it is. */
export function makeFailureSender({ routes, always200, constraints, renderMissing }: FailureOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error, constraints);
    request.problem = problem.problem;
    if (problem.problem === "pathNotFound" && wantsPage(request))
      return sendPage(reply, renderMissing(request.language));
    logFailure(request, problem, error);
    const url = request.raw.url ?? "";
    const table = routes.problemsAt(url);
    const { answer } = request.routeOptions.config;
    const told = ((answer ?? routes.answerAt(url))?.as === "bare" ? failBare : fail)(problem, table, request.language);
    return reply
      .code(always200 && answer && isEnvelope(answer, request) ? 200 : table[problem.problem].status)
      .headers(problem.extras.headers ?? {})
      .header("content-type", "application/json; charset=utf-8")
      .send(JSON.stringify(told));
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

const sendPage = (reply: FastifyReply, { html, policy }: Page): FastifyReply =>
  reply
    .code(404)
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
    })
    .send(html);

/** Whether the call's success would be an envelope: what asks for a file is judged by its status, a page by nobody. */
const isEnvelope = (answer: Answer, { query }: FastifyRequest): boolean =>
  answer.as === "envelope" && !(answer.orFile && (query as { format?: unknown }).format === "xlsx");

/** What to say where nothing is, or nothing of that method. */
export function describeMissing(routes: RouteTable, rawUrl = ""): Problem {
  const methods = routes.methodsAt(rawUrl);
  return methods.length > 0
    ? new Problem("methodNotSupported", { headers: { allow: methods.join(", ") } })
    : new Problem("pathNotFound");
}
