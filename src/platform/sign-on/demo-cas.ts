import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// A server of CAS 3 for those who look around, and for tests: its page for signing in, which asks for no password, tickets
// that are good once and for one service, and the way out. Like the provider of OpenID Connect it is of this machine alone.

export interface CasPerson {
  readonly user: string;
  /** What stands on the button. */
  readonly label: string;
  /** In the order in which they stand, a name as often as it is there. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

export interface DemoCasOptions {
  /** Who may sign on; asked for at each page and ticket. */
  readonly listPeople: () => readonly CasPerson[];
  /** What a validation is answered with instead; "silent" is never answered. */
  readonly lie?: () => string | undefined;
}

export interface DemoCas {
  readonly url: string;
  close(): Promise<void>;
}

const escape = (plain: string): string => plain.replaceAll(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`);

export const respond = (inside: string): string =>
  `<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas">${inside}</cas:serviceResponse>`;

const fail = (code: string): string =>
  respond(`<cas:authenticationFailure code="${code}">no</cas:authenticationFailure>`);

const succeed = ({ user, attributes }: CasPerson): string =>
  respond(`<cas:authenticationSuccess>
    <cas:user>${escape(user)}</cas:user>
    <cas:attributes>${attributes.map(([name, value]) => `<cas:${name}>${escape(value)}</cas:${name}>`).join("")}</cas:attributes>
  </cas:authenticationSuccess>`);

/** Starts it on 127.0.0.1; it keeps no process from ending. */
export async function openDemoCas(options: DemoCasOptions): Promise<DemoCas> {
  const tickets = new Map<string, { user: string; service: string; isAnew: boolean }>();
  const server = createServer((request, response) => answer(request.url ?? "/", response, { ...options, tickets }));
  server.listen(0, "127.0.0.1");
  server.unref();
  server.on("connection", (socket) => socket.unref());
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cas`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Parts extends DemoCasOptions {
  readonly tickets: Map<string, { readonly user: string; readonly service: string; readonly isAnew: boolean }>;
}

function answer(url: string, response: ServerResponse, parts: Parts): void {
  const { pathname, searchParams: query } = new URL(url, "http://cas");
  const service = query.get("service") ?? "";
  if (pathname === "/cas/login") return login(query, response, parts);
  if (pathname === "/cas/logout" && isOwnMachine(service))
    return void response.writeHead(302, { location: service }).end();
  if (pathname !== "/cas/p3/serviceValidate") return void response.writeHead(404).end();
  const lie = parts.lie?.();
  if (lie === "silent") return;
  const validated = lie ?? validate(query, service, parts);
  response.setHeader("content-type", "application/xml; charset=utf-8").end(validated);
}

/** With a user in the query that one signs on; without one a page asks who it is. */
function login(query: URLSearchParams, response: ServerResponse, { tickets, listPeople }: Parts): void {
  const [service, user] = [query.get("service") ?? "", query.get("user")];
  if (user === null || !isOwnMachine(service))
    return void response.setHeader("content-type", "text/html; charset=utf-8").end(writePage(service, listPeople()));
  const ticket = `ST-1-${randomBytes(12).toString("hex")}`;
  tickets.set(ticket, { user, service, isAnew: query.get("renew") === "true" });
  response.writeHead(302, { location: `${service}${service.includes("?") ? "&" : "?"}ticket=${ticket}` }).end();
}

function validate(query: URLSearchParams, service: string, { tickets, listPeople }: Parts): string {
  const ticket = query.get("ticket") ?? "";
  const known = tickets.get(ticket);
  tickets.delete(ticket);
  const person = listPeople().find(({ user }) => user === known?.user);
  if (!known || !person) return fail("INVALID_TICKET");
  if (query.get("renew") === "true" && !known.isAnew) return fail("INVALID_TICKET");
  return known.service === service ? succeed(person) : fail("INVALID_SERVICE");
}

const isOwnMachine = (address: string): boolean =>
  /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:[/?]|$)/.test(address);

const writePage = (service: string, people: readonly CasPerson[]): string => {
  const buttons = people.map(
    ({ user, label }) => `<p><button name="user" value="${escape(user)}">${escape(label)}</button></p>`,
  );
  return `<!doctype html><html lang="zh-CN"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>演示：CAS</title><style>body{font:16px/1.6 system-ui;max-width:26em;margin:12vh auto;padding:0 1em}
button{font:inherit;padding:.5em 1em;width:100%}</style><main><h1>CAS（演示）</h1>
<p lang="en">CAS, a demonstration: choose who you are.</p><form><input type="hidden" name="service" value="${escape(service)}">${buttons.join("")}</form></main></html>`;
};
