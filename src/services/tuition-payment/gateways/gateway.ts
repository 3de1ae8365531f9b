// A gateway is stateless and makes no decisions about orders: it speaks its protocol, accepts only signed messages and
// reports what the other side says. Amounts are integer fen, and times are instants.

export const gatewayNames = ["ccb", "abc", "wechat", "alipay", "simulated"] as const;
export type GatewayName = (typeof gatewayNames)[number];

export interface OrderReference {
  /** 6 to 30 characters of 0-9A-Za-z; the gateway uses the same number. */
  readonly orderNo: string;
  /** The order's total; for a refund, the amount paid. */
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
  /** Opens the WeChat app from another browser of a phone; valid for five minutes. */
  | { readonly kind: "h5"; readonly url: string }
  | { readonly kind: "native"; readonly qr: string }
  | {
      readonly kind: "jsapi";
      readonly jsapi: Record<"appId" | "timeStamp" | "nonceStr" | "package" | "signType" | "paySign", string>;
    };

/**
 * "paid" means that the money arrived, whatever was refunded since; the caller must compare its amount with the
 * order's. "pending" is unpaid and still payable, even after a failed attempt. "closed" is no longer payable. "absent"
 * means an unknown order, which has no money yet.
 */
export type Payment = Paid | { readonly state: "pending" | "closed" | "absent" };

export interface Paid {
  readonly state: "paid";
  readonly amountFen: number;
  /** The gateway's transaction number; null if the message has none, as with CCB. */
  readonly tradeNo: string | null;
  /** If a notice states no time, this is the time of its arrival. */
  readonly paidAt: Date;
}

/** The order is queried again in any case. "paid" means too late to close, "absent" nothing to close. */
export type Closing = "closed" | "paid" | "absent";

export interface RefundReference {
  readonly order: OrderReference;
  /** 6 to 30 characters of 0-9A-Za-z; the same in every attempt, since a gateway refunds a number once. */
  readonly refundNo: string;
  readonly amountFen: number;
  readonly requestedAt: Date;
}

export interface RefundRequest extends RefundReference {
  readonly reason: string;
  readonly notifyUrl: string;
}

/**
 * "running" means accepted, with the outcome to come by notice or query. "failed" is final and without effect; a person
 * must try again under another number.
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

/** The reply that the gateway expects to its notice; "envelope" is the platform's usual response. */
export type NoticeAnswer =
  | { readonly status: number; readonly contentType: string | null; readonly body: string }
  | "envelope";

/** `orderNo` of a refund is the refunded order's. */
export type StatementRow = {
  readonly orderNo: string;
  readonly tradeNo: string | null;
  readonly amountFen: number;
  readonly at: Date;
} & ({ readonly kind: "payment" } | { readonly kind: "refund"; readonly refundNo: string });

/** A day without trades is "ready" and has no rows. */
export type Statement =
  | { readonly state: "ready"; readonly rows: readonly StatementRow[] }
  | { readonly state: "notReady" };

/** Calls return within `PAY_TIMEOUT_MS`, throw only GatewayError, and must not be made within a transaction. */
export interface Gateway {
  readonly name: GatewayName;
  readonly kinds: readonly [PayAnswer["kind"], ...PayAnswer["kind"][]];
  pay(request: PayRequest): Promise<PayAnswer>;
  query(order: OrderReference): Promise<Payment>;
  /** Undefined if the gateway closes an order only at `expiresAt`. */
  close?(order: OrderReference): Promise<Closing>;
  refund(request: RefundRequest): Promise<Refund>;
  queryRefund(refund: RefundReference): Promise<Refund>;
  /** Whether the gateway may answer "absent" about a refund that exists. */
  readonly hidesRefunds?: true;
  verifyNotice(raw: RawNotice): Promise<Notice>;
  answerNotice(failure?: string): NoticeAnswer;
  /** Returns the whole statement or fails. @param date `yyyy-MM-dd` in Asia/Shanghai */
  fetchStatement(date: string): Promise<Statement>;
}

/** The message names the gateway and the event; it never contains an address, a secret or data of the request. */
export class GatewayError extends Error {
  /**
   * "refused" means that the gateway declined without effect and would decline again. "unknown" means a time-out or a
   * missing, incomplete or untrusted response; the call may have taken effect, so the caller must query before
   * deciding.
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

/** A response that does not match the request leaves open whether the call took effect. */
export const unbelievable = (gateway: GatewayName, reason: string): GatewayError =>
  new GatewayError(gateway, "unknown", reason);

export function believe<T>(gateway: GatewayName, read: () => T, what = "an answer"): T {
  try {
    return read();
  } catch {
    throw unbelievable(gateway, `${what} that is not of the protocol`);
  }
}

export class NoticeRefusal extends Error {
  /**
   * "signature" is missing, wrong or of an unknown key; "stale" means signed too long ago or in the future; "merchant"
   * means for another merchant.
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
    throw new NoticeRefusal(gateway, "malformed", "a notice that is not of the protocol");
  }
}
