import { type AccountSort, listAccounts } from "#platform/accounts/account-store.ts";
import { addAdministrator, changeAdministrator, removeAdministrators } from "#platform/accounts/administration.ts";
import { setDownloadCookie } from "#platform/accounts/download-cookie.ts";
import { login } from "#platform/accounts/login.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { Problem } from "#platform/contract/problem.ts";
import { isDescending } from "#platform/contract/sorting.ts";
import { parsePeriod } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { AdministratorField } from "./administrator-contract.ts";
import type { endpoints } from "./contract.ts";
import { toAdministrator } from "./wire-rows.ts";
import { service } from "./rules.ts";

type Endpoints = Pick<
  typeof endpoints,
  "login" | "addAdministrator" | "deleteAdministrators" | "updateAdministrator" | "listAdministrators"
>;

/** The handlers of the service's administrators. */
export function administratorHandlers(platform: Platform): Handlers<Endpoints> {
  const { settings } = platform;
  const zone = settings.TIME_ZONE;
  return {
    login: {
      withoutTransaction: async ({ body, address, userAgent, reply }) => {
        const { account, token, expireTime } = await login(platform, {
          service,
          ...body,
          address,
          userAgent,
          tokenHours: settings.TOKEN_HOURS,
        });
        reply.header("admin_token", token);
        setDownloadCookie(reply, settings, service, token);
        return { ...toAdministrator(account, zone), token, expireTime };
      },
    },

    addAdministrator: {
      withoutTransaction: (call) => {
        const { adminType = 2, status = 1, ...given } = call.body;
        return addAdministrator(call, { service, ...given, isSuper: adminType === 1, enabled: status === 1 });
      },
    },

    deleteAdministrators: async (call) => {
      if (!call.body.ids?.length) throw new Problem("idMissing");
      return removeAdministrators(call, service, call.body.ids);
    },

    updateAdministrator: {
      withoutTransaction: (call) => {
        const { id, adminType, status, ...change } = call.body;
        const isSuper = adminType === undefined ? undefined : adminType === 1;
        const enabled = status === undefined ? undefined : status === 1;
        return changeAdministrator(call, { service, id, ...change, isSuper, enabled });
      },
    },

    listAdministrators: async ({ db, query }) => {
      const period = query.time === undefined ? undefined : parsePeriod(query.time, zone);
      const filter = {
        service,
        userName: query.userName,
        name: query.name,
        createdFrom: period?.start,
        createdTo: period?.end,
      };
      const { rows, totalCount } = await listAccounts(db, filter, toAccountOrder(query));
      return toPage(
        rows.map((row) => toAdministrator(row, zone)),
        totalCount,
        query,
      );
    },
  };
}

const sortFields: Record<AdministratorField, AccountSort> = {
  id: "id",
  userName: "userName",
  name: "name",
  adminType: "isSuper",
  time: "createdAt",
  status: "enabled",
};

interface ListQuery {
  readonly currPage: number;
  readonly pageSize: number;
  readonly orderField?: AdministratorField | undefined;
  readonly order?: string | undefined;
}

function toAccountOrder(query: ListQuery) {
  const { currPage, pageSize, orderField = "time" } = query;
  const down = isDescending(query);
  // adminType 1 is super: ascending on the wire is descending here.
  const descending = orderField === "adminType" ? !down : down;
  return { field: sortFields[orderField], descending, offset: (currPage - 1) * pageSize, limit: pageSize };
}
