import type { PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import type { PaymentBooks } from "./payment-books.ts";
import type { Forgery, NoticeSender, SentNotice } from "./payment-notices.ts";
import type { PaymentServer } from "./payment-server.ts";

export interface PaymentStandIn extends PaymentServer {
  readonly settings: Readonly<Record<string, string>>;
  readonly books: PaymentBooks;
  readonly notices: NoticeSender;
  readonly forgeries: readonly Forgery[];
  /**
   * Does with the answer what the payer's page does.
   * @throws {Error} if the platform would refuse the answer
   */
  visit(answer: PayAnswer): Promise<void>;
  pay(orderNo: string, amountFen?: number): void | Promise<void>;
  makeNotice(orderNo: string, forgery?: Forgery): SentNotice;
  readonly refundCall: RegExp;
  readonly billCall: RegExp;
  shiftClock(ms: number): void;
}

export interface PaymentStandInOptions {
  readonly now?: () => number;
  /** Given if the notification address is configured in the payment platform's console, as at CCB. */
  readonly notifyUrl?: string;
}
