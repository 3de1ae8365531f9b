// The interface to payment gateways. A gateway is stateless and makes no decisions about orders: it speaks its
// protocol, accepts only signed messages and reports what the other side says. Amounts are integer fen, times are
// instants, and outcomes are enumerated.

export const gatewayNames = ["ccb", "abc", "wechat", "alipay", "simulated"] as const;
export type GatewayName = (typeof gatewayNames)[number];

/** An order, as all calls after the first need it. */
export interface OrderReference {
  /** 6 to 30 characters of 0-9A-Za-z, also used at the gateway. */
  readonly orderNo: string;
  /** The order's total; for a refund, the amount paid. */
  readonly amountFen: number;
  readonly createdAt: Date;
}

export interface PayRequest extends OrderReference {
  /** Shown to the payer; each gateway truncates it to its limit. */
  readonly description: string;
  readonly expiresAt: Date;
  /** Complete addresses for notices and for the payer's return. */
  readonly notifyUrl: string;
  readonly returnUrl: string;
  /** The payment method, if the gateway has several; default: its first. */
  readonly kind?: PayAnswer["kind"] | undefined;
  readonly device: "phone" | "desk";
  /** The payer's address, which some gateways require. */
  readonly payerIp: string;
  /** The payer's WeChat OpenID, required for `jsapi`. */
  readonly openId?: string | undefined;
}

/** What the page needs to continue to the payment. */
export type PayAnswer =
  | { readonly kind: "form"; readonly form: { readonly action: string; readonly fields: Record<string, string> } }
  | { readonly kind: "redirect"; readonly url: string }
  /** Opens the WeChat app from another phone browser; valid for five minutes. */
  | { readonly kind: "h5"; readonly url: string }
  /** The content of a QR code for the WeChat app. */
  | { readonly kind: "native"; readonly qr: string }
  | {
      readonly kind: "jsapi";
      readonly jsapi: Record<"appId" | "timeStamp" | "nonceStr" | "package" | "signType" | "paySign", string>;
    };

/**
 * The gateway's state of an order. `paid`: the money arrived, whatever was refunded since; the reported amount must be
 * compared with the order's. `pending`: unpaid and still payable, even after a failed attempt. `closed`: no longer
 * payable. `absent`: unknown order, so no money yet.
 */
export type Payment = Paid | { readonly state: "pending" | "closed" | "absent" };

export interface Paid {
  readonly state: "paid";
  readonly amountFen: number;
  /** The gateway's transaction number; null if the message has none, as with `ccb`. */
  readonly tradeNo: string | null;
  /** The arrival time of a notice that states none. */
  readonly paidAt: Date;
}

/** `paid`: too late to close. `absent`: nothing to close. In any case the order is queried again. */
export type Closing = "closed" | "paid" | "absent";

export interface RefundReference {
  readonly order: OrderReference;
  /** 6 to 30 characters of 0-9A-Za-z, constant across retries, since a gateway refunds a number once. */
  readonly refundNo: string;
  readonly amountFen: number;
  readonly requestedAt: Date;
}

export interface RefundRequest extends RefundReference {
  readonly reason: string;
  readonly notifyUrl: string;
}

/**
 * `running`: accepted, with the outcome to come by notice or query. `failed`: final, without effect; a person must
 * retry under another number.
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

/** The message as received, unparsed. Header names are in lower case. */
export interface RawNotice {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A verified message. The caller compares its amount with the order's. */
export type Notice =
  | { readonly kind: "payment"; readonly orderNo: string; readonly payment: Payment }
  | { readonly kind: "refund"; readonly orderNo: string; readonly refundNo: string; readonly refund: Refund };

/** The reply the gateway expects to its notice; `envelope`: the platform's usual response. */
export type NoticeAnswer =
  | { readonly status: number; readonly contentType: string | null; readonly body: string }
  | "envelope";

/** A payment or refund in a day's statement. A refund's `orderNo` is the refunded order's. */
export type StatementRow = {
  readonly orderNo: string;
  readonly tradeNo: string | null;
  readonly amountFen: number;
  readonly at: Date;
} & ({ readonly kind: "payment" } | { readonly kind: "refund"; readonly refundNo: string });

/** `notReady`: not available yet; a day without trades is ready, without rows. */
export type Statement =
  | { readonly state: "ready"; readonly rows: readonly StatementRow[] }
  | { readonly state: "notReady" };

/** Calls return within `PAY_TIMEOUT_MS` and throw only GatewayError. They must not be made within a transaction. */
export interface Gateway {
  readonly name: GatewayName;
  /** Supported payment methods, the usual one first. */
  readonly kinds: readonly [PayAnswer["kind"], ...PayAnswer["kind"][]];
  /** May be repeated for the same order and amount. */
  pay(request: PayRequest): Promise<PayAnswer>;
  query(order: OrderReference): Promise<Payment>;
  /** Undefined if the gateway only closes at `expiresAt`. */
  close?(order: OrderReference): Promise<Closing>;
  refund(request: RefundRequest): Promise<Refund>;
  queryRefund(refund: RefundReference): Promise<Refund>;
  /** Whether an `absent` refund may exist without being shown. */
  readonly hidesRefunds?: true;
  /** @throws NoticeRefusal unless the message is signed, fresh and for this merchant */
  verifyNotice(raw: RawNotice): Promise<Notice>;
  /** @param failure reason for refusing, for the gateway's log; absent: accepted */
  answerNotice(failure?: string): NoticeAnswer;
  /** The complete statement or an error. @param date `yyyy-MM-dd` in Asia/Shanghai */
  fetchStatement(date: string): Promise<Statement>;
}

/** The message names the gateway and the event; it never contains an address, a secret or request data. */
export class GatewayError extends Error {
  /**
   * `refused`: the gateway declined without effect, and would decline again. `unknown`: time-out, or a missing,
   * incomplete or untrusted response; the call may have taken effect, so query before deciding.
   */
  readonly failure: "refused" | "unknown";
  /** The gateway's error code, such as `PARAM_ERROR`. */
  readonly code: string | undefined;

  constructor(gateway: GatewayName, failure: GatewayError["failure"], reason: string, code?: string) {
    super(`${gateway}: ${reason}${code === undefined ? "" : ` (${code})`}`);
    this.name = "GatewayError";
    this.failure = failure;
    this.code = code;
  }
}

/** The response does not match the request, so the call may have taken effect. */
export const unbelievable = (gateway: GatewayName, reason: string): GatewayError =>
  new GatewayError(gateway, "unknown", reason);

/** Parses a response; one that is signed but invalid leaves the outcome unknown. @throws GatewayError */
export function believe<T>(gateway: GatewayName, read: () => T, what = "an answer"): T {
  try {
    return read();
  } catch {
    throw unbelievable(gateway, `${what} that is not of the protocol`);
  }
}

/** A notice that was rejected. The message states why, without quoting the notice. */
export class NoticeRefusal extends Error {
  /**
   * `signature`: missing, wrong or with an unknown key. `stale`: signed too long ago or in the future. `merchant`: for
   * another merchant. `malformed`: unreadable.
   */
  readonly fault: "signature" | "stale" | "merchant" | "malformed";

  constructor(gateway: GatewayName, fault: NoticeRefusal["fault"], reason: string) {
    super(`${gateway}: ${reason}`);
    this.name = "NoticeRefusal";
    this.fault = fault;
  }
}

/** Parses a notice. @throws NoticeRefusal `malformed` unless refused otherwise */
export function believeNotice<T>(gateway: GatewayName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof NoticeRefusal) throw error;
    throw new NoticeRefusal(gateway, "malformed", "a notice that is not of the protocol");
  }
}
