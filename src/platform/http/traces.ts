import type { FastifyInstance } from "fastify";
import { compileNetworks, toPlainAddress } from "#platform/contract/networks.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Span } from "#platform/tracing/otlp.ts";
import { tracer } from "#platform/tracing/tracer.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Of the request, where traces are taken. */
    span: Span | undefined;
  }
}

/**
 * Takes a trace of each request, where traces are taken: its route's pattern, method, status and problem, and below it what
 * is done for it. Paths, queries, bodies and headers are in none. Must come before the other hooks.
 */
export function traceRequests(app: FastifyInstance, { TRUSTED_PROXIES }: Pick<Settings, "TRUSTED_PROXIES">): void {
  app.decorateRequest("span", undefined);
  const taken = tracer;
  if (!taken) return;
  const isTrusted = compileNetworks(TRUSTED_PROXIES);
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    const facts = { "http.request.method": request.method, ...(route !== undefined && { "http.route": route }) };
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const { traceparent } = request.headers;
    // A stranger's header would have our spans stand in a trace of theirs, and be taken whatever the share is.
    const isKnown = typeof traceparent === "string" && isTrusted(toPlainAddress(request.socket.remoteAddress ?? ""));
    const span = taken.begin({ kind: "server", name, facts }, isKnown ? traceparent : undefined);
    request.span = span;
    // Comes however it ends, also when the client has gone.
    reply.raw.once("close", () => {
      const { statusCode, writableFinished } = reply.raw;
      const { id, problem } = request;
      span.note({
        "http.response.status_code": statusCode,
        "quintet.request_id": id,
        ...(problem !== undefined && { "quintet.problem": problem }),
      });
      // A refusal is the caller's fault, and no failure of the span. STATUS_STYLE may hide a failure's status.
      const isFault = statusCode >= 500 || problem === "unknownError" || problem === "unavailable";
      const fault = isFault ? (problem ?? String(statusCode)) : undefined;
      span.end(writableFinished ? fault : "cut off");
    });
    taken.within(span, done);
  });
  // What reads the body goes on in the connection's context, which is no request's.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.span) taken.within(request.span, done);
    else done();
  });
}
