import { randomInt } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Language } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Settings } from "#platform/process/config.ts";
import { toLink } from "#platform/process/links.ts";
import type { Platform } from "#platform/process/platform.ts";
import { isForwarded } from "#platform/accounts/proven-number.ts";
import { createGateways, findSimulatedScope, type Gateways } from "#services/tuition-payment/gateways/configured.ts";
import type { Gateway, GatewayName, OrderReference } from "#services/tuition-payment/gateways/gateway.ts";
import type { TuitionPlatform } from "#services/tuition-payment/settings.ts";
import type { OrderHead } from "./order-store.ts";
import { openSimulatedBooks } from "./simulated-books-store.ts";

export interface Desk {
  readonly platform: TuitionPlatform;
  readonly gateways: Gateways;
}

export const openDesk = (platform: TuitionPlatform): Desk => ({
  platform,
  gateways: createGateways(platform.settings, {
    clock: platform.clock,
    simulatedBooks: openSimulatedBooks(platform.pool),
    toSimulatedPage: (orderNo) => toLink(platform.settings, `/tuitionpayment/simulated/${orderNo}`),
  }),
});

export function getGateway({ gateways }: Desk, name: GatewayName): Gateway {
  const gateway = gateways.all.get(name);
  if (gateway) return gateway;
  throw explain("outsideNotConfigured", `${name}: 未配置该支付渠道`, `${name}: the gateway is not configured`);
}

const names = {
  zh: { ccb: "中国建设银行", abc: "中国农业银行", wechat: "微信支付", alipay: "支付宝", simulated: "模拟支付" },
  en: {
    ccb: "China Construction Bank",
    abc: "Agricultural Bank of China",
    wechat: "WeChat Pay",
    alipay: "Alipay",
    simulated: "Simulated",
  },
} as const;

export const nameGateway = (name: GatewayName, language: Language): string => names[language][name];

export function describeGateway({ platform: { settings } }: Desk, { name, kinds }: Gateway, language: Language) {
  const { PAY_WECHAT_APP_ID: appId, PAY_WECHAT_APP_SECRET: secret, PAY_WECHAT_AUTHORIZE_URL: url } = settings;
  const asks = name === "wechat" && appId !== undefined && secret !== undefined && kinds.includes("jsapi");
  return {
    gateway: name,
    name: nameGateway(name, language),
    kind: kinds[0],
    kinds: [...kinds],
    ...(asks ? { authorize: { url, appId } } : {}),
  };
}

export const listGateways = (desk: Desk, request: FastifyRequest, language: Language) =>
  [...desk.gateways.all.values()]
    .filter(({ name }) => name !== "simulated" || maySimulate(desk, request))
    .map((gateway) => describeGateway(desk, gateway, language));

/** By default, the simulated gateway serves only requests from this machine. */
export const maySimulate = ({ platform: { settings } }: Desk, request: FastifyRequest): boolean =>
  findSimulatedScope(settings) === "everywhere" || !isForwarded(request);

export function requireSimulated(desk: Desk, request: FastifyRequest): void {
  if (!maySimulate(desk, request))
    throw explain(
      "forbidden",
      "模拟支付仅限本机直接访问",
      "the simulated gateway accepts only direct requests from this machine",
    );
}

export function makeOrderNo({ clock, settings }: Platform): string {
  const time = formatDateTime(new Date(clock()), settings.TIME_ZONE).replaceAll(/\D/g, "");
  return `${time}${String(randomInt(10 ** 10)).padStart(10, "0")}`;
}

/** The number has 15 characters, which is the limit of CCB. */
export function makeRefundNo({ clock }: Platform): string {
  const random = randomInt(36 ** 6).toString(36);
  return `R${clock().toString(36)}${random.padStart(6, "0")}`.toUpperCase();
}

export const toNotifyUrl = (settings: Settings, gateway: GatewayName): string =>
  toLink(settings, `/tuitionpayment/pay/notify/${gateway}`);

export const toReference = ({ orderNo, amountFen, createdAt }: OrderHead): OrderReference => ({
  orderNo,
  amountFen,
  createdAt,
});

/** Another person's order causes the same error as a missing one, so nobody learns that it exists. */
export function requireOrder<T>(order: T | undefined): T {
  if (order === undefined) throw new Problem("orderNotFound");
  return order;
}
