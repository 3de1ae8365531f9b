import {
  type Account,
  type AccountSort,
  deleteAccounts,
  insertAccount,
  listAccounts,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { accountHandlers } from "#platform/accounts/endpoints.ts";
import { getLockedAccount, hashGiven, refuseLosing, refuseTakenName } from "#platform/accounts/guards.ts";
import { login } from "#platform/accounts/login.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import { toPage } from "#platform/envelope.ts";
import type { Call, Handlers } from "#platform/http/serve.ts";
import type { Platform } from "#platform/platform.ts";
import { Problem } from "#platform/problem.ts";
import { isDescending } from "#platform/sorting.ts";
import { service } from "#services/disease-command/records.ts";
import type { administratorEndpoints, AdministratorField } from "./contract.ts";

type Endpoints = typeof administratorEndpoints;

export const administratorHandlers = (platform: Platform): Handlers<Endpoints> => ({
  login: {
    withoutTransaction: async ({ body, address, userAgent, reply }) => {
      const { pool, settings } = platform;
      const attempt = { service, ...body, address, userAgent, tokenHours: settings.TOKEN_HOURS } as const;
      const { account, token, expireTime } = await login(pool, attempt);
      reply.header("admin_token", token);
      return { userName: account.userName, userType: toType(account), token, expireTime };
    },
  },
  listAdministrators: async ({ db, query }) => {
    const { rows, totalCount } = await listAccounts(db, { service }, toOrder(query));
    return toPage(rows.map(toAdministrator), totalCount, { currPage: query.curPage, pageSize: query.pageSize });
  },
  // Hashing takes as long as many statements: it is done before the transaction.
  saveAdministrator: {
    withoutTransaction: async ({ body, audit, transact }) => {
      const { userName, adminType, status } = body;
      const passwordHash = (await hashGiven(body.password)) ?? null;
      return transact(async (tx) => {
        await refuseTakenName(tx, service, userName);
        const isSuper = adminType === "0";
        const id = await insertAccount(tx, {
          service,
          userName,
          name: "",
          passwordHash,
          isSuper,
          enabled: status === "1",
        });
        audit.records = [id];
        return String(id);
      });
    },
  },
  updateAdministrator: { withoutTransaction: changeAdministrator },
  deleteAdministrator: async ({ db, params, caller, audit }) => {
    const account = await getLockedAccount(db, service, params.id);
    await refuseLosing(db, service, [account], caller);
    await deleteAccounts(db, [account.id]);
    audit.records = [account.id];
    return "1";
  },
  ...accountHandlers(platform, service),
});

async function changeAdministrator({ body, caller, audit, transact }: Call<Endpoints["updateAdministrator"]>) {
  const { id, userName, adminType, status } = body;
  if (id === undefined) throw new Problem("idMissing");
  const passwordHash = await hashGiven(body.password);
  return transact(async (tx) => {
    const account = await getLockedAccount(tx, service, id);
    const isSuper = adminType === undefined ? undefined : adminType === "0";
    const enabled = status === undefined ? undefined : status === "1";
    const loses = (account.isSuper && isSuper === false) || (account.enabled && enabled === false);
    if (loses) await refuseLosing(tx, service, [account], caller);
    if (userName !== undefined && userName !== account.userName) await refuseTakenName(tx, service, userName);
    await updateAccount(tx, id, { userName, passwordHash, isSuper, enabled });
    // Whoever knew the old password, or held the old rights, has to log in again.
    if (loses || passwordHash !== undefined) await endSessionsOf(tx, [id]);
    audit.records = [id];
    return "1";
  });
}

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
