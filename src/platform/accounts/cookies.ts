import type { FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "#platform/process/config.ts";

// Over TLS the name of a cookie begins with __Host-, under which a browser takes it from this host alone: another host of
// the domain could otherwise plant one of its own, and a download would be somebody else's. Such a cookie must be Secure
// and of the path /, so over plain HTTP (one's own machine, a closed network) it has the plain name and its own path.
// Lax and not strict, as the way back from a sign-on comes from another site.

type CookieSettings = Pick<Settings, "BASE_PATH">;

export interface Cookie {
  readonly name: string;
  /** Below BASE_PATH. */
  readonly path: string;
}

/** In it a login leaves the token where a plain link to the service's export finds it, and no script can. */
export const downloadCookie = (service: string): Cookie => ({ name: `${service}_download`, path: `/${service}/` });

/** The name over TLS; BASE_PATH is part of it, as several prefixes of a host share the path. */
export const nameSecurely = ({ name }: Cookie, { BASE_PATH }: CookieSettings): string =>
  `__Host-${name}${BASE_PATH.replaceAll("/", ".")}`;

function resolveCookie(cookie: Cookie, request: FastifyRequest, settings: CookieSettings) {
  const secure = request.protocol === "https";
  const path = secure ? "/" : `${settings.BASE_PATH}${cookie.path}`;
  return { name: secure ? nameSecurely(cookie, settings) : cookie.name, options: { path, secure } };
}

export const readCookie = (cookie: Cookie, request: FastifyRequest, settings: CookieSettings): string | undefined =>
  request.server.parseCookie(request.headers.cookie ?? "")[resolveCookie(cookie, request, settings).name];

export function setCookie(
  cookie: Cookie,
  reply: FastifyReply,
  settings: CookieSettings,
  { value, seconds }: { readonly value: string; readonly seconds: number },
): void {
  const { name, options } = resolveCookie(cookie, reply.request, settings);
  reply.setCookie(name, value, { ...options, httpOnly: true, sameSite: "lax", maxAge: seconds });
}

export function clearCookie(cookie: Cookie, reply: FastifyReply, settings: CookieSettings): void {
  const { name, options } = resolveCookie(cookie, reply.request, settings);
  reply.clearCookie(name, options);
}
