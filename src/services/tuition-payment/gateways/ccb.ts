import type { KeyObject } from "node:crypto";
import type { Clock } from "#platform/contract/clock.ts";
import { callCcb, type CcbClient, readSignedFields, sealForm } from "./ccb-client.ts";
import { listCcbDay, queryCcb, queryCcbRefund } from "./ccb-queries.ts";
import { answerBank, fromBankYuan, refundOnce, toBankTime, toBankYuan } from "./exchange.ts";
import {
  type CallOptions,
  type Gateway,
  type Notice,
  NoticeRefusal,
  type PayRequest,
  type RawNotice,
  type Refund,
  type RefundRequest,
} from "./gateway.ts";

export interface CcbMerchant {
  readonly merchantId: string;
  readonly posId: string;
  readonly branchId: string;
  readonly publicKeyHex: string;
  readonly publicKey: KeyObject;
  readonly pageUrl: string;
  readonly client: CcbClient;
  readonly clock: Clock;
}

const yuanCurrency = "01";
const payCode = "520100";
const refundCode = "5W1004";

/** The first bank: a form that the payer's browser takes to the bank's page. Where notices go is set in its console. */
export function createCcbGateway(merchant: CcbMerchant): Gateway {
  const { client, clock } = merchant;
  const queryRefund: Gateway["queryRefund"] = (reference, options) =>
    queryCcbRefund(client, reference, clock(), options);
  return {
    name: "ccb",
    kind: "form",
    pay: async (request) => ({ kind: "form", form: { action: merchant.pageUrl, fields: toForm(merchant, request) } }),
    query: (order, options) => queryCcb(client, order, clock(), options),
    refund: (request, options) => refundOnce(queryRefund, () => refund(merchant, request, options), request, options),
    queryRefund,
    verifyNotice: async (raw) => readNotice(merchant, raw),
    answerNotice: answerBank,
    fetchStatement: async (date, options) => ({ state: "ready", rows: await listCcbDay(client, date, options) }),
  };
}

/** The bank closes the order at TIMEOUT by itself: it has no other way. */
function toForm({ merchantId, posId, branchId, publicKeyHex }: CcbMerchant, request: PayRequest) {
  const fields = {
    MERCHANTID: merchantId,
    POSID: posId,
    BRANCHID: branchId,
    ORDERID: request.orderNo,
    PAYMENT: toBankYuan(request.amountFen),
    CURCODE: yuanCurrency,
    TXCODE: payCode,
    REMARK1: "",
    REMARK2: "",
    TYPE: "1",
    GATEWAY: "",
    CLIENTIP: "",
    REGINFO: "",
    PROINFO: "",
    REFERER: "",
    TIMEOUT: toBankTime(request.expiresAt).replaceAll(/\D/g, ""),
  };
  return { ...fields, MAC: sealForm(fields, publicKeyHex) };
}

async function refund(
  { client, clock }: CcbMerchant,
  request: RefundRequest,
  options: CallOptions | undefined,
): Promise<Refund> {
  const info = {
    MONEY: toBankYuan(request.amountFen),
    ORDER: request.order.orderNo,
    REFUND_CODE: request.refundNo,
  };
  await callCcb(client, refundCode, info, options);
  return { state: "done", amountFen: request.amountFen, refundTradeNo: null, doneAt: new Date(clock()) };
}

function readNotice(merchant: CcbMerchant, { body }: RawNotice): Notice {
  const fields = readSignedFields(body.toString("latin1"), merchant.publicKey);
  if (!fields) throw refuse("signature", "a wrong signature, or none");
  const field = (name: string): string => fields.get(name) ?? "";
  if (field("POSID") !== merchant.posId || field("BRANCHID") !== merchant.branchId)
    throw refuse("merchant", "another counter's");
  try {
    return toNotice(field, new Date(merchant.clock()));
  } catch {
    throw refuse("malformed", "a notice that is not of the protocol");
  }
}

/** It names a day, no time: the moment of its arrival is closer. */
function toNotice(field: (name: string) => string, now: Date): Notice {
  const [orderNo, success] = [field("ORDERID"), field("SUCCESS")];
  if (orderNo === "" || field("CURCODE") !== yuanCurrency || !/^[YN]$/.test(success)) throw new RangeError("no notice");
  const amountFen = fromBankYuan(field("PAYMENT"));
  const payment = { state: "paid", amountFen, tradeNo: null, paidAt: now } as const;
  return { kind: "payment", orderNo, payment: success === "Y" ? payment : { state: "pending" } };
}

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("ccb", fault, reason);
