import { administratorHandlers as sharedHandlers, digits, signIn } from "#platform/accounts/administrator-handlers.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { service } from "#services/disease-command/records.ts";
import type { administratorEndpoints } from "./contract.ts";

export const administratorHandlers = (platform: Platform): Handlers<typeof administratorEndpoints> => ({
  login: {
    withoutTransaction: async (call) => {
      const { account, token, expireTime } = await signIn(platform, service, call);
      // An operator may here what a super administrator may.
      const userType = account.service === "platform" ? "0" : digits.write(account).adminType;
      return { userName: account.userName, userType, token, expireTime };
    },
  },
  ...sharedHandlers(platform, service, "time"),
});
