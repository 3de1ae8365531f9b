import { administratorHandlers as sharedHandlers } from "#platform/accounts/administrator-handlers.ts";
import { signIn } from "#platform/accounts/login.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { administratorEndpoints } from "./administrator-contract.ts";

const service = "tuition-payment";

/** The handlers of the service's administrators. */
export const administratorHandlers = (platform: Platform): Handlers<typeof administratorEndpoints> => ({
  login: {
    withoutTransaction: async (call) => {
      const { account, token, expireTime } = await signIn(platform, service, call);
      return { userName: account.userName, token, expireTime };
    },
  },
  ...sharedHandlers(platform, service, "id"),
});
