import assert from "node:assert/strict";
import {
  type Gateway,
  GatewayError,
  type OrderReference,
  type PayRequest,
  type RawNotice,
  type RefundRequest,
} from "#services/tuition-payment/gateways/gateway.ts";
import type { PaymentStandIn } from "./payment.ts";
import type { SentNotice } from "./payment-notices.ts";

export interface GatewayBench extends Pick<
  PaymentStandIn,
  "visit" | "pay" | "makeNotice" | "forgeries" | "shiftClock"
> {
  readonly gateway: Gateway;
  readonly impatient?: Gateway;
  readonly standIn?: PaymentStandIn;
  readonly secrets: readonly string[];
  readonly setStatement: (orderNo: string, fen: number | null) => void;
  readonly sumFen: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export const amountFen = 480_050;
let numbers = Date.now();

export function makeOrder(): OrderReference {
  return { orderNo: `T${++numbers}`, amountFen, createdAt: new Date() };
}

export const begin = (gateway: Gateway, order: OrderReference, minutes = 30, more: Partial<PayRequest> = {}) =>
  gateway.pay({
    ...order,
    description: "学费 2026",
    expiresAt: new Date(Date.now() + minutes * 60_000),
    notifyUrl: "http://127.0.0.1:9/none",
    returnUrl: "http://127.0.0.1:9/back",
    openId: "openid-of-nobody",
    device: "phone",
    payerIp: "203.0.113.7",
    ...more,
  });

export const toRaw = ({ body, headers }: SentNotice): RawNotice => ({ body, headers });

export const makeRefund = (order: OrderReference, fen: number, refundNo = `R${++numbers}`): RefundRequest => ({
  order,
  refundNo,
  amountFen: fen,
  requestedAt: new Date(),
  reason: "退学",
  notifyUrl: "http://127.0.0.1:9/none",
});

export function openTools(bench: GatewayBench) {
  const { gateway, secrets } = bench;
  const openOrder = async (): Promise<OrderReference> => {
    const order = makeOrder();
    await bench.visit(await begin(gateway, order));
    return order;
  };
  const openPaid = async (fen?: number): Promise<OrderReference> => {
    const order = await openOrder();
    await bench.pay(order.orderNo, fen);
    return order;
  };
  const showsNothing = (error: Error): void => {
    const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
    assert.doesNotMatch(error.message, /127\.0\.0\.1|openid/);
  };
  const failOf = async (call: Promise<unknown>, failure: GatewayError["failure"]): Promise<GatewayError> => {
    const error = await call.then(
      (outcome) => assert.fail(`did not fail: ${JSON.stringify(outcome)}`),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof GatewayError, String(error));
    assert.equal(error.failure, failure, error.message);
    assert.ok(error.message.startsWith(`${gateway.name}: `), error.message);
    showsNothing(error);
    return error;
  };
  return { openOrder, openPaid, showsNothing, failOf };
}

export type Tools = ReturnType<typeof openTools>;
