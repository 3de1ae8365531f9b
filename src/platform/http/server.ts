import { randomBytes } from "node:crypto";
import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Counter, Histogram, type Metric } from "prom-client";
import type { Caller } from "#platform/contract/caller.ts";
import { type Answer, guestsOf, type ServiceContract } from "#platform/contract/endpoint.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { compileNetworks, toClientAddress, toPlainAddress } from "#platform/contract/networks.ts";
import { type ConstraintProblems, Problem, type ProblemName } from "#platform/contract/problem.ts";
import { tokenHeaders } from "#platform/http/access.ts";
import { readBodies } from "#platform/http/bodies.ts";
import { commonHeaders, makeServerFactory } from "#platform/http/connections.ts";
import {
  compileRouteTable,
  describeMissing,
  makeFailureSender,
  type RenderMissing,
  type RouteTable,
  type SendFailure,
} from "#platform/http/failure.ts";
import { traceRequests } from "#platform/http/traces.ts";
import type { Platform } from "#platform/process/platform.ts";

declare module "fastify" {
  interface FastifyRequest {
    language: Language;
    caller: Caller | undefined;
    guest: string | undefined;
    /** The address is recorded when the request starts, because a closed socket no longer has one. */
    clientAddress: string;
    problem: ProblemName | undefined;
  }
  interface FastifyInstance {
    answerMetrics: readonly Metric[];
  }
  interface FastifyContextConfig {
    answer?: Answer;
  }
}

const mostParamLength = 1000;

const retiredProblem = new Problem("unavailable", { headers: { "retry-after": "2", connection: "close" } });

export interface ServerOptions {
  readonly served: readonly ServiceContract[];
  /** All contracts, including those that other processes serve, because any process may answer a CORS preflight. */
  readonly known: readonly ServiceContract[];
  readonly constraints: ConstraintProblems;
  readonly renderMissing: RenderMissing;
  readonly findMoved: (path: string) => Promise<string | undefined>;
}

const mayHaveMoved = ({ method, url = "" }: { method?: string | undefined; url?: string | undefined }): boolean =>
  method === "GET" && /^[^?#]*\.[A-Za-z0-9]{1,8}(?:$|[?#])/.test(url);

export async function createServer(
  platform: Platform,
  { served: contracts, known, constraints, renderMissing, findMoved }: ServerOptions,
): Promise<FastifyInstance> {
  const { settings, retired } = platform;
  const routes = compileRouteTable(contracts, settings.BASE_PATH);
  const always200 = settings.STATUS_STYLE === "always-200";
  const sendFailure = makeFailureSender(routes, always200, constraints, renderMissing);
  const app = openFastify(platform, routes, sendFailure);
  app.decorateRequest("language", "zh");
  app.decorateRequest("caller", undefined);
  app.decorateRequest("guest", undefined);
  app.decorateRequest("clientAddress", "");
  app.decorateRequest("problem", undefined);
  traceRequests(app, settings);
  app.addHook("onRequest", (request, reply, done) => {
    prepareRequest(request, reply);
    done();
  });
  watchAnswers(app);
  await registerPlugins(app, settings.CORS_ORIGINS, known);
  readBodies(app);
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  // The check runs after the plugins, so that they have set their headers, and before the body is read.
  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    // `headers` keeps only the first of several Host headers, and the requests that the demonstration injects have no
    // `headersDistinct`, so rawHeaders is used.
    const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
    // A request must have exactly one Host header (RFC 9112, 3.2), or none with HTTP/1.0. If there are several, a proxy
    // and this server might use different ones.
    if (hosts > 1 || (hosts === 0 && raw.httpVersion !== "1.0"))
      done(new Problem("badFormat", { detail: oneHost, headers: { connection: "close" } }));
    else if (request.is404) done(mayHaveMoved(raw) ? undefined : describeMissing(routes, raw.url));
    else done(retired.aborted && request.routeOptions.config.answer ? retiredProblem : undefined);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const { raw } = request;
    const moved = mayHaveMoved(raw) ? await findMoved(raw.url?.replace(/[?#].*$/, "") ?? "") : undefined;
    return moved === undefined
      ? sendFailure(describeMissing(routes, raw.url), request, reply)
      : reply.redirect(moved, 301);
  });
  return app;
}

function openFastify({ settings, log }: Platform, routes: RouteTable, sendFailure: SendFailure): FastifyInstance {
  const start = randomBytes(9).toString("base64url");
  let count = 0;
  const isOurs = compileNetworks(settings.TRUSTED_PROXIES);
  return Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => `${start}-${(count++).toString(36)}`,
    // No logger is created per request, because it would cost as much as a log line; lines contain the request id
    // instead.
    childLoggerFactory: (logger) => logger,
    // In a chain of proxies, the addresses in X-Forwarded-For may contain ports, which are removed before the check.
    trustProxy: settings.TRUSTED_PROXIES.length > 0 && ((address: string) => isOurs(toPlainAddress(address))),
    serverFactory: makeServerFactory(settings),
    clientErrorHandler: () => {},
    rewriteUrl: ({ url = "" }) => (/\/(?:\/|\?|$)/.test(url) ? routes.tidySlashes(url) : url),
    routerOptions: { maxParamLength: mostParamLength, ignoreTrailingSlash: false },
    // On shutdown, running requests finish and idle connections are closed. Requests that arrive on busy connections
    // are still answered, because no other process can answer them.
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      prepareRequest(request, reply);
      void sendFailure(error, request, reply);
    },
  });
}

const oneHost = { zh: "请求必须有且只有一个 Host", en: "a request must have exactly one Host header" };

function prepareRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.language = chooseLanguage(request.headers["accept-language"]);
  request.clientAddress = toClientAddress(request.ip);
  reply.headers(commonHeaders).header("x-request-id", request.id);
}

async function registerPlugins(
  app: FastifyInstance,
  origins: readonly string[],
  contracts: readonly ServiceContract[],
): Promise<void> {
  const endpoints = contracts.flatMap((contract) => Object.values(contract.endpoints));
  if (origins.length > 0) {
    const listed = new Set(origins);
    const sent = endpoints.flatMap(({ access, headers }) => Object.keys({ ...guestsOf(access)?.headers, ...headers }));
    const told = endpoints.flatMap(({ answerHeaders = {} }) => Object.keys(answerHeaders));
    await app.register(cors, {
      // If `origin` were a list, the plugin would allow credentials for every origin.
      origin: (origin, done) => done(null, origin !== undefined && listed.has(origin) && origin),
      methods: ["GET", "POST", "PUT", "DELETE"],
      allowedHeaders: [
        "content-type",
        "accept-language",
        "x-requested-with",
        ...tokenHeaders,
        ...new Set(sent),
        "Idempotency-Key",
      ],
      exposedHeaders: ["admin_token", "Retry-After", "Content-Disposition", ...new Set(told)],
      credentials: true,
      maxAge: 600,
      // Any OPTIONS request is answered as a preflight; otherwise the plugin would answer invalid ones with its own
      // text.
      strictPreflight: false,
    });
  }
  await app.register(cookie, { hook: false });
}

function watchAnswers(app: FastifyInstance): void {
  const durations = new Histogram({
    name: "quintet_http_request_seconds",
    help: "Time from receiving a request's headers to the end of its response",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [],
  });
  const problems = new Counter({
    name: "quintet_http_problems_total",
    help: "Refused or failed requests by problem name, regardless of HTTP status",
    labelNames: ["route", "problem"],
    registers: [],
  });
  app.decorate("answerMetrics", [durations, problems]);
  app.addHook("onResponse", (request, reply, done) => {
    const { id: reqId, method, span, problem } = request;
    const { statusCode: status, elapsedTime } = reply;
    const { url } = request.routeOptions;
    const line = { reqId, route: url ?? "no such route", method, status, ms: Math.round(elapsedTime) };
    request.log.info(span === undefined ? line : { ...line, traceId: span.traceId }, "answered");
    const route = url ?? "none";
    durations.observe({ method, route, status }, elapsedTime / 1000);
    if (problem !== undefined) problems.inc({ route, problem });
    done();
  });
}
