import { randomBytes } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import type { Socket } from "node:net";
import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from "fastify";
import type { Caller } from "#platform/contract/caller.ts";
import { toClientAddress, toPlainAddress } from "#platform/contract/client-address.ts";
import { type Answer, type Endpoint, guestsOf, type ServiceContract } from "#platform/contract/endpoint.ts";
import { fail, failBare } from "#platform/contract/envelope.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { compileNetworks } from "#platform/contract/networks.ts";
import { type ConstraintProblems, Problem, type ProblemName } from "#platform/contract/problem.ts";
import { readBodies } from "#platform/http/bodies.ts";
import { watchConnections } from "#platform/http/connections.ts";
import { toProblem } from "#platform/http/failure.ts";
import { wantsPage } from "#platform/http/missing-page.ts";
import { findHostProblem } from "#platform/http/host.ts";
import { refuseUnreadable, tellSocket, watchExchanges } from "#platform/http/raw-answer.ts";
import { compileRouteTable, compileSlashes } from "#platform/http/route-table.ts";
import { traceRequests } from "#platform/http/traces.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";

declare module "fastify" {
  interface FastifyRequest {
    language: Language;
    caller: Caller | undefined;
    guest: string | undefined;
    /** Noted at the start: once the client has gone, its address cannot be asked for any more. */
    clientAddress: string;
    /** What it was refused for, or has failed with. */
    problem: ProblemName | undefined;
  }
  interface FastifyContextConfig {
    /** What the operation answers with; undefined for what is none, such as a page. */
    answer?: Answer;
  }
}

const mostParamLength = 1000;
// The ids of an export stand in its address: ten thousand of them, as ids%5B%5D=1234567&, take 190 KB.
const mostHeaderBytes = 256 * 1024;
// A head is sent at once; half an hour is 200 MB, the largest import, at 1 Mbit/s.
const longestHeadMs = 10_000;
const longestRequestMs = 1_800_000;
// For longer than the minute after which most proxies let go of a connection that nobody uses.
const keptAliveMs = 72_000;
/** What a page of another origin may send. */
const listSentHeaders = (endpoints: readonly Endpoint[]): string[] => [
  "content-type",
  "accept-language",
  "x-requested-with",
  "admin_token",
  "admin-token",
  ...new Set(endpoints.flatMap(({ access, headers }) => Object.keys({ ...guestsOf(access)?.headers, ...headers }))),
  "Idempotency-Key",
];

/** What it may read of an answer. */
const listToldHeaders = (endpoints: readonly Endpoint[]): string[] => [
  "admin_token",
  "Retry-After",
  "Content-Disposition",
  ...new Set(endpoints.flatMap(({ answerHeaders = {} }) => Object.keys(answerHeaders))),
];

/** Of a version that must take nothing more; whoever asks again is to reach another process. The log has said so once. */
const retiredProblem = new Problem("unavailable", { headers: { "retry-after": "2", connection: "close" } });

export interface ServerOptions {
  readonly served: readonly ServiceContract[];
  /** Those too that other processes serve: a page of another origin asks any of them what it may send. */
  readonly known: readonly ServiceContract[];
  readonly constraints: ConstraintProblems;
  /** What a person is shown who opens an address that nobody serves. */
  readonly renderMissing: (language: Language) => Page;
}

/** A document with the policy that it is sent under. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** A Fastify with everything that all services share, and no route yet. */
export async function createServer(
  platform: Platform,
  { served: contracts, known, constraints, renderMissing }: ServerOptions,
): Promise<FastifyInstance> {
  const { settings, log, retired } = platform;
  const tidySlashes = compileSlashes(contracts, settings.BASE_PATH);
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: makeRequestIds(),
    // A logger for every request, which writes one line, took as long as the line; so lines name their request themselves.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustProxies(settings.TRUSTED_PROXIES),
    serverFactory: makeServerFactory(settings),
    clientErrorHandler: () => {},
    rewriteUrl: ({ url = "" }) => tidySlashes(url),
    routerOptions: { maxParamLength: mostParamLength, ignoreTrailingSlash: false },
    // On stop, requests that are running are finished and idle connections closed. What still comes on a connection that was
    // not idle is answered like any other, and its connection closed then: nobody else could answer it.
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      prepareRequest(request);
      void sendFailure(error, request, reply);
    },
  });
  const sendFailure = makeFailureSender(
    settings.STATUS_STYLE === "always-200",
    contracts,
    constraints,
    settings.BASE_PATH,
    renderMissing,
  );
  app.decorateRequest("language", "zh");
  app.decorateRequest("caller", undefined);
  app.decorateRequest("guest", undefined);
  app.decorateRequest("clientAddress", "");
  app.decorateRequest("problem", undefined);
  const commonHeaders = await makeCommonHeaders();
  traceRequests(app, settings);
  app.addHook("onRequest", (request, reply, done) => {
    prepareRequest(request);
    reply.headers(commonHeaders).header("x-request-id", request.id);
    done();
  });
  app.addHook("onResponse", logAnswer);
  await registerPlugins(app, settings.CORS_ORIGINS, known);
  readBodies(app);
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  const findWhyNot = compileNotFound(contracts, settings.BASE_PATH);
  // After the plugins, which add headers of their own; before the body is read, which nobody wants here.
  app.addHook("onRequest", (request, _reply, done) =>
    done(
      findHostProblem(request.raw) ??
        (request.is404
          ? findWhyNot(request)
          : retired.aborted && request.routeOptions.config.answer
            ? retiredProblem
            : undefined),
    ),
  );
  app.setNotFoundHandler((request, reply) => sendFailure(findWhyNot(request), request, reply));
  return app;
}

/** The server of each address that is listened on: of a host's name there may be two. */
const makeServerFactory =
  ({ MAX_CONNECTIONS, IDLE_SECONDS }: Settings): FastifyServerFactory =>
  (handler) => {
    const server = createHttpServer(
      {
        maxHeaderSize: mostHeaderBytes,
        headersTimeout: longestHeadMs,
        requestTimeout: longestRequestMs,
        keepAliveTimeout: keptAliveMs,
        connectionsCheckingInterval: 2000,
        // By a bare text of its own; ours is host.ts.
        requireHostHeader: false,
      },
      handler,
    );
    watchExchanges(server);
    // What a request expects beyond 100-continue is passed over.
    server.on("checkExpectation", (request, response) => server.emit("request", request, response));
    // Without a listener its connection would be cut, with what others on it had asked for before.
    server.on("connect", (_request, socket: Socket) => {
      // Nobody else listens to what becomes of it any more.
      socket.on("error", () => socket.destroy());
      tellSocket(socket, "400 Bad Request", new Problem("badFormat"));
    });
    watchConnections(server, { most: MAX_CONNECTIONS, idleMs: IDLE_SECONDS * 1000 });
    return server.on("clientError", refuseUnreadable);
  };

/** Which addresses of X-Forwarded-For are our proxies'; a chain of them may write ports. */
function trustProxies(networks: readonly string[]): false | ((address: string) => boolean) {
  if (networks.length === 0) return false;
  const holds = compileNetworks(networks);
  return (address) => holds(toPlainAddress(address));
}

/** Ids that no other process and no other start has. */
function makeRequestIds(): () => string {
  const start = randomBytes(9).toString("base64url");
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

function prepareRequest(request: FastifyRequest): void {
  request.language = chooseLanguage(request.headers["accept-language"]);
  request.clientAddress = toClientAddress(request.ip);
}

/**
 * The headers that helmet sets, and that nobody may store the answer unless it says otherwise. They are the same for
 * every answer, so they are made once: helmet makes them anew each time, which took a fifth of a small answer.
 */
async function makeCommonHeaders(): Promise<Record<string, string>> {
  const app = Fastify();
  // The answers are data, not pages: the few pages set a policy of their own. What only concerns pages, or a host that
  // a proxy in front answers for (HSTS), is left out: it would be half of a small answer.
  await app.register(helmet, {
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }, useDefaults: false },
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    strictTransportSecurity: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  app.get("/", async () => "");
  const { headers } = await app.inject("/");
  await app.close();
  const own = new Set(["content-type", "content-length", "date", "connection"]);
  const security = Object.entries(headers).flatMap(([name, value]) => (own.has(name) ? [] : [[name, String(value)]]));
  return { ...Object.fromEntries(security), "cache-control": "no-store" };
}

async function registerPlugins(
  app: FastifyInstance,
  origins: readonly string[],
  contracts: readonly ServiceContract[],
): Promise<void> {
  const endpoints = contracts.flatMap((contract) => Object.values(contract.endpoints));
  if (origins.length > 0) {
    const listed = new Set(origins);
    await app.register(cors, {
      // A function, as a list would tell every origin that credentials are allowed.
      origin: (origin, done) => done(null, origin !== undefined && listed.has(origin) && origin),
      methods: ["GET", "POST", "PUT", "DELETE"],
      allowedHeaders: listSentHeaders(endpoints),
      exposedHeaders: listToldHeaders(endpoints),
      credentials: true,
      maxAge: 600,
      // An OPTIONS request that is no preflight is answered like one, not with a text of the plugin's own.
      strictPreflight: false,
    });
  }
  await app.register(cookie);
}

type FailureSender = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function makeFailureSender(
  always200: boolean,
  contracts: readonly ServiceContract[],
  constraints: ConstraintProblems,
  basePath: string,
  renderMissing: ServerOptions["renderMissing"],
): FailureSender {
  const routes = compileRouteTable(contracts, basePath);
  return (error, request, reply) => {
    const problem = toProblem(error, constraints);
    request.problem = problem.problem;
    if (problem.problem === "pathNotFound" && wantsPage(request))
      return sendPage(reply, renderMissing(request.language));
    // Who refuses before the work begins tells of it once for many.
    if (problem.problem === "unknownError" || (problem.problem === "unavailable" && problem !== error))
      request.log.error(
        { ...toLoggable(error), reqId: request.id, route: request.routeOptions.url },
        problem.problem === "unavailable" ? "the database was not to be had for a request" : "a request failed",
      );
    const { why } = problem.extras;
    if (why !== undefined)
      request.log.error({ why, reqId: request.id, route: request.routeOptions.url }, "an outside service failed");
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
function compileNotFound(
  contracts: readonly ServiceContract[],
  basePath: string,
): (request: FastifyRequest) => Problem {
  const routes = compileRouteTable(contracts, basePath);
  return (request) => {
    const methods = routes.methodsAt(request.raw.url ?? "");
    return methods.length > 0
      ? new Problem("methodNotSupported", { headers: { allow: methods.join(", ") } })
      : new Problem("pathNotFound");
  };
}

function logAnswer(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { id: reqId, method, routeOptions, span } = request;
  const line = {
    reqId,
    route: routeOptions.url ?? "no such route",
    method,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
  };
  request.log.info(span === undefined ? line : { ...line, traceId: span.traceId }, "answered");
  done();
}
