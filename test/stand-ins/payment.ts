import type { PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import type { PaymentBooks } from "./payment-books.ts";
import type { Forgery, NoticeSender, SentNotice } from "./payment-notices.ts";
import type { PaymentServer } from "./payment-server.ts";

/** A payment platform on a socket of this machine, that signs, verifies and keeps books of its own. */
export interface PaymentStandIn extends PaymentServer {
  /** What to set so that it is the gateway; PUBLIC_URL is to be set beside. */
  readonly settings: Readonly<Record<string, string>>;
  readonly books: PaymentBooks;
  readonly notices: NoticeSender;
  /** Which of them the protocol can tell. */
  readonly forgeries: readonly Forgery[];
  /** Does what the payer's page does with the answer, and holds it against the merchant's key. @throws when it is wrong */
  visit(answer: PayAnswer): Promise<void>;
  /** The payer pays, though perhaps another amount, and notices go out as planned. */
  pay(orderNo: string, amountFen?: number): void | Promise<void>;
  /** The notice of a paid order. */
  makeNotice(orderNo: string, forgery?: Forgery): SentNotice;
  /** Which of the calls asks for a refund. */
  readonly refundCall: RegExp;
  /** Which brings the statement. */
  readonly billCall: RegExp;
  /** How far its clock is off, in milliseconds. */
  shiftClock(ms: number): void;
}

export interface PaymentStandInOptions {
  readonly now?: () => number;
  /** Where notices go when a platform's own console says so, as CCB's does. */
  readonly notifyUrl?: string;
}
