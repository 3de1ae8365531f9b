import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Status, type Tone } from "#console/blocks/status.tsx";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { toFen } from "#shared/money.ts";
import { joinWords } from "#console/blocks/format.ts";
import { useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";

export type Order = RecordOf<typeof tuitionPayment.listOrders>;
export type OrderDetail = DataOf<typeof tuitionPayment.findOrder>;
type OrderState = Order["status"];
export type GatewayName = NonNullable<Order["gateway"]>;

export const orderStates = [
  "created",
  "paying",
  "paid",
  "refunding",
  "refunded",
  "closed",
] as const satisfies readonly OrderState[];

export const gatewayNames = ["ccb", "abc", "wechat", "alipay", "simulated"] as const satisfies readonly GatewayName[];

export const orderTones: Readonly<Record<OrderState, Tone>> = {
  created: "warning",
  paying: "processing",
  paid: "success",
  refunding: "processing",
  refunded: "default",
  closed: "default",
};

export function OrderStatus({ status }: { readonly status: OrderState }) {
  const t = useTexts();
  return <Status tone={orderTones[status]}>{t.statuses[status]}</Status>;
}

export const everyMs = 5000;

/** In these states the order changes without the user, so it is polled. */
export const isUnderWay = (status: OrderState): boolean =>
  status === "created" || status === "paying" || status === "refunding";

export interface OrderItem {
  readonly key: string;
  readonly payableId: number;
  readonly years: string;
  readonly name: string;
  readonly amountFen: number;
  readonly refund: "asked" | "running" | "done" | undefined;
}

const toKey = ({ payableId, name }: { readonly payableId: number; readonly name: string }): string =>
  `${payableId} ${name}`;

export function listItems({ payables, refunds }: Pick<Order, "payables" | "refunds">): OrderItem[] {
  // The items of a refused or failed refund remain paid.
  const states = { asked: "asked", running: "running", done: "done", failed: undefined, refused: undefined } as const;
  const refunded = new Map(
    refunds.flatMap(({ status, items }) => items.map((item) => [toKey(item), states[status]] as const)),
  );
  return payables.flatMap(({ payableId, years, items }) =>
    items.map(({ name, amount }) => {
      const key = toKey({ payableId, name });
      return { key, payableId, years, name, amountFen: toFen(amount), refund: refunded.get(key) };
    }),
  );
}

/** Leaves out refunded items, so that the amounts sum to what was received. */
export function withoutRefunds<O extends Pick<Order, "payables" | "refunds">>(order: O): O {
  const kept = new Set(listItems(order).flatMap(({ key, refund }) => (refund === "done" ? [] : [key])));
  const payables = order.payables
    .map((payable) => ({
      ...payable,
      items: payable.items.filter(({ name }) => kept.has(toKey({ payableId: payable.payableId, name }))),
    }))
    .filter(({ items }) => items.length > 0);
  return { ...order, payables };
}

export const sumItems = (items: readonly OrderItem[]): number =>
  items.reduce((sum, { amountFen }) => sum + amountFen, 0);

export function useGateways(): readonly GatewayName[] | undefined {
  const { data } = useRead(
    tuitionPayment.listConfiguredGateways,
    {},
    { enabled: useMay()(tuitionPayment.listConfiguredGateways) },
  );
  return data?.map(({ gateway }) => gateway);
}

export function useAboutGateways(about: string): string {
  const t = useTexts();
  const names = useGateways();
  if (names === undefined) return about;
  const told = names.length === 0 ? t.noneConfigured : t.configured(joinWords(names.map((name) => t.gateways[name])));
  return `${about} · ${told}`;
}
