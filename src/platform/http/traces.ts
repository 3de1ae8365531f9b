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
 * Traces contain the route, method, status, problem and id of a request, but no path, query, body or headers. The hooks
 * must be added before all others.
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
    // A traceparent that does not come from a trusted proxy is ignored, because it would attach spans to a stranger's
    // trace and bypass sampling.
    const isKnown = typeof traceparent === "string" && isTrusted(toPlainAddress(request.socket.remoteAddress ?? ""));
    const span = taken.begin({ kind: "server", name, facts }, isKnown ? traceparent : undefined);
    request.span = span;
    // The event "close" is emitted whether the answer was sent completely or the client disconnected.
    reply.raw.once("close", () => {
      const { statusCode, writableFinished } = reply.raw;
      const { id, problem } = request;
      span.note({
        "http.response.status_code": statusCode,
        "quintet.request_id": id,
        ...(problem !== undefined && { "quintet.problem": problem }),
      });
      // A refusal does not mark the request's span as failed. The problem is checked too, because STATUS_STYLE may
      // replace the status of a failure with 200.
      const isFault = statusCode >= 500 || problem === "unknownError" || problem === "unavailable";
      const fault = isFault ? (problem ?? String(statusCode)) : undefined;
      span.end(writableFinished ? fault : "cut off");
    });
    taken.within(span, done);
  });
  // The handler must enter the span again, because after reading the body it runs in the connection's async context.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.span) taken.within(request.span, done);
    else done();
  });
}
