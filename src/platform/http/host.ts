import type { IncomingMessage } from "node:http";
import { Problem } from "#platform/contract/problem.ts";

const detail = { zh: "请求必须有且只有一个 Host", en: "a request must name one Host" };

/**
 * Why it is not clear which host a request is for (RFC 9112, 3.2): none is named, or several. A proxy in front may have
 * judged by another of them than we would.
 */
export function findHostProblem({ rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === "1.0")) return undefined;
  return new Problem("badFormat", { detail, headers: { connection: "close" } });
}
