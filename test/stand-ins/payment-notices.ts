import { setTimeout as sleep } from "node:timers/promises";

export interface SentNotice {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What a forger changes. `signature`: signed with a foreign key; `serial`: an unknown key's id; `stale`: correctly
 * signed, an hour ago; `merchant`, `seller`: correctly signed, for another merchant; `currency`: correctly signed, in
 * another currency; `altered`: a byte changed; `amount`, `tradeNo`: changed after signing; `seal`, `associated`,
 * `nonce`: encrypted with another key, other associated data, another nonce; `missing`: unsigned.
 */
export const forgeries = [
  "signature",
  "serial",
  "stale",
  "merchant",
  "seller",
  "currency",
  "altered",
  "amount",
  "tradeNo",
  "seal",
  "associated",
  "nonce",
  "missing",
] as const;
export type Forgery = (typeof forgeries)[number];

export type Delivery = { readonly afterMs?: number; readonly forgery?: Forgery };
export type DeliveryPlan = (orderNo: string) => readonly Delivery[];

export interface Delivered {
  readonly orderNo: string;
  readonly forgery: Forgery | undefined;
  readonly status: number | null;
  readonly body: string;
}

export interface NoticeSender {
  readonly delivered: readonly Delivered[];
  plan(plan: DeliveryPlan): void;
  send(orderNo: string, url: string, make: (forgery: Forgery | undefined) => SentNotice): void;
  settle(): Promise<void>;
}

const answerWithinMs = 5000;

/**
 * Sends each notification once and immediately, unless a plan says otherwise. Notifications are sent concurrently, each
 * after its planned delay.
 */
export function openNoticeSender(): NoticeSender {
  const delivered: Delivered[] = [];
  const underWay = new Set<Promise<void>>();
  let planned: DeliveryPlan = () => [{}];

  async function deliver(
    orderNo: string,
    url: string,
    { body, headers }: SentNotice,
    { afterMs = 0, forgery }: Delivery,
  ) {
    await sleep(afterMs);
    const signal = AbortSignal.timeout(answerWithinMs);
    const answer = await fetch(url, { method: "POST", body: new Uint8Array(body), headers, signal }).catch(() => null);
    delivered.push({
      orderNo,
      forgery,
      status: answer?.status ?? null,
      body: (await answer?.text().catch(() => "")) ?? "",
    });
  }

  return {
    delivered,
    plan: (plan) => void (planned = plan),
    send(orderNo, url, make) {
      if (url === "") return;
      for (const delivery of planned(orderNo)) {
        const sending = deliver(orderNo, url, make(delivery.forgery), delivery);
        underWay.add(sending);
        void sending.finally(() => underWay.delete(sending));
      }
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

export function alterByte(bytes: Buffer): Buffer {
  const altered = Buffer.from(bytes);
  const place = altered.length >> 1;
  altered[place] = (altered[place] ?? 0) ^ 1;
  return altered;
}
