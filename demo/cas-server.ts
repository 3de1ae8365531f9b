import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { escapeHtml, type LocalServer, openLocalServer, sendBack, sendChoice } from "./local-server.ts";

// This CAS 3 server for demos and tests signs users on without a password; its tickets are single-use and bound to a
// service.

export interface CasPerson {
  readonly user: string;
  readonly label: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

export interface DemoCasOptions {
  readonly listPeople: () => readonly CasPerson[];
  /**
   * Returns a forged validation response, which is sent instead of the true one. If the result is "silent", no response
   * is sent; if it is undefined, the true response is sent.
   */
  readonly lie?: () => string | undefined;
}

export const respond = (inside: string): string =>
  `<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas">${inside}</cas:serviceResponse>`;

const fail = (code: string): string =>
  respond(`<cas:authenticationFailure code="${code}">no</cas:authenticationFailure>`);

const succeed = ({ user, attributes }: CasPerson): string =>
  respond(`<cas:authenticationSuccess>
    <cas:user>${escapeHtml(user)}</cas:user>
    <cas:attributes>${attributes.map(([name, value]) => `<cas:${name}>${escapeHtml(value)}</cas:${name}>`).join("")}</cas:attributes>
  </cas:authenticationSuccess>`);

export async function openDemoCas(options: DemoCasOptions): Promise<LocalServer> {
  const parts: Parts = { ...options, tickets: new Map() };
  const { url, close } = await openLocalServer((request, response) => answer(request.url ?? "/", response, parts));
  return { url: `${url}/cas`, close };
}

interface Parts extends DemoCasOptions {
  readonly tickets: Map<string, { readonly user: string; readonly service: string; readonly isAnew: boolean }>;
}

function answer(url: string, response: ServerResponse, parts: Parts): void {
  const { pathname, searchParams: query } = new URL(url, "http://cas");
  const service = query.get("service") ?? "";
  if (pathname === "/cas/login") return login(query, response, parts);
  if (pathname === "/cas/logout") return sendBack(response, service);
  if (pathname !== "/cas/p3/serviceValidate") return void response.writeHead(404).end();
  const lie = parts.lie?.();
  if (lie === "silent") return;
  const validated = lie ?? validate(query, service, parts);
  response.setHeader("content-type", "application/xml; charset=utf-8").end(validated);
}

function login(query: URLSearchParams, response: ServerResponse, { tickets, listPeople }: Parts): void {
  const [service, user] = [query.get("service") ?? "", query.get("user")];
  if (user === null)
    return sendChoice(response, {
      protocol: { zh: "CAS", en: "CAS" },
      kept: [["service", service]],
      name: "user",
      people: listPeople().map(({ user: value, label }) => ({ value, label })),
    });
  const ticket = `ST-1-${randomBytes(12).toString("hex")}`;
  tickets.set(ticket, { user, service, isAnew: query.get("renew") === "true" });
  sendBack(response, `${service}${service.includes("?") ? "&" : "?"}ticket=${ticket}`);
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
