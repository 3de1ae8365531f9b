import type { ServiceContract } from "#platform/endpoint.ts";
import { type ProblemTable, sharedProblems } from "#platform/problem.ts";

export interface RouteTable {
  /** The methods that the path of a raw URL takes; none when nothing is there. */
  methodsAt(rawUrl: string): string[];
  /** The table in whose words a failure at that path is told. */
  problemsAt(rawUrl: string): ProblemTable;
}

/** What Fastify does not tell about a path that it could not serve: which other methods it has, and whose it is. */
export function compileRouteTable(contracts: readonly ServiceContract[], basePath: string): RouteTable {
  const routes = contracts.flatMap(({ problems, endpoints }) =>
    Object.values(endpoints).map(({ method, url }) => ({
      method,
      problems,
      pattern: toPattern(basePath + url),
      prefix: `${basePath}/${url.split("/")[1]}/`,
    })),
  );
  const pathOf = (rawUrl: string) => rawUrl.split("?", 1)[0] ?? "";
  return {
    methodsAt: (rawUrl) => [
      ...new Set(routes.filter(({ pattern }) => pattern.test(pathOf(rawUrl))).map(({ method }) => method)),
    ],
    problemsAt: (rawUrl) => routes.find(({ prefix }) => pathOf(rawUrl).startsWith(prefix))?.problems ?? sharedProblems,
  };
}

const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
      .join("/")}$`,
  );
