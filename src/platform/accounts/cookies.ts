import type { FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "#platform/process/config.ts";

// Over TLS, cookie names start with __Host-, so that another host of the domain cannot plant a cookie and replace the
// session used for a download. Browsers accept that prefix only with Secure and the path /, so plain HTTP uses plain
// names and narrower paths. SameSite is Lax, because the campus sign-on returns the user from another site.

type CookieSettings = Pick<Settings, "BASE_PATH">;

export interface Cookie {
  readonly name: string;
  readonly path: string;
}

export const downloadCookie = (service: string): Cookie => ({ name: `${service}_download`, path: `/${service}/` });

/** Includes BASE_PATH in the name, because installations under different prefixes of one host all use the path /. */
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
