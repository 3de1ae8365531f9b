import {
  type AccountSort,
  deleteAccounts,
  insertAccount,
  listAccounts,
  lockAccounts,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { getLockedAccount, hashGiven, refuseLosing, refuseTakenName } from "#platform/accounts/guards.ts";
import { login } from "#platform/accounts/login.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import { toPage } from "#platform/envelope.ts";
import { setDownloadCookie } from "#platform/http/download-cookie.ts";
import type { Call, Handlers } from "#platform/http/serve.ts";
import type { Platform } from "#platform/platform.ts";
import { Problem } from "#platform/problem.ts";
import { isDescending } from "#platform/sorting.ts";
import { parsePeriod } from "#platform/times.ts";
import type { AdministratorField, endpoints } from "./contract.ts";
import { toAdministrator } from "./wire-rows.ts";

const service = "reporting";

type Endpoints = Pick<
  typeof endpoints,
  "login" | "addAdministrator" | "deleteAdministrators" | "updateAdministrator" | "listAdministrators"
>;

/** The handlers of the service's administrators. */
export function administratorHandlers(platform: Platform): Handlers<Endpoints> {
  const { pool, settings } = platform;
  const zone = settings.TIME_ZONE;
  return {
    login: {
      withoutTransaction: async ({ body, address, userAgent, reply }) => {
        const { account, token, expireTime } = await login(pool, {
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
      withoutTransaction: async ({ body, audit, transact }) => {
        const passwordHash = (await hashGiven(body.password)) ?? null;
        const { userName, name, adminType = 2, status = 1 } = body;
        return transact(async (tx) => {
          await refuseTakenName(tx, service, userName);
          const id = await insertAccount(tx, {
            service,
            userName,
            name,
            passwordHash,
            isSuper: adminType === 1,
            enabled: status === 1,
          });
          audit.records = [id];
          return String(id);
        });
      },
    },

    deleteAdministrators: async ({ db, body, caller, audit }) => {
      if (!body.ids?.length) throw new Problem("idMissing");
      const accounts = await lockAccounts(db, service, body.ids);
      if (accounts.length === 0) {
        if (body.ids.includes(caller.accountId)) throw new Problem("forbidden");
        throw new Problem("notFound");
      }
      await refuseLosing(db, service, accounts, caller);
      audit.records = accounts.map(({ id }) => id);
      await deleteAccounts(
        db,
        accounts.map(({ id }) => id),
      );
      return String(accounts.length);
    },

    updateAdministrator: { withoutTransaction: updateAdministrator },

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

type UpdateCall = Call<Endpoints["updateAdministrator"]>;

async function updateAdministrator({ body, caller, audit, transact }: UpdateCall): Promise<string> {
  const { id, userName, name, adminType, status } = body;
  if (id === undefined) throw new Problem("idMissing");
  const passwordHash = await hashGiven(body.password);
  return transact(async (tx) => {
    const account = await getLockedAccount(tx, service, id);
    const isSuper = adminType === undefined ? undefined : adminType === 1;
    const enabled = status === undefined ? undefined : status === 1;
    const loses = (account.isSuper && isSuper === false) || (account.enabled && enabled === false);
    if (loses) await refuseLosing(tx, service, [account], caller);
    if (userName !== undefined && userName !== account.userName) await refuseTakenName(tx, service, userName);
    await updateAccount(tx, id, { userName, name, passwordHash, isSuper, enabled });
    // Whoever knew the old password, or held the old rights, has to log in again.
    if (loses || passwordHash !== undefined) await endSessionsOf(tx, [id]);
    audit.records = [id];
    return "1";
  });
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
