import type { PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import type { PaymentBooks } from "./payment-books.ts";
import type { Forgery, NoticeSender, SentNotice } from "./payment-notices.ts";
import type { PaymentServer } from "./payment-server.ts";

/** A payment platform on a local socket, which signs, verifies and keeps its own books. */
export interface PaymentStandIn extends PaymentServer {
  /** Settings that make it the gateway, besides PUBLIC_URL. */
  readonly settings: Readonly<Record<string, string>>;
  readonly books: PaymentBooks;
  readonly notices: NoticeSender;
  /** The forgeries that the protocol can detect. */
  readonly forgeries: readonly Forgery[];
  /** Acts as the payer's page on the answer, and verifies it with the merchant's key. @throws when it is invalid */
  visit(answer: PayAnswer): Promise<void>;
  /** The payer pays, possibly another amount, and notifications are sent as planned. */
  pay(orderNo: string, amountFen?: number): void | Promise<void>;
  makeNotice(orderNo: string, forgery?: Forgery): SentNotice;
  readonly refundCall: RegExp;
  readonly billCall: RegExp;
  /** Sets its clock's offset, in milliseconds. */
  shiftClock(ms: number): void;
}

export interface PaymentStandInOptions {
  readonly now?: () => number;
  /** The notification address, if it is configured in the platform's console, as at CCB. */
  readonly notifyUrl?: string;
}
