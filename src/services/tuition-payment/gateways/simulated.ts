import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { parseYuan, toFen, toYuan } from "#services/tuition-payment/amounts.ts";
import { toBankTime } from "./exchange.ts";
import {
  believeNotice,
  type Closing,
  type Gateway,
  GatewayError,
  type Notice,
  NoticeRefusal,
  type OrderReference,
  type Payment,
  type PayRequest,
  type RawNotice,
  type Refund,
  type RefundRequest,
  type Statement,
} from "./gateway.ts";
import type { SimulatedBooks, SimulatedRefund, SimulatedResult, SimulatedTrade } from "./simulated-page.ts";

export interface SimulatedAct {
  readonly result: SimulatedResult;
  readonly amountFen?: number | undefined;
  readonly statementFen?: number | null | undefined;
}

export interface SimulatedGateway extends Gateway {
  /**
   * Simulates a payment that succeeds or fails. A closed order may still be paid, and a paid order stays paid.
   * @returns the signed notice; null if the result is "down", or if the order is unknown and `act` has no amount
   */
  act(orderNo: string, act: SimulatedAct): Promise<SimulatedNotice | null>;
  find(orderNo: string): Promise<SimulatedTrade | undefined>;
}

export const createSimulatedGateway = (
  books: SimulatedBooks,
  clock: Clock,
  toPageUrl: (orderNo: string) => string,
): SimulatedGateway => ({
  name: "simulated",
  kinds: ["redirect"],
  find: (orderNo) => books.find(orderNo),
  pay: async (request) => {
    await pay(books, request);
    return { kind: "redirect", url: toPageUrl(request.orderNo) };
  },
  query: async ({ orderNo }) => toPayment(requireUp(await books.find(orderNo))),
  close: (order) => close(books, order),
  refund: (request) => refund(books, request, clock()),
  queryRefund: async ({ order, refundNo }) =>
    toRefund(requireUp(await books.find(order.orderNo))?.refunds.find((known) => known.refundNo === refundNo)),
  verifyNotice: async (raw) => readNotice(raw, await books.readSecret(), new Date(clock())),
  answerNotice: () => "envelope",
  fetchStatement: (date) => fetchStatement(books, date),
  act: (orderNo, act) => play(books, orderNo, act, clock()),
});

function requireUp<T extends SimulatedTrade | undefined>(trade: T): T {
  if (trade?.result === "down") throw new GatewayError("simulated", "unknown", "the simulated gateway is unavailable");
  return trade;
}

const pay = (books: SimulatedBooks, { orderNo, amountFen, returnUrl }: PayRequest): Promise<SimulatedTrade> =>
  books.change(orderNo, (trade) => {
    if (trade && trade.returnUrl !== null && trade.orderFen !== amountFen)
      throw new GatewayError(
        "simulated",
        "refused",
        "the order already exists with a different amount",
        "AMOUNT_CHANGED",
      );
    return { ...(trade ?? openTrade(orderNo, amountFen)), orderFen: amountFen, returnUrl };
  });

const openTrade = (orderNo: string, amountFen: number): SimulatedTrade => ({
  orderNo,
  tradeNo: `SIM${Array.from({ length: 18 }, () => randomInt(10)).join("")}`,
  orderFen: amountFen,
  amountFen,
  state: "pending",
  result: null,
  paidAtMs: null,
  returnUrl: null,
  refunds: [],
});

function toPayment(trade: SimulatedTrade | undefined): Payment {
  if (!trade) return { state: "absent" };
  if (trade.state !== "paid") return { state: trade.state };
  const { amountFen, tradeNo, paidAtMs } = trade;
  return { state: "paid", amountFen, tradeNo, paidAt: new Date(paidAtMs ?? 0) };
}

async function close(books: SimulatedBooks, { orderNo }: OrderReference): Promise<Closing> {
  if (!requireUp(await books.find(orderNo))) return "absent";
  const { state } = await books.change(orderNo, (trade) => {
    const present = requireUp(trade ?? openTrade(orderNo, 0));
    return present.state === "pending" ? { ...present, state: "closed" } : present;
  });
  return state === "paid" ? "paid" : "closed";
}

async function refund(
  books: SimulatedBooks,
  { order, refundNo, amountFen }: RefundRequest,
  nowMs: number,
): Promise<Refund> {
  if (!(await books.find(order.orderNo)))
    throw new GatewayError("simulated", "refused", "the order does not exist", "ABSENT");
  const trade = await books.change(order.orderNo, (present) => {
    const known = requireUp(present);
    if (known?.state !== "paid") throw new GatewayError("simulated", "refused", "the order is not paid", "NOT_PAID");
    if (known.result === "fail" && !known.refunds.some((each) => each.refundNo === refundNo))
      throw new GatewayError("simulated", "refused", "the refund was rejected", "FAILED");
    return addRefund(known, { refundNo, amountFen, doneAtMs: nowMs });
  });
  return toRefund(trade.refunds.find((known) => known.refundNo === refundNo));
}

function addRefund(trade: SimulatedTrade, refund: SimulatedRefund): SimulatedTrade {
  const known = trade.refunds.find(({ refundNo }) => refundNo === refund.refundNo);
  if (known && known.amountFen !== refund.amountFen)
    throw new GatewayError(
      "simulated",
      "refused",
      "the refund already exists with a different amount",
      "AMOUNT_CHANGED",
    );
  if (known) return trade;
  const refunds = [...trade.refunds, refund];
  if (refunds.reduce((sum, { amountFen }) => sum + amountFen, 0) > trade.amountFen)
    throw new GatewayError("simulated", "refused", "the refunds exceed the amount paid", "TOO_MUCH");
  return { ...trade, refunds };
}

const toRefund = (known: SimulatedRefund | undefined): Refund =>
  known
    ? { state: "done", amountFen: known.amountFen, refundTradeNo: known.refundNo, doneAt: new Date(known.doneAtMs) }
    : { state: "absent" };

async function play(
  books: SimulatedBooks,
  orderNo: string,
  { result, amountFen, statementFen }: SimulatedAct,
  nowMs: number,
): Promise<SimulatedNotice | null> {
  if (amountFen === undefined && !(await books.find(orderNo))) return null;
  const { tradeNo, orderFen } = await books.change(orderNo, (present) => {
    const { statementFen: _earlier, ...trade } = present ?? openTrade(orderNo, amountFen ?? 0);
    const noted = { ...trade, ...(statementFen === undefined ? {} : { statementFen }), result };
    if (result !== "success") return noted;
    return { ...noted, state: "paid", amountFen: amountFen ?? trade.orderFen, paidAtMs: trade.paidAtMs ?? nowMs };
  });
  if (result === "down") return null;
  const said = { orderNo, tradeNo, amount: toYuan(amountFen ?? orderFen), result };
  return { ...said, sign: sign(await books.readSecret(), said) };
}

const sign = (secret: string, { orderNo, tradeNo, amount, result }: Omit<SimulatedNotice, "sign">): string =>
  createHmac("sha256", secret)
    .update([orderNo, tradeNo, toFen(amount), result].join("\n"))
    .digest("hex");

const noticed = z.object({
  orderNo: z.string().regex(/^[0-9A-Za-z]{6,30}$/),
  tradeNo: z.string().regex(/^\w{1,40}$/),
  amount: z.number().refine((yuan) => parseYuan(String(yuan)) !== undefined),
  result: z.enum(["success", "fail"]),
  sign: z.string().catch(""),
});
export type SimulatedNotice = z.output<typeof noticed>;

const readNotice = ({ body }: RawNotice, secret: string, now: Date): Notice =>
  believeNotice("simulated", () => {
    const said = noticed.parse(JSON.parse(body.toString()));
    const wanted = Buffer.from(sign(secret, said));
    const given = Buffer.from(said.sign);
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given))
      throw new NoticeRefusal("simulated", "signature", "the signature is invalid");
    const { orderNo, tradeNo } = said;
    const payment = { state: "paid", amountFen: toFen(said.amount), tradeNo, paidAt: now } as const;
    return { kind: "payment", orderNo, payment: said.result === "success" ? payment : { state: "pending" } };
  });

const dayMs = 86_400_000;

async function fetchStatement(books: SimulatedBooks, date: string): Promise<Statement> {
  const startMs = Temporal.PlainDate.from(date).toZonedDateTime("Asia/Shanghai").epochMilliseconds;
  const trades = await books.listBetween(startMs, startMs + dayMs);
  const isOfDay = (ms: number | null): ms is number => ms !== null && toBankTime(new Date(ms)).startsWith(date);
  const rows = trades.flatMap(({ orderNo, tradeNo, amountFen, statementFen = amountFen, paidAtMs, refunds }) => [
    ...(statementFen !== null && isOfDay(paidAtMs)
      ? [{ kind: "payment", orderNo, tradeNo, amountFen: statementFen, at: new Date(paidAtMs) } as const]
      : []),
    ...refunds
      .filter(({ doneAtMs }) => isOfDay(doneAtMs))
      .map(
        ({ doneAtMs, ...refund }) => ({ kind: "refund", orderNo, tradeNo, ...refund, at: new Date(doneAtMs) }) as const,
      ),
  ]);
  return { state: "ready", rows };
}
