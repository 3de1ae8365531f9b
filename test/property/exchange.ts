import { Agent, request } from "node:http";
import { readAnswers } from "#test/edge/answers.ts";
import { exchange as sendBytes } from "#test/edge/connection.ts";
import type { Wire } from "./shot.ts";

// Requests as a careless or hostile client sends them: fetch would mend or refuse many of these.

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** What became of a request: its answer, or why there is none. */
export type Outcome = Reply | "late" | "broken";

export const answerTimeoutMs = 10_000;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Lets go of the connections, so that a server can stop at once. */
export const endConnections = (): void => agent.destroy();

type Sent = Pick<Wire, "method" | "path" | "headers" | "body" | "cut">;

/** Sends a request and waits for its whole answer. */
export async function exchange(base: string, wire: Sent): Promise<Outcome> {
  if (wire.cut) return cutOff(base, wire);
  const outcome = await sendWhole(base, wire);
  // A connection that was kept may be closed by the server as the request leaves; that is nobody's fault.
  return outcome === "stale" ? ((await sendWhole(base, wire)) as Outcome) : outcome;
}

function sendWhole(base: string, { method, path, headers, body }: Sent): Promise<Outcome | "stale"> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const length = body || method !== "GET" ? { "content-length": String(body?.length ?? 0) } : {};
    const sent = request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...length, ...headers },
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      const finish = () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        // A stream of events has no end; its first words are answer enough.
        if (response.headers["content-type"]?.startsWith("text/event-stream")) response.destroy();
      });
      response.on("close", finish);
      response.on("error", (error) => resolve(error.name === "AbortError" ? "late" : "broken"));
      response.on("end", finish);
    });
    sent.on("error", (error) =>
      resolve(
        error.name === "AbortError" || error.name === "TimeoutError" ? "late" : sent.reusedSocket ? "stale" : "broken",
      ),
    );
    sent.end(body);
  });
}

/** Half of the body, then the end of the connection; what the server still says is the outcome. */
async function cutOff(base: string, { method, path, headers, body = Buffer.alloc(0), cut }: Sent): Promise<Outcome> {
  const lines = Object.entries({ host: "x", ...headers, "content-length": String(body.length + 1000) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  const pieces = [Buffer.concat([head, body.subarray(0, Math.ceil(body.length / 2))])];
  const { bytes, closed } = await sendBytes(base, {
    pieces,
    reset: cut === "reset",
    isAll: true,
    waitMs: answerTimeoutMs,
  });
  if (!closed) return "late";
  try {
    const [answer] = readAnswers(bytes, [method]);
    return answer
      ? { status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.from(answer.body, "latin1") }
      : "broken";
  } catch {
    return "broken";
  }
}
