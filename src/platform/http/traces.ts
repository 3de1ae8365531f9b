import type { FastifyInstance } from "fastify";
import { compileNetworks, toPlainAddress } from "#platform/contract/networks.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Span } from "#platform/tracing/otlp.ts";
import { tracer } from "#platform/tracing/tracer.ts";

declare module "fastify" {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/**
 * The trace has the route, method, status and problem, but no path, query, body or headers. Its hooks must precede
 * others.
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
    // An untrusted traceparent would attach our spans to a stranger's trace and bypass sampling.
    const isKnown = typeof traceparent === "string" && isTrusted(toPlainAddress(request.socket.remoteAddress ?? ""));
    const span = taken.begin({ kind: "server", name, facts }, isKnown ? traceparent : undefined);
    request.span = span;
    // The event "close" is emitted however the answer ends, including a disconnect.
    reply.raw.once("close", () => {
      const { statusCode, writableFinished } = reply.raw;
      const { id, problem } = request;
      span.note({
        "http.response.status_code": statusCode,
        "quintet.request_id": id,
        ...(problem !== undefined && { "quintet.problem": problem }),
      });
      // A refusal is no failure of the span. STATUS_STYLE may hide the status of a failure.
      const isFault = statusCode >= 500 || problem === "unknownError" || problem === "unavailable";
      const fault = isFault ? (problem ?? String(statusCode)) : undefined;
      span.end(writableFinished ? fault : "cut off");
    });
    taken.within(span, done);
  });
  // Reading the body continues in the connection's async context.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.span) taken.within(request.span, done);
    else done();
  });
}
