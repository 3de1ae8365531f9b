// A gateway makes no decisions about orders: it translates between the provider's protocol and the types below. Amounts
// are integer fen, and times are instants.

export const gatewayNames = ["ccb", "abc", "wechat", "alipay", "simulated"] as const;
export type GatewayName = (typeof gatewayNames)[number];

export interface OrderReference {
  /** The order's number has 6 to 30 characters of 0-9A-Za-z and is also the merchant's order number at the gateway. */
  readonly orderNo: string;
  /** The total of the order; in a refund, the amount that was paid. */
  readonly amountFen: number;
  readonly createdAt: Date;
}

export interface PayRequest extends OrderReference {
  readonly description: string;
  readonly expiresAt: Date;
  readonly notifyUrl: string;
  readonly returnUrl: string;
  readonly kind?: PayAnswer["kind"] | undefined;
  readonly device: "phone" | "desk";
  readonly payerIp: string;
  readonly openId?: string | undefined;
}

export type PayAnswer =
  | { readonly kind: "form"; readonly form: { readonly action: string; readonly fields: Record<string, string> } }
  | { readonly kind: "redirect"; readonly url: string }
  /** Opens the WeChat app from another mobile browser. The URL is valid for five minutes. */
  | { readonly kind: "h5"; readonly url: string }
  | { readonly kind: "native"; readonly qr: string }
  | {
      readonly kind: "jsapi";
      readonly jsapi: Record<"appId" | "timeStamp" | "nonceStr" | "package" | "signType" | "paySign", string>;
    };

/**
 * "paid" means that the money arrived, whatever was refunded later; the caller must compare its amount with the
 * order's. "pending" is unpaid and still payable, even after a failed attempt. "closed" is no longer payable. "absent"
 * means that the gateway does not know the order and has no money for it yet.
 */
export type Payment = Paid | { readonly state: "pending" | "closed" | "absent" };

export interface Paid {
  readonly state: "paid";
  readonly amountFen: number;
  /** The gateway's transaction number; null if the message has none, such as a notice from CCB. */
  readonly tradeNo: string | null;
  /** The time of payment, or the time at which the message arrived if it states none. */
  readonly paidAt: Date;
}

/**
 * "paid" means that it was too late to close, and "absent" that there was nothing to close. The caller queries the
 * order again in any case.
 */
export type Closing = "closed" | "paid" | "absent";

export interface RefundReference {
  readonly order: OrderReference;
  /** 6 to 30 characters of 0-9A-Za-z, the same in every attempt, since a gateway refunds only once per number. */
  readonly refundNo: string;
  readonly amountFen: number;
  readonly requestedAt: Date;
}

export interface RefundRequest extends RefundReference {
  readonly reason: string;
  readonly notifyUrl: string;
}

/**
 * "running" means that the gateway accepted the refund and reports the outcome later, by notice or query. "failed"
 * means that the gateway has ended the refund without moving money, so a person must try again with another number.
 */
export type Refund =
  | Refunded
  | { readonly state: "running" | "absent" }
  | { readonly state: "failed"; readonly reason: string };

export interface Refunded {
  readonly state: "done";
  readonly amountFen: number;
  readonly refundTradeNo: string | null;
  readonly doneAt: Date;
}

export interface RawNotice {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type Notice =
  | { readonly kind: "payment"; readonly orderNo: string; readonly payment: Payment }
  | { readonly kind: "refund"; readonly orderNo: string; readonly refundNo: string; readonly refund: Refund };

/** The reply that the gateway expects to its notice; "envelope" is the usual JSON response of this server. */
export type NoticeAnswer =
  | { readonly status: number; readonly contentType: string | null; readonly body: string }
  | "envelope";

/** In the row of a refund, `orderNo` is the refunded order. */
export type StatementRow = {
  readonly orderNo: string;
  readonly tradeNo: string | null;
  readonly amountFen: number;
  readonly at: Date;
} & ({ readonly kind: "payment" } | { readonly kind: "refund"; readonly refundNo: string });

/** The statement of a day without trades is "ready" and has no rows. */
export type Statement =
  | { readonly state: "ready"; readonly rows: readonly StatementRow[] }
  | { readonly state: "notReady" };

/**
 * Each request to the provider ends within `PAY_TIMEOUT_MS`. Calls fail with GatewayError, and `verifyNotice` also with
 * NoticeRefusal. Calls must not be made within a transaction.
 */
export interface Gateway {
  readonly name: GatewayName;
  readonly kinds: readonly [PayAnswer["kind"], ...PayAnswer["kind"][]];
  pay(request: PayRequest): Promise<PayAnswer>;
  query(order: OrderReference): Promise<Payment>;
  /** Undefined if the gateway cannot close an order before its `expiresAt`. */
  close?(order: OrderReference): Promise<Closing>;
  refund(request: RefundRequest): Promise<Refund>;
  queryRefund(refund: RefundReference): Promise<Refund>;
  /** Present if the gateway may answer "absent" about a refund that exists. */
  readonly hidesRefunds?: true;
  verifyNotice(raw: RawNotice): Promise<Notice>;
  answerNotice(failure?: string): NoticeAnswer;
  /**
   * Returns the complete statement of a day.
   * @param date `yyyy-MM-dd` in Asia/Shanghai
   */
  fetchStatement(date: string): Promise<Statement>;
}

/** The message names the gateway and the failure. It never contains an address, a secret or data of the request. */
export class GatewayError extends Error {
  /**
   * "refused" means that the gateway declined, that nothing happened and that it would decline again. "unknown" means a
   * time-out or a missing, incomplete or untrusted response: the call may have taken effect, so the caller must query
   * before deciding.
   */
  readonly failure: "refused" | "unknown";
  readonly code: string | undefined;

  constructor(gateway: GatewayName, failure: GatewayError["failure"], reason: string, code?: string) {
    super(`${gateway}: ${reason}${code === undefined ? "" : ` (${code})`}`);
    this.name = "GatewayError";
    this.failure = failure;
    this.code = code;
  }
}

/**
 * Creates the error for a missing response or one that cannot be trusted. It is then unknown whether the call took
 * effect.
 */
export const unbelievable = (gateway: GatewayName, reason: string): GatewayError =>
  new GatewayError(gateway, "unknown", reason);

export function believe<T>(gateway: GatewayName, read: () => T, what = "the response"): T {
  try {
    return read();
  } catch {
    throw unbelievable(gateway, `${what} does not follow the protocol`);
  }
}

export class NoticeRefusal extends Error {
  /**
   * "signature" means missing, wrong or by an unknown key; "stale" means signed too long ago or in the future;
   * "merchant" means addressed to another merchant; "malformed" means that the content does not follow the protocol.
   */
  readonly fault: "signature" | "stale" | "merchant" | "malformed";

  constructor(gateway: GatewayName, fault: NoticeRefusal["fault"], reason: string) {
    super(`${gateway}: ${reason}`);
    this.name = "NoticeRefusal";
    this.fault = fault;
  }
}

export function believeNotice<T>(gateway: GatewayName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof NoticeRefusal) throw error;
    throw new NoticeRefusal(gateway, "malformed", "the notice does not follow the protocol");
  }
}
