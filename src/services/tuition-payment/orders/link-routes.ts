import { createHash, randomBytes } from "node:crypto";
import { explain, Problem } from "#platform/contract/problem.ts";
import { createWeChatClient, OutsideError } from "#platform/messaging/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toLink } from "#platform/process/links.ts";
import { keepLink } from "./change-store.ts";
import { type Desk, listGateways, requireOrder } from "./desk.ts";
import { askUnlessAsked } from "./gateway-routes.ts";
import type { linkEndpoints } from "./link-contract.ts";
import { findLinkedOrder, findOrder, findOwnOrder, type OrderRow } from "./order-store.ts";
import { payOrder } from "./paying.ts";
import { toOrder } from "./wire.ts";

export function linkHandlers(desk: Desk): Handlers<typeof linkEndpoints> {
  const { pool, settings } = desk.platform;
  const findLinked = async (token: string) => requireOrder(await findLinkedOrder(pool, toHash(token)));
  return {
    linkOrder: withoutTransaction(async ({ params: { orderNo }, guest: card }) => {
      const order = requireOrder(await findOwnOrder(pool, orderNo, card));
      const token = randomBytes(32).toString("base64url");
      if (!(await keepLink(pool, order.id, toHash(token))))
        throw explain("notAllowedNow", "订单当前不能支付", "the order cannot be paid in its current state");
      // The token is in the fragment after #, which a browser never sends, so that no server logs it.
      return { url: toLink(settings, `/h5/tuition/link#${token}`) };
    }),

    readLinkedOrder: withoutTransaction(async ({ body, request, language }) => {
      const order = await findLinked(body.token);
      if (order.status === "paying" && order.gateway !== null) await askUnlessAsked(desk, order.gateway, order);
      const now = requireOrder(await findOrder(pool, order.orderNo));
      return { ...toLinked(now, settings.TIME_ZONE), gateways: listGateways(desk, request, language) };
    }),

    payLinkedOrder: withoutTransaction(async ({ body: { token, ...wish }, request }) =>
      payOrder(desk, await findLinked(token), wish, request),
    ),

    findPayer: withoutTransaction(async ({ body }) => {
      const client = openWeChat(desk);
      if (!client) throw new Problem("outsideNotConfigured");
      return client.exchangeCode(body.code).catch(refuse);
    }),
  };
}

const toHash = (token: string): Buffer => createHash("sha256").update(token).digest();

function toLinked(row: OrderRow, zone: string) {
  const { orderNo, amount, payables, status, gateway, ...order } = toOrder(row, zone);
  const { expireTime, payTime, closeTime, refundTime } = order;
  const times = { expireTime, payTime, closeTime, refundTime };
  return { orderNo, studentName: maskName(row.studentName), amount, payables, status, gateway, ...times };
}

/** Masks all characters but the last, as payment apps do; a name of one character is masked entirely. */
export function maskName(name: string): string {
  const characters = [...name];
  return characters
    .map((character, index) => (index === characters.length - 1 && index > 0 ? character : "*"))
    .join("");
}

/** The official account for payments may differ from the one for messages, so it has its own settings. */
function openWeChat({ platform: { settings, clock } }: Desk) {
  const { PAY_WECHAT_APP_ID: appId, PAY_WECHAT_APP_SECRET: secret } = settings;
  if (appId === undefined || secret === undefined) return undefined;
  const { WECHAT_BASE_URL: baseUrl, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  return createWeChatClient({ appId, secret, baseUrl, timeoutMs, kind: "service-account", now: clock });
}

function refuse(error: unknown): never {
  if (!(error instanceof OutsideError)) throw error;
  if (error.kind === "code-invalid")
    throw explain("notAllowedNow", "code 无效、已使用或已过期", "the code is invalid, already used or expired");
  throw new Problem("outsideFailed");
}
