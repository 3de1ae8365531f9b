import type { Answer, ServiceContract } from "#platform/contract/endpoint.ts";
import { type ProblemTable, sharedProblems } from "#platform/contract/problem.ts";

export interface RouteTable {
  /** The methods that the path of a raw URL takes; none when nothing is there. */
  methodsAt(rawUrl: string): string[];
  /** What the operation at that path answers with, whichever method was tried; undefined when nothing is there. */
  answerAt(rawUrl: string): Answer | undefined;
  /** The table in whose words a failure at that path is told. */
  problemsAt(rawUrl: string): ProblemTable;
}

/** What Fastify does not tell about a path that it could not serve: which other methods it has, and whose it is. */
export function compileRouteTable(contracts: readonly ServiceContract[], basePath: string): RouteTable {
  const routes = contracts.flatMap(({ problems, endpoints }) =>
    Object.values(endpoints).map(({ method, url, answer }) => ({
      method,
      answer,
      problems,
      pattern: toPattern(basePath + url),
      prefix: toPrefix(basePath, url),
    })),
  );
  const routesAt = (rawUrl: string) => routes.filter(({ pattern }) => pattern.test(pathOf(rawUrl)));
  return {
    methodsAt: (rawUrl) => [...new Set(routesAt(rawUrl).map(({ method }) => method))],
    answerAt: (rawUrl) => routesAt(rawUrl)[0]?.answer,
    problemsAt: (rawUrl) => routes.find(({ prefix }) => pathOf(rawUrl).startsWith(prefix))?.problems ?? sharedProblems,
  };
}

/** What stands at one path of its own, beside the operations. */
const singlePaths = ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/developers"];

/**
 * Takes doubled slashes and one at the end out of an operation's path, where old pages have them, and out of a probe's; every
 * other address, such as a page's with its slash, stays as it is.
 */
export function compileSlashes(contracts: readonly ServiceContract[], basePath: string): (rawUrl: string) => string {
  const prefixes = new Set(
    contracts.flatMap(({ endpoints }) => Object.values(endpoints).map(({ url }) => toPrefix(basePath, url))),
  );
  const single = new Set(singlePaths.map((path) => basePath + path));
  return (rawUrl) => {
    const path = pathOf(rawUrl);
    if (!path.includes("//") && !path.endsWith("/")) return rawUrl;
    const tidy = path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
    const isTidied = single.has(tidy) || [...prefixes].some((prefix) => tidy.startsWith(prefix));
    return isTidied ? tidy + rawUrl.slice(path.length) : rawUrl;
  };
}

const pathOf = (rawUrl: string): string => rawUrl.split("?", 1)[0] ?? "";

const toPrefix = (basePath: string, url: string): string => `${basePath}/${url.split("/")[1]}/`;

/** What matches the paths of an operation. */
export const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
      .join("/")}$`,
  );
