// A payment stand-in keeps its books in memory, indexed by number, since a test may make thousands of orders.

export interface BookedRefund {
  readonly refundNo: string;
  readonly refundTradeNo: string;
  readonly amountFen: number;
  readonly atMs: number;
}

export interface BookedOrder {
  readonly orderNo: string;
  readonly tradeNo: string;
  readonly amountFen: number;
  readonly expiresAtMs: number;
  readonly notifyUrl: string;
  state: "pending" | "paid" | "closed";
  paidFen: number;
  paidAtMs: number;
  readonly refunds: Map<string, BookedRefund>;
}

export type RefundFault = "no such order" | "not paid" | "too much" | "another amount";

export interface PaymentBooks {
  readonly orders: Map<string, BookedOrder>;
  /** Amounts that replace those of payments in the day's statement, by order number; null leaves the payment out. */
  readonly statementFen: Map<string, number | null>;
  readonly statementTwice: Set<string>;
  /** Returns false if the order number exists with another amount, or is already paid or closed. */
  open(order: Pick<BookedOrder, "orderNo" | "amountFen" | "expiresAtMs" | "notifyUrl">): boolean;
  /**
   * @param amountFen the amount paid; by default the order's
   * @throws {Error} if the order is unknown, expired, closed or already paid
   */
  pay(orderNo: string, amountFen?: number): BookedOrder;
  refuses: (orderNo: string) => boolean;
  /** A repeated refund number with the same amount refunds only once; with another amount it is a fault. */
  refund(orderNo: string, refundNo: string, amountFen: number): BookedRefund | RefundFault;
  findRefund(refundNo: string): { readonly order: BookedOrder; readonly refund: BookedRefund } | undefined;
  listDay(date: string): BookedRow[];
  sumFen(): number;
}

export type BookedRow =
  | { readonly kind: "payment"; readonly order: BookedOrder; readonly amountFen: number; readonly atMs: number }
  | { readonly kind: "refund"; readonly order: BookedOrder; readonly refund: BookedRefund };

export function openPaymentBooks(now: () => number, prefix: string): PaymentBooks {
  const orders = new Map<string, BookedOrder>();
  const statementFen = new Map<string, number | null>();
  const statementTwice = new Set<string>();
  const refunds = new Map<string, { readonly order: BookedOrder; readonly refund: BookedRefund }>();
  let numbers = 1_000_000;
  const nextNumber = (): string => `${prefix}${++numbers}`;
  const books: PaymentBooks = {
    orders,
    statementFen,
    statementTwice,
    refuses: () => false,
    open(order) {
      const known = orders.get(order.orderNo);
      if (known) return known.state === "pending" && known.amountFen === order.amountFen;
      const fresh = { tradeNo: nextNumber(), state: "pending", paidFen: 0, paidAtMs: 0, refunds: new Map() } as const;
      orders.set(order.orderNo, { ...order, ...fresh });
      return true;
    },
    pay(orderNo, amountFen) {
      const order = orders.get(orderNo);
      if (order?.state !== "pending" || now() > order.expiresAtMs) throw new Error(`${orderNo} cannot be paid`);
      return Object.assign(order, { state: "paid", paidFen: amountFen ?? order.amountFen, paidAtMs: now() });
    },
    refund(orderNo, refundNo, amountFen) {
      const order = orders.get(orderNo);
      if (order && !order.refunds.has(refundNo) && books.refuses(orderNo)) return "too much";
      const done = refund(order, { refundNo, amountFen, atMs: now(), refundTradeNo: nextNumber() });
      if (order && typeof done !== "string") refunds.set(refundNo, { order, refund: done });
      return done;
    },
    findRefund: (refundNo) => refunds.get(refundNo),
    listDay: (date) =>
      [...orders.values()].flatMap((order) => {
        const rows = listRows(order, date, statementFen.get(order.orderNo));
        return statementTwice.has(order.orderNo) ? [...rows, ...rows.filter(({ kind }) => kind === "payment")] : rows;
      }),
    sumFen: () => [...orders.values()].reduce((sum, order) => sum + order.paidFen - sumRefunds(order), 0),
  };
  return books;
}

export function requireBooked({ orders }: Pick<PaymentBooks, "orders">, orderNo: string): BookedOrder {
  const order = orders.get(orderNo);
  if (!order) throw new Error(`${orderNo} is unknown`);
  return order;
}

function refund(order: BookedOrder | undefined, wanted: BookedRefund): BookedRefund | RefundFault {
  if (!order) return "no such order";
  const known = order.refunds.get(wanted.refundNo);
  if (known) return known.amountFen === wanted.amountFen ? known : "another amount";
  if (order.state !== "paid") return "not paid";
  if (sumRefunds(order) + wanted.amountFen > order.paidFen) return "too much";
  order.refunds.set(wanted.refundNo, wanted);
  return wanted;
}

const sumRefunds = ({ refunds }: BookedOrder): number =>
  [...refunds.values()].reduce((sum, { amountFen }) => sum + amountFen, 0);

function listRows(order: BookedOrder, date: string, told: number | null | undefined): BookedRow[] {
  const isOfDay = (atMs: number): boolean => beijingTime(atMs).startsWith(date);
  const amountFen = told === undefined ? order.paidFen : told;
  const payment =
    order.state === "paid" && amountFen !== null && isOfDay(order.paidAtMs)
      ? [{ kind: "payment", order, amountFen, atMs: order.paidAtMs } as const]
      : [];
  const refunds = [...order.refunds.values()].filter(({ atMs }) => isOfDay(atMs));
  return [...payment, ...refunds.map((refund) => ({ kind: "refund", order, refund }) as const)];
}

const beijingOffsetMs = 8 * 3_600_000;

export const beijingTime = (ms: number): string =>
  new Date(ms + beijingOffsetMs).toISOString().slice(0, 19).replace("T", " ");

export const fromBeijingDigits = (digits: string): number =>
  Date.parse(digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, "$1-$2-$3T$4:$5:$6+08:00"));

export const yuanText = (fen: number): string => (fen / 100).toFixed(2);
export const fenOf = (yuan: string): number => Math.round(Number(yuan) * 100);
