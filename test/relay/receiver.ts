import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Push {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  // The JSON is untyped, since tests read any documented field.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
  readonly path: string;
  readonly arrivedMs: number;
  forget(): void;
}

export type Behaviour = (push: Push, response: http.ServerResponse) => number | void | Promise<number | void>;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly pushes: Push[];
  most(): number;
  behave(behaviour: Behaviour): void;
  await(count: number): Promise<void>;
  stop(): Promise<void>;
}

// Even on a busy machine a test's pushes arrive within this time.
const arrivalTimeoutMs = 120_000;

export async function startReceiver(behaviour: Behaviour = () => 200, host = "127.0.0.1"): Promise<Receiver> {
  const pushes: Push[] = [];
  let behave = behaviour;
  let [now, most] = [0, 0];
  let waiting: (() => void)[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    const answer = async () => {
      const body = Buffer.concat(chunks).toString();
      const push: Push = {
        headers: request.headers,
        body,
        json: parse(body),
        path: request.url ?? "",
        arrivedMs: Date.now(),
        forget: () => void pushes.splice(pushes.indexOf(push), 1),
      };
      most = Math.max(most, ++now);
      pushes.push(push);
      for (const call of waiting.splice(0)) call();
      const status = await behave(push, response);
      now--;
      if (status !== undefined) response.writeHead(status).end();
    };
    request.on("end", () => void answer());
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}/hook`,
    port,
    pushes,
    most: () => most,
    behave: (next) => void (behave = next),
    async await(count) {
      const late = AbortSignal.timeout(arrivalTimeoutMs);
      while (pushes.length < count) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const fail = () => reject(new Error(`${pushes.length} of ${count} pushes came in time`));
        late.addEventListener("abort", fail, { once: true });
        waiting.push(resolve);
        await promise;
      }
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
