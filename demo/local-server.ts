import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// The demo's servers ask for no password, so they bind to the loopback address and redirect only to this machine.

export interface LocalServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function openLocalServer(listener: RequestListener, port = 0): Promise<LocalServer> {
  const server = createServer(listener);
  server.listen(port, "127.0.0.1");
  server.unref();
  server.on("connection", (socket) => socket.unref());
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const isOwnMachine = (address: string): boolean =>
  /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:[/?]|$)/.test(address);

export function sendBack(response: ServerResponse, address: string | null): void {
  if (address !== null && isOwnMachine(address)) response.writeHead(302, { location: address }).end();
  else response.writeHead(400).end("the return address must be on this machine");
}

export const escapeHtml = (plain: string): string =>
  plain.replaceAll(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`);

interface Choice {
  readonly protocol: { readonly zh: string; readonly en: string };
  readonly kept: Iterable<readonly [name: string, value: string]>;
  readonly name: string;
  readonly people: readonly { readonly value: string; readonly label: string }[];
}

export function sendChoice(response: ServerResponse, { protocol, kept, name, people }: Choice): void {
  const inputs = Array.from(
    kept,
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const buttons = people.map(
    ({ value, label }) => `<p><button name="${name}" value="${escapeHtml(value)}">${escapeHtml(label)}</button></p>`,
  );
  response.setHeader("content-type", "text/html; charset=utf-8")
    .end(`<!doctype html><html lang="zh-CN"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>演示：${protocol.zh}</title><style>body{font:16px/1.6 system-ui;max-width:26em;margin:12vh auto;padding:0 1em}
button{font:inherit;padding:.5em 1em;width:100%}</style><main><h1>${protocol.zh}（演示）：请选择身份</h1>
<p lang="en">${protocol.en}, a demonstration: choose who you are.</p><form>${inputs.join("")}${buttons.join("")}</form></main></html>`);
}
