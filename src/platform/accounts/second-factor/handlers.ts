import type { MayManage } from "#platform/accounts/account-rules.ts";
import { countFactors, findAccount } from "#platform/accounts/account-store.ts";
import { mustHaveFactor } from "#platform/accounts/login-requirements.ts";
import { isOperator, mayServe } from "#platform/contract/caller.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { mayGrant, mayUse } from "#platform/contract/rights.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { codeHandlers } from "./codes.ts";
import type { FactorEndpoints } from "./contract.ts";
import {
  clearFactors,
  countRecoveryCodes,
  listHolders,
  renewRecoveryCodes,
  resetFactors,
  lockFactors,
} from "./factors.ts";
import { newPasskeyHandlers, passkeyHandlers } from "./passkeys.ts";

export const factorHandlers = (platform: Platform, mayManage: MayManage): Handlers<FactorEndpoints> => ({
  ...codeHandlers(platform),
  ...newPasskeyHandlers(platform),
  ...passkeyHandlers(platform),
  ...helpHandlers(mayManage),
  readOwnFactors: async ({ db, caller }) => {
    const zone = platform.settings.TIME_ZONE;
    const factors = await db<
      { id: number; kind: "totp" | "passkey"; name: string; createdAt: Date; lastUsedAt: Date | null }[]
    >`
      select id, kind, name, created_at as "createdAt", last_used_at as "lastUsedAt" from platform.factor
      where account_id = ${caller.accountId} and confirmed_at is not null order by id`;
    return {
      required: mustHaveFactor(platform.settings, caller),
      shown: caller.factorAgeSeconds !== null,
      factors: factors.map(({ createdAt, lastUsedAt, ...factor }) => ({
        ...factor,
        createTime: formatDateTime(createdAt, zone),
        lastUseTime: lastUsedAt && formatDateTime(lastUsedAt, zone),
      })),
      recoveryCodes: await countRecoveryCodes(db, caller.accountId),
    };
  },
  renameFactor: async ({ db, body: { id, name }, caller, audit }) => {
    audit.records = [id];
    const renamed = await db.count`
      update platform.factor set name = ${name}
      where id = ${id} and account_id = ${caller.accountId} and confirmed_at is not null`;
    if (renamed === 0) throw new Problem("notFound");
    return "1";
  },
  deleteFactor: async ({ db, body: { id }, caller, audit }) => {
    const { accountId } = caller;
    audit.records = [id];
    await lockFactors(db, accountId);
    const removed = await db.count`
      delete from platform.factor where id = ${id} and account_id = ${accountId} and confirmed_at is not null`;
    if (removed === 0) throw new Problem("notFound");
    if ((await countFactors(db, accountId)) > 0) return "1";
    if (mustHaveFactor(platform.settings, caller))
      throw explain(
        "notAllowedNow",
        "此账号必须启用两步验证，请先添加其他验证方式",
        "this account requires a second factor: add another one first",
      );
    await clearFactors(db, accountId);
    return "1";
  },
  renewRecoveryCodes: async ({ db, caller }) => {
    if (!caller.hasFactor) throw explain("notAllowedNow", "请先启用两步验证", "enable a second factor first");
    await lockFactors(db, caller.accountId);
    return renewRecoveryCodes(db, caller.accountId);
  },
});

const helpHandlers = (mayManage: MayManage) =>
  ({
    listFactorHolders: async ({ db, query, caller }) => {
      if (!caller.isSuper || !mayServe(caller, query.service) || !mayUse(caller, query.service, "accounts"))
        throw new Problem("forbidden");
      return listHolders(db, caller, query.service);
    },
    resetFactors: async ({ db, body: { id }, caller, audit }) => {
      audit.records = [id];
      const account = found(await findAccount(db, id));
      if (id === caller.accountId)
        throw explain("forbidden", "不能重置自己的两步验证", "you cannot reset your own second factor");
      const { service, rights, userName } = account;
      const isSuperOver = caller.isSuper && caller.service === service && mayGrant(caller, rights, [service]);
      const may = isOperator(caller) ? mayManage(caller, account) : isSuperOver;
      if (!may || !mayUse(caller, service, "accounts")) throw new Problem("forbidden");
      if ((await resetFactors(db, id)) === 0) throw new Problem("notFound");
      audit.detail = { userName };
      return "1";
    },
  }) satisfies Partial<Handlers<FactorEndpoints>>;
