import type { FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "#platform/process/config.ts";
import { attemptSeconds } from "./attempt-store.ts";

// Which browser began an attempt. Over TLS with __Host-, as the cookie of downloads has it and for the same reason. Lax and
// not strict: the way back comes from another site, though it is our own page that finishes.

type Place = Pick<Settings, "BASE_PATH">;

function describeCookie(request: FastifyRequest, { BASE_PATH }: Place) {
  const secure = request.protocol === "https";
  return secure
    ? { name: `__Host-sign_on${BASE_PATH.replaceAll("/", ".")}`, options: { path: "/", secure } }
    : { name: "sign_on", options: { path: `${BASE_PATH}/platform/sign-on/`, secure } };
}

export const readAttemptCookie = (request: FastifyRequest, settings: Place): string | undefined =>
  request.server.parseCookie(request.headers.cookie ?? "")[describeCookie(request, settings).name];

export function setAttemptCookie(reply: FastifyReply, settings: Place, token: string): void {
  const { name, options } = describeCookie(reply.request, settings);
  reply.setCookie(name, token, { ...options, httpOnly: true, sameSite: "lax", maxAge: attemptSeconds });
}

export function clearAttemptCookie(reply: FastifyReply, settings: Place): void {
  const { name, options } = describeCookie(reply.request, settings);
  reply.clearCookie(name, options);
}
