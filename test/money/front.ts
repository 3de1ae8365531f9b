import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

export async function startHttpFront(choose: () => string): Promise<HttpFront> {
  const server = http.createServer((request, response) => {
    forward(request, response, choose()).catch(() => response.writeHead(502).end());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function forward(request: http.IncomingMessage, response: http.ServerResponse, to: string): Promise<void> {
  const body = await buffer(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !/^(?:host|connection|transfer-encoding|accept-encoding)$/.test(name),
    ),
  ) as Record<string, string>;
  const sent = http.request(new URL(request.url ?? "/", to), { method: request.method, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [http.IncomingMessage];
  const said = await buffer(answer);
  response
    .writeHead(answer.statusCode ?? 502, { "content-type": answer.headers["content-type"] ?? "text/plain" })
    .end(said);
}
