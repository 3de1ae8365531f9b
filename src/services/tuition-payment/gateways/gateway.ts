// What the service asks of whoever takes the money, and all that it knows of them. A gateway keeps nothing and decides
// nothing about orders: it speaks its protocol, believes only what is signed, and says what the other side has said.
// Amounts are whole fen, times are instants, and an outcome is one of a few.

export const gatewayNames = ["ccb", "abc", "wechat", "alipay", "simulated"] as const;
export type GatewayName = (typeof gatewayNames)[number];

/** An order as every call after the first needs it. */
export interface OrderReference {
  /** 6 to 30 of 0-9A-Za-z, the same at the gateway. */
  readonly orderNo: string;
  /** The whole order's; for a refund, what was paid for it. */
  readonly amountFen: number;
  readonly createdAt: Date;
}

export interface PayRequest extends OrderReference {
  /** For the payer's eyes, any length: each gateway cuts it to its own. */
  readonly description: string;
  /** After which the gateway takes no payment, where it can be told. */
  readonly expiresAt: Date;
  /** Whole addresses, where the gateway's notices and the payer's browser come back to. */
  readonly notifyUrl: string;
  readonly returnUrl: string;
  /** How it is to be begun, where the gateway has several ways; left out, its first. */
  readonly kind?: PayAnswer["kind"] | undefined;
  /** On what the payer goes on to pay. */
  readonly device: "phone" | "desk";
  /** Where the payer's browser is, for those who ask for it. */
  readonly payerIp: string;
  /** The payer in the messaging platform, without whom there is no `jsapi`. */
  readonly openId?: string | undefined;
}

/** What the page needs to go on to the payment. */
export type PayAnswer =
  | { readonly kind: "form"; readonly form: { readonly action: string; readonly fields: Record<string, string> } }
  | { readonly kind: "redirect"; readonly url: string }
  /** To the messaging app, from another browser of the phone; the address is good for five minutes. */
  | { readonly kind: "h5"; readonly url: string }
  /** The text of a code that the messaging app scans. */
  | { readonly kind: "native"; readonly qr: string }
  | {
      readonly kind: "jsapi";
      readonly jsapi: Record<"appId" | "timeStamp" | "nonceStr" | "package" | "signType" | "paySign", string>;
    };

/**
 * What the gateway knows of an order. `paid`: the money came, whatever was refunded since; the amount is what it says,
 * to be compared with the order's. `pending`: not paid, and may be yet; a failed attempt is that too. `closed`: cannot be
 * paid any more. `absent`: it knows no such order, so no money came so far.
 */
export type Payment = Paid | { readonly state: "pending" | "closed" | "absent" };

export interface Paid {
  readonly state: "paid";
  readonly amountFen: number;
  /** The gateway's own number; null where this message does not carry it: `ccb` knows payments by the order's alone. */
  readonly tradeNo: string | null;
  /** Where a notice does not say, when it came. */
  readonly paidAt: Date;
}

/** `paid`: it was too late to close. `absent`: there was nothing to close. After each, the order is asked about again. */
export type Closing = "closed" | "paid" | "absent";

export interface RefundReference {
  readonly order: OrderReference;
  /** 6 to 30 of 0-9A-Za-z; the same on every retry: a gateway refunds one number once. */
  readonly refundNo: string;
  readonly amountFen: number;
  readonly requestedAt: Date;
}

export interface RefundRequest extends RefundReference {
  readonly reason: string;
  readonly notifyUrl: string;
}

/**
 * `running`: accepted, its outcome comes by notice or query. `failed`: for good, and nothing of it has happened; it needs
 * a person, and another number.
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

/** A message as it arrived: nothing of it has been parsed or changed. Header names in small letters. */
export interface RawNotice {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A message that the gateway has signed. Its amount is what was signed: the caller compares it with the order's. */
export type Notice =
  | { readonly kind: "payment"; readonly orderNo: string; readonly payment: Payment }
  | { readonly kind: "refund"; readonly orderNo: string; readonly refundNo: string; readonly refund: Refund };

/** What the gateway expects to read when its notice was taken, or not; `envelope`: the service's own answer. */
export type NoticeAnswer =
  | { readonly status: number; readonly contentType: string | null; readonly body: string }
  | "envelope";

/** One payment or refund in a day's statement. `orderNo` of a refund is the order that it gives back. */
export type StatementRow = {
  readonly orderNo: string;
  readonly tradeNo: string | null;
  readonly amountFen: number;
  readonly at: Date;
} & ({ readonly kind: "payment" } | { readonly kind: "refund"; readonly refundNo: string });

/** `notReady`: the gateway has not made it yet; a day without trades is ready, without rows. */
export type Statement =
  | { readonly state: "ready"; readonly rows: readonly StatementRow[] }
  | { readonly state: "notReady" };

/** All calls end within `PAY_TIMEOUT_MS` and throw GatewayError, and nothing else. Never to be called inside a transaction. */
export interface Gateway {
  readonly name: GatewayName;
  /** In which ways a payment may be begun, the usual one first. */
  readonly kinds: readonly [PayAnswer["kind"], ...PayAnswer["kind"][]];
  /** May be called again for the same order with the same amount. */
  pay(request: PayRequest): Promise<PayAnswer>;
  query(order: OrderReference): Promise<Payment>;
  /** Absent where the gateway closes by itself at `expiresAt` only. */
  close?(order: OrderReference): Promise<Closing>;
  refund(request: RefundRequest): Promise<Refund>;
  queryRefund(refund: RefundReference): Promise<Refund>;
  /** Its `absent` of a refund may be one that it has and does not show. */
  readonly hidesRefunds?: true;
  /** @throws NoticeRefusal for whatever is not signed, not fresh or not for this merchant. */
  verifyNotice(raw: RawNotice): Promise<Notice>;
  /** @param failure why it was not taken, for the gateway's log; left out, it was. */
  answerNotice(failure?: string): NoticeAnswer;
  /** All or nothing. @param date `yyyy-MM-dd` in the gateway's time zone, which is Asia/Shanghai */
  fetchStatement(date: string): Promise<Statement>;
}

/** The message names the gateway and what happened; never an address, a secret or what was sent. */
export class GatewayError extends Error {
  /**
   * `refused`: the gateway itself has said no, nothing has changed there, and the same call will be refused again.
   * `unknown`: time-out, half an answer, none, or one that cannot be believed: it may have happened. Ask before deciding.
   */
  readonly failure: "refused" | "unknown";
  /** The gateway's own code, such as `PARAM_ERROR`. */
  readonly code: string | undefined;

  constructor(gateway: GatewayName, failure: GatewayError["failure"], reason: string, code?: string) {
    super(`${gateway}: ${reason}${code === undefined ? "" : ` (${code})`}`);
    this.name = "GatewayError";
    this.failure = failure;
    this.code = code;
  }
}

/** What came is no answer to what was asked: it may have happened all the same. */
export const unbelievable = (gateway: GatewayName, reason: string): GatewayError =>
  new GatewayError(gateway, "unknown", reason);

/** Reads an answer: what is signed and still not of the protocol says nothing of what has happened. @throws GatewayError */
export function believe<T>(gateway: GatewayName, read: () => T, what = "an answer"): T {
  try {
    return read();
  } catch {
    throw unbelievable(gateway, `${what} that is not of the protocol`);
  }
}

/** A notice that must not be believed. The message says why, and repeats nothing of it. */
export class NoticeRefusal extends Error {
  /**
   * `signature`: missing, wrong, or by a key that nobody knows. `stale`: signed, but too long ago or in the future.
   * `merchant`: signed, but for somebody else. `malformed`: signed or not, it cannot be read.
   */
  readonly fault: "signature" | "stale" | "merchant" | "malformed";

  constructor(gateway: GatewayName, fault: NoticeRefusal["fault"], reason: string) {
    super(`${gateway}: ${reason}`);
    this.name = "NoticeRefusal";
    this.fault = fault;
  }
}

/** Reads a notice. @throws NoticeRefusal `malformed` for whatever is not refused otherwise. */
export function believeNotice<T>(gateway: GatewayName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof NoticeRefusal) throw error;
    throw new NoticeRefusal(gateway, "malformed", "a notice that is not of the protocol");
  }
}
