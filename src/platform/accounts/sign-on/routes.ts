import type { MayManage } from "#platform/accounts/account-rules.ts";
import { findForLogin } from "#platform/accounts/account-store.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { SignOnEndpoints } from "./contract.ts";
import { deleteIdentities, insertIdentity, listIdentities } from "./identity-store.ts";
import { beginSignOn, finishSignOn, getProvider, type SignOnParts } from "./flow.ts";

const beyond = (): Problem => explain("forbidden", "您无权管理该账号", "you may not manage this account");

export const signOnHandlers = (parts: SignOnParts, mayManage: MayManage): Handlers<SignOnEndpoints> => ({
  beginSignOn: withoutTransaction(async (call) => ({ address: await beginSignOn(parts, call) })),
  finishSignOn: withoutTransaction((call) => finishSignOn(parts, call)),

  listCampusIdentities: async ({ db, query, caller }) => {
    const zone = parts.platform.settings.TIME_ZONE;
    const { rows, totalCount } = await listIdentities(db, caller, query, toListOrder(query, "createTime"));
    const list = rows.map((row) => {
      const {
        accountId: _id,
        services: _services,
        rights: _rights,
        scope: _scope,
        createdAt,
        lastSignOnAt,
        ...shown
      } = row;
      return {
        ...shown,
        inUse: parts.providers.some(({ kind, issuer }) => kind === row.provider && issuer === row.issuer),
        changeable: mayManage(caller, row),
        createTime: formatDateTime(createdAt, zone),
        lastUseTime: lastSignOnAt && formatDateTime(lastSignOnAt, zone),
      };
    });
    return toPage(list, totalCount, query);
  },

  addCampusIdentity: async ({ db, body: { provider, identity, service, userName }, caller, audit }) => {
    const { issuer } = getProvider(parts.providers, provider);
    const account = await findForLogin(db, service, userName);
    if (account?.service !== service) throw new Problem("notFound");
    if (!mayManage(caller, account)) throw beyond();
    if (account.fromSignOn)
      throw explain(
        "forbidden",
        "该账号由统一身份认证开通，只能使用其原有身份登录",
        "this account is managed by the campus sign-on and accepts only its own identity",
      );
    const id = await insertIdentity(db, { provider, issuer, identity }, account.id);
    audit.records = [id];
    audit.detail = { provider, identity, service, userName: account.userName };
    return String(id);
  },

  deleteCampusIdentities: async ({ db, body, caller, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const removed = await deleteIdentities(db, body);
    if (removed.length === 0) throw new Problem("notFound");
    if (!removed.every((row) => mayManage(caller, row))) throw beyond();
    await endSessionsOf(db, [...new Set(removed.map(({ accountId }) => accountId))]);
    audit.records = removed.map(({ id }) => id);
    audit.detail = { identities: removed.map(({ identity }) => identity).join(",") };
    return String(removed.length);
  },
});
