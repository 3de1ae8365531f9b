import type { Clock } from "#platform/contract/times.ts";
import { isLoopback } from "#platform/contract/networks.ts";
import type { TuitionPlatform } from "#services/tuition-payment/settings.ts";
import { createAbcGateway } from "./abc.ts";
import { createAlipayGateway } from "./alipay.ts";
import { createCcbGateway } from "./ccb.ts";
import type { Gateway, GatewayName } from "./gateway.ts";
import { readAlipayKey, readCertificateKey, readHexKey, readMerchantKey, readOwnAlipayKey } from "./settings.ts";
import type { SimulatedBooks } from "./simulated-page.ts";
import { createSimulatedGateway, type SimulatedGateway } from "./simulated.ts";
import { createWeChatGateway } from "./wechat.ts";

type Settings = TuitionPlatform["settings"];

interface GatewayTools {
  readonly clock: Clock;
  readonly simulatedBooks: SimulatedBooks;
  readonly toSimulatedPage: (orderNo: string) => string;
}

export interface Gateways {
  readonly all: ReadonlyMap<GatewayName, Gateway>;
  readonly simulated: SimulatedGateway | undefined;
}

export function createGateways(settings: Settings, tools: GatewayTools): Gateways {
  const { clock, simulatedBooks, toSimulatedPage } = tools;
  const isSimulated = findSimulatedScope(settings) !== "nowhere";
  const simulated = isSimulated ? createSimulatedGateway(simulatedBooks, clock, toSimulatedPage) : undefined;
  const made = [
    createCcb(settings, clock),
    createAbc(settings, clock),
    createWeChat(settings, clock),
    createAlipay(settings, clock),
    simulated,
  ];
  return {
    all: new Map(made.flatMap((gateway) => (gateway ? [[gateway.name, gateway] as const] : []))),
    simulated,
  };
}

export type SimulatedScope = "nowhere" | "machine" | "everywhere";

/**
 * Orders paid at the simulated gateway bring no money, so production never has it. By default, it exists only with the
 * embedded database, a loopback HOST and no other gateway, and serves only requests from this machine.
 */
export function findSimulatedScope(settings: Settings): SimulatedScope {
  if (settings.NODE_ENV === "production") return "nowhere";
  if (settings.PAY_SIMULATED === "1") return "everywhere";
  const hasOther =
    settings.PAY_CCB_MERCHANT_ID ??
    settings.PAY_ABC_MERCHANT_ID ??
    settings.PAY_WECHAT_MCH_ID ??
    settings.PAY_ALIPAY_APP_ID;
  const isAlone = settings.DATABASE_URL === undefined && hasOther === undefined && isLoopback(settings.HOST);
  return isAlone ? "machine" : "nowhere";
}

function createCcb(settings: Settings, clock: Clock): Gateway | undefined {
  const { PAY_CCB_MERCHANT_ID: merchantId, PAY_CCB_PUBLIC_KEY: publicKeyHex = "" } = settings;
  if (merchantId === undefined) return undefined;
  return createCcbGateway({
    merchantId,
    posId: settings.PAY_CCB_POS_ID ?? "",
    branchId: settings.PAY_CCB_BRANCH_ID ?? "",
    publicKeyHex,
    publicKey: readHexKey(publicKeyHex),
    pageUrl: settings.PAY_CCB_PAGE_URL,
    client: {
      url: settings.PAY_CCB_CLIENT_URL ?? "",
      merchantId,
      user: settings.PAY_CCB_USER ?? "",
      password: settings.PAY_CCB_PASSWORD ?? "",
      timeoutMs: settings.PAY_TIMEOUT_MS,
    },
    clock,
  });
}

function createAbc(settings: Settings, clock: Clock): Gateway | undefined {
  if (settings.PAY_ABC_MERCHANT_ID === undefined) return undefined;
  return createAbcGateway({
    merchantId: settings.PAY_ABC_MERCHANT_ID,
    merchantKey: readMerchantKey(settings.PAY_ABC_PRIVATE_KEY ?? ""),
    bankKey: readCertificateKey(settings.PAY_ABC_CERTIFICATE ?? ""),
    baseUrl: settings.PAY_ABC_BASE_URL,
    allowsLegacyTls: settings.PAY_ABC_LEGACY_TLS === "1",
    timeoutMs: settings.PAY_TIMEOUT_MS,
    clock,
  });
}

function createWeChat(settings: Settings, clock: Clock): Gateway | undefined {
  const { PAY_WECHAT_PUBLIC_KEY: pem, PAY_WECHAT_PUBLIC_KEY_ID: id } = settings;
  if (settings.PAY_WECHAT_MCH_ID === undefined) return undefined;
  return createWeChatGateway({
    mchId: settings.PAY_WECHAT_MCH_ID,
    appId: settings.PAY_WECHAT_APP_ID ?? "",
    kinds: settings.PAY_WECHAT_KINDS,
    apiKey: settings.PAY_WECHAT_API_KEY ?? "",
    merchantKey: readMerchantKey(settings.PAY_WECHAT_PRIVATE_KEY ?? ""),
    merchantSerial: settings.PAY_WECHAT_SERIAL ?? "",
    publicKey: pem !== undefined && id !== undefined ? { id, pem } : undefined,
    baseUrl: settings.PAY_WECHAT_BASE_URL,
    timeoutMs: settings.PAY_TIMEOUT_MS,
    clock,
  });
}

function createAlipay(settings: Settings, clock: Clock): Gateway | undefined {
  if (settings.PAY_ALIPAY_APP_ID === undefined) return undefined;
  return createAlipayGateway({
    appId: settings.PAY_ALIPAY_APP_ID,
    sellerId: settings.PAY_ALIPAY_SELLER_ID ?? "",
    merchantKey: readOwnAlipayKey(settings.PAY_ALIPAY_PRIVATE_KEY ?? ""),
    alipayKey: readAlipayKey(settings.PAY_ALIPAY_PUBLIC_KEY ?? ""),
    baseUrl: settings.PAY_ALIPAY_BASE_URL,
    timeoutMs: settings.PAY_TIMEOUT_MS,
    clock,
  });
}
