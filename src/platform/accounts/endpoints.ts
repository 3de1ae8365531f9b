import * as z from "zod";
import { clearDownloadCookie } from "#platform/accounts/download-cookie.ts";
import { toPublicKeyText } from "#platform/accounts/key-pair.ts";
import { changeOwnPassword } from "#platform/accounts/own-password.ts";
import { endSession } from "#platform/accounts/session.ts";
import { endpoint } from "#platform/contract/endpoint.ts";
import { decimal, recordId, requiredText } from "#platform/contract/wire.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";

/** The body of every login. A password has no rule here: one that cannot be right is answered as a wrong one. */
export const loginBody = z.object({
  userName: requiredText(255),
  password: z.string().min(1),
  secondFactor: z
    .literal("later")
    .optional()
    .describe(
      "The caller knows that the session may have to choose a password, or show a second factor, before it is good for anything",
    ),
});

/** The body of every change of one's own password; both texts are encrypted with the public key. */
export const passwordChangeBody = z.object({
  id: recordId().describe("The administrator who calls"),
  password: requiredText(4096).describe("The old password, encrypted, base64"),
  newPassword: requiredText(4096).describe("The new password, encrypted, base64"),
});

/** The operations that stand beside every login, under the prefix of its path. */
export const accountEndpoints = (prefix: string) => ({
  logout: endpoint({
    method: "POST",
    changesAccounts: true,
    url: `${prefix}/logout`,
    summary: "Revoke the token of the call",
    group: "own",
    access: { who: "administrator" },
    secondFactor: "later",
    answer: { as: "envelope", data: decimal() },
    own: true,
  }),
  updatePassword: endpoint({
    method: "PUT",
    changesAccounts: true,
    url: `${prefix}/updatePassword`,
    summary: "Change one's own password; every session of the account ends. A wrong old one counts as a failed login",
    group: "own",
    choosesPassword: true,
    access: { who: "administrator" },
    body: passwordChangeBody,
    answer: { as: "envelope", data: decimal() },
    problems: ["notAllowedNow", "badFormat", "accountLocked", "tooManyRequests"],
  }),
  publicKey: endpoint({
    method: "GET",
    url: `${prefix}/publicKey`,
    summary: "The RSA key with which passwords are encrypted: SubjectPublicKeyInfo, base64 on one line",
    access: { who: "anyone" },
    answer: { as: "envelope", data: z.string() },
    own: true,
  }),
});

/** The handlers of `accountEndpoints` for one service. */
export function accountHandlers(platform: Platform, service: string): Handlers<ReturnType<typeof accountEndpoints>> {
  const publicKey = toPublicKeyText(platform.privateKey);
  return {
    logout: async ({ db, caller, reply }) => {
      await endSession(db, caller.sessionId);
      clearDownloadCookie(reply, platform.settings, service);
      return "1";
    },
    updatePassword: { withoutTransaction: (call) => changeOwnPassword(platform, service, call) },
    publicKey: async () => publicKey,
  };
}
