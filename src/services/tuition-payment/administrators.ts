import { type AccountSort, listAccounts } from "#platform/accounts/account-store.ts";
import { addAdministrator, changeAdministrator, removeAdministrators } from "#platform/accounts/administration.ts";
import { login } from "#platform/accounts/login.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain } from "#platform/contract/problem.ts";
import { isDescending } from "#platform/contract/sorting.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { AdministratorField } from "./administrator-contract.ts";
import type { endpoints } from "./contract.ts";
import { toAdministrator } from "./wire-rows.ts";

const service = "tuition-payment";

type Endpoints = Pick<
  typeof endpoints,
  "login" | "listAdministrators" | "saveAdministrator" | "updateAdministrator" | "deleteAdministrator"
>;

/** The handlers of the service's administrators. */
export function administratorHandlers(platform: Platform): Handlers<Endpoints> {
  const { settings } = platform;
  return {
    login: {
      withoutTransaction: async ({ body, address, userAgent, reply }) => {
        const attempt = { service, ...body, address, userAgent, tokenHours: settings.TOKEN_HOURS } as const;
        const { account, token, expireTime } = await login(platform, attempt);
        reply.header("admin_token", token);
        return { userName: account.userName, token, expireTime };
      },
    },

    listAdministrators: async ({ db, query }) => {
      const { curPage: currPage, pageSize, orderField = "id" } = query;
      const down = isDescending(query);
      const order = {
        field: sortFields[orderField],
        // adminType 0 is super: ascending on the wire is descending here.
        descending: orderField === "adminType" ? !down : down,
        offset: (currPage - 1) * pageSize,
        limit: pageSize,
      };
      const { rows, totalCount } = await listAccounts(db, { service }, order);
      return toPage(rows.map(toAdministrator), totalCount, { currPage, pageSize });
    },

    saveAdministrator: {
      withoutTransaction: async (call) => {
        const { userName, password, adminType, status } = call.body;
        if (password === "") throw explain("badFormat", "password: 不能为空", "password: must not be empty");
        const rights = { isSuper: adminType === "0", enabled: status === "1" };
        return addAdministrator(call, { service, userName, name: userName, password, ...rights });
      },
    },

    updateAdministrator: {
      withoutTransaction: (call) => {
        const { id, userName, password, adminType, status } = call.body;
        const isSuper = adminType === undefined ? undefined : adminType === "0";
        const enabled = status === undefined ? undefined : status === "1";
        return changeAdministrator(call, { service, id, userName, name: userName, password, isSuper, enabled });
      },
    },

    deleteAdministrator: (call) => removeAdministrators(call, service, [call.params.id]),
  };
}

const sortFields: Record<AdministratorField, AccountSort> = {
  id: "id",
  userName: "userName",
  adminType: "isSuper",
  status: "enabled",
};
