import { type Account, type AccountSort, listAccounts } from "#platform/accounts/account-store.ts";
import { addAdministrator, changeAdministrator, removeAdministrators } from "#platform/accounts/administration.ts";
import { accountHandlers } from "#platform/accounts/endpoints.ts";
import { login } from "#platform/accounts/login.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { isDescending } from "#platform/contract/sorting.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { service } from "#services/disease-command/records.ts";
import type { administratorEndpoints, AdministratorField } from "./contract.ts";

type Endpoints = typeof administratorEndpoints;

export const administratorHandlers = (platform: Platform): Handlers<Endpoints> => ({
  login: {
    withoutTransaction: async ({ body, address, userAgent, reply }) => {
      const { settings } = platform;
      const attempt = { service, ...body, address, userAgent, tokenHours: settings.TOKEN_HOURS } as const;
      const { account, token, expireTime } = await login(platform, attempt);
      reply.header("admin_token", token);
      return { userName: account.userName, userType: toType(account), token, expireTime };
    },
  },
  listAdministrators: async ({ db, query }) => {
    const { rows, totalCount } = await listAccounts(db, { service }, toOrder(query));
    return toPage(rows.map(toAdministrator), totalCount, { currPage: query.curPage, pageSize: query.pageSize });
  },
  saveAdministrator: {
    withoutTransaction: (call) => {
      const { userName, password, adminType, status } = call.body;
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
  ...accountHandlers(platform, service),
});

const toType = ({ isSuper, service: of }: Account): "0" | "1" => (isSuper || of === "platform" ? "0" : "1");

const toAdministrator = (account: Account) => ({
  id: account.id,
  userName: account.userName,
  adminType: toType(account),
  status: account.enabled ? ("1" as const) : ("0" as const),
  password: null,
});

const sortFields: Readonly<Record<AdministratorField, AccountSort>> = {
  id: "id",
  userName: "userName",
  adminType: "isSuper",
  status: "enabled",
};

interface ListQuery {
  readonly curPage: number;
  readonly pageSize: number;
  readonly orderField?: AdministratorField | undefined;
  readonly order?: string | undefined;
}

function toOrder(query: ListQuery) {
  const { curPage, pageSize, orderField } = query;
  const field = orderField === undefined ? "createdAt" : sortFields[orderField];
  // "0" is super, so ascending on the wire is descending here.
  const descending = orderField === "adminType" ? !isDescending(query) : isDescending(query);
  return { field, descending, offset: (curPage - 1) * pageSize, limit: pageSize };
}
