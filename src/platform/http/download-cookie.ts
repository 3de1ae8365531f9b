import type { FastifyReply } from "fastify";
import type { Settings } from "#platform/config.ts";
import { downloadCookie } from "#platform/http/access.ts";

/** Leaves the token where a plain link to the service's export finds it, and no script can. */
export function setDownloadCookie(reply: FastifyReply, settings: Settings, service: string, token: string): void {
  reply.setCookie(downloadCookie(service), token, {
    path: `${settings.BASE_PATH}/${service}/`,
    httpOnly: true,
    sameSite: "lax",
    secure: reply.request.protocol === "https",
    maxAge: settings.TOKEN_HOURS * 3600,
  });
}

/** Takes the cookie back. */
export function clearDownloadCookie(reply: FastifyReply, settings: Settings, service: string): void {
  reply.clearCookie(downloadCookie(service), { path: `${settings.BASE_PATH}/${service}/` });
}
