import { Agent, request } from "node:http";
import { connect } from "node:net";
import type { Wire } from "./shot.ts";

// Requests are sent through node:http or a socket, since fetch would correct or refuse requests of careless or hostile
// clients.

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type Outcome = Reply | "late" | "broken";

export const answerTimeoutMs = 10_000;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Closes the agent's connections, since a server stops only once all are closed. */
export const endConnections = (): void => agent.destroy();

type Sent = Pick<Wire, "method" | "path" | "headers" | "body" | "cut">;

export async function exchange(base: string, wire: Sent): Promise<Outcome> {
  if (wire.cut) return cutOff(base, wire);
  const outcome = await sendWhole(base, wire);
  // The server may close an idle connection just as a request is sent on it. A request that fails in this way is
  // repeated, since the server is not at fault.
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
        // An event stream does not end, so it is cut off after its first piece.
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

/**
 * Sends the headers and half of the body. With `end` the client then half-closes the connection and waits for the
 * server's answer; with `reset` the client closes the connection at once, and the outcome is "broken".
 */
function cutOff(base: string, { method, path, headers, body = Buffer.alloc(0), cut }: Sent): Promise<Outcome> {
  const { hostname, port } = new URL(base);
  const lines = Object.entries({ host: "x", ...headers, "content-length": String(body.length + 1000) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const timer = setTimeout(() => finish("late"), answerTimeoutMs);
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => finish("broken"));
    socket.on("close", () => finish(parseReply(Buffer.concat(chunks)) ?? "broken"));
    socket.on("end", () => finish(parseReply(Buffer.concat(chunks)) ?? "broken"));
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
    socket.write(body.subarray(0, Math.ceil(body.length / 2)), () =>
      cut === "end" ? socket.end() : setImmediate(() => finish("broken")),
    );
  });
}

function parseReply(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  const [start = "", ...lines] = bytes.subarray(0, Math.max(0, end)).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]);
  if (!status) return undefined;
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status, headers, body: bytes.subarray(end + 4) };
}
