import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { joinWords } from "#console/blocks/format.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { GatewayName } from "#console/pages/tuition-payment/orders/order.tsx";
import { texts } from "#console/pages/tuition-payment/orders/texts.ts";

/** The gateways that are configured; undefined: not known yet, or it could not be read. */
export function useGateways(): readonly GatewayName[] | undefined {
  const { data } = useRead(tuitionPayment.listConfiguredGateways, {});
  return data?.map(({ gateway }) => gateway);
}

/** What a page is about, and which gateways are configured. */
export function useAboutGateways(about: string): string {
  const t = useTexts(texts);
  const names = useGateways();
  if (names === undefined) return about;
  const told = names.length === 0 ? t.noneConfigured : t.configured(joinWords(names.map((name) => t.gateways[name])));
  return `${about} · ${told}`;
}
