import type { FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "#platform/process/config.ts";

// The cookie in which a login leaves the token for the service's downloads. Over TLS its name begins with __Host-, under
// which a browser takes it from this host alone: another host of the domain could otherwise plant a token of its own,
// and the download would be somebody else's. Such a cookie must be Secure and of the path /, so over plain HTTP (one's
// own machine, a closed network) it has the plain name, and is sent below the service's path only.

type Place = Pick<Settings, "BASE_PATH">;

const isSecure = (request: FastifyRequest): boolean => request.protocol === "https";

/** The cookie's name; with TLS the prefix is part of it, as several prefixes of a host then share the path. */
export const downloadCookie = (service: string, { BASE_PATH }: Place, secure: boolean): string =>
  secure ? `__Host-${service}_download${BASE_PATH.replaceAll("/", ".")}` : `${service}_download`;

function describeCookie(request: FastifyRequest, settings: Place, service: string) {
  const secure = isSecure(request);
  const path = secure ? "/" : `${settings.BASE_PATH}/${service}/`;
  return { name: downloadCookie(service, settings, secure), options: { path, secure } };
}

/** The token in the cookie of the call. */
export const readDownloadCookie = (request: FastifyRequest, settings: Place, service: string): string | undefined =>
  request.server.parseCookie(request.headers.cookie ?? "")[downloadCookie(service, settings, isSecure(request))];

/** Leaves the token where a plain link to the service's export finds it, and no script can. */
export function setDownloadCookie(reply: FastifyReply, settings: Settings, service: string, token: string): void {
  const { name, options } = describeCookie(reply.request, settings, service);
  const maxAge = settings.TOKEN_HOURS * 3600;
  reply.setCookie(name, token, { ...options, httpOnly: true, sameSite: "lax", maxAge });
}

/** Takes the cookie back. */
export function clearDownloadCookie(reply: FastifyReply, settings: Settings, service: string): void {
  const { name, options } = describeCookie(reply.request, settings, service);
  reply.clearCookie(name, options);
}
