// What the simulated gateway has written down. It is a bank of its own, so its books outlive the process and are the
// same for every process that serves: who builds it says where they lie.

/** How the gateway behaves for an order: `down`, its query, close and refund fail. */
export type SimulatedResult = "success" | "fail" | "down";

export interface SimulatedTrade {
  readonly orderNo: string;
  /** One order, one number, from its first mention. */
  readonly tradeNo: string;
  /** What the order asked for, and what was paid. */
  readonly orderFen: number;
  readonly amountFen: number;
  readonly state: "pending" | "paid" | "closed";
  /** The last that was asked for; null before any. */
  readonly result: SimulatedResult | null;
  /** Milliseconds since 1970, as all times here: a trade is plain JSON. */
  readonly paidAtMs: number | null;
  /** The amount in the day's statement; null: the trade is not in it. Left out, the amount. */
  readonly statementFen?: number | null;
  readonly returnUrl: string | null;
  readonly refunds: readonly SimulatedRefund[];
}

export interface SimulatedRefund {
  readonly refundNo: string;
  readonly amountFen: number;
  readonly doneAtMs: number;
}

export interface SimulatedBooks {
  /** Signs the notices; the same for good, in every process: notices that were kept stay good. */
  readSecret(): Promise<string>;
  find(orderNo: string): Promise<SimulatedTrade | undefined>;
  /** Writes what `change` makes of the trade, and returns it. Two changes of one order come one after the other. */
  change(orderNo: string, change: (trade: SimulatedTrade | undefined) => SimulatedTrade): Promise<SimulatedTrade>;
  /** The trades paid, or refunded in part, from `startMs` until before `endMs`, oldest payment first. */
  listBetween(startMs: number, endMs: number): Promise<SimulatedTrade[]>;
}
