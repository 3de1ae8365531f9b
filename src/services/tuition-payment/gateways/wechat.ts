import * as z from "zod";
import { cutText, toBankTime } from "./exchange.ts";
import {
  type Closing,
  type Gateway,
  GatewayError,
  type OrderReference,
  type PayAnswer,
  type PayRequest,
  type Refund,
  type RefundRequest,
} from "./gateway.ts";
import { makeNonce, openWeChatLine, signLines, type WeChatLine, type WeChatMerchant } from "./wechat-call.ts";
import { fetchWeChatStatement, readRefundOf, readTrade, verifyWeChatNotice } from "./wechat-messages.ts";

const mostDescription = 127;
const mostReason = 80;
// WeChat Pay refuses an order that expires within a minute. An order with less time left gets a later expiry at WeChat
// Pay, and polling closes it in time.
const leastLifeMs = 61_000;

export function createWeChatGateway(merchant: WeChatMerchant): Gateway {
  const line = openWeChatLine(merchant);
  return {
    name: "wechat",
    kinds: merchant.kinds,
    pay: (request) => pay(line, request),
    query: (order) => query(line, order),
    close: (order) => close(line, order),
    refund: (request) => refund(line, request),
    queryRefund: (reference) =>
      orAbsent(["RESOURCE_NOT_EXISTS"], () =>
        line.callFor({ method: "GET", path: `/v3/refund/domestic/refunds/${reference.refundNo}` }, (json) =>
          readRefundOf(reference, json),
        ),
      ),
    verifyNotice: (raw) => verifyWeChatNotice(line, raw),
    answerNotice: (failure) =>
      failure === undefined
        ? { status: 204, contentType: null, body: "" }
        : { status: 400, contentType: "application/json", body: JSON.stringify({ code: "FAIL", message: failure }) },
    fetchStatement: (date) => fetchWeChatStatement(line, date),
  };
}

const answers = {
  jsapi: z.object({ prepay_id: z.string().min(1) }),
  h5: z.object({ h5_url: z.url({ protocol: /^https?$/ }) }),
  native: z.object({ code_url: z.string().regex(/^weixin:\/\//) }),
};

/** Paying one order by two methods may fail, since WeChat Pay may refuse the second method. */
async function pay(line: WeChatLine, request: PayRequest): Promise<PayAnswer> {
  const { kind = line.merchant.kinds[0], openId, payerIp, returnUrl } = request;
  if (kind === "native") {
    const { code_url: qr } = await prepay(line, kind, request, {});
    return { kind, qr };
  }
  if (kind === "h5") {
    const scene_info = { payer_client_ip: payerIp, h5_info: { type: "Wap" } };
    const { h5_url } = await prepay(line, kind, request, { scene_info });
    return { kind, url: `${h5_url}&redirect_url=${encodeURIComponent(returnUrl)}` };
  }
  if (!openId) throw new GatewayError("wechat", "refused", "the payer's openid is missing");
  const { prepay_id } = await prepay(line, "jsapi", request, { payer: { openid: openId } });
  return { kind: "jsapi", jsapi: signPage(line.merchant, prepay_id) };
}

function prepay<K extends keyof typeof answers>(line: WeChatLine, kind: K, request: PayRequest, more: object) {
  const { appId, mchId, clock } = line.merchant;
  const expires = new Date(Math.max(request.expiresAt.getTime(), clock() + leastLifeMs));
  const body = {
    appid: appId,
    mchid: mchId,
    description: cutText(request.description, mostDescription),
    out_trade_no: request.orderNo,
    time_expire: `${toBankTime(expires).replace(" ", "T")}+08:00`,
    notify_url: request.notifyUrl,
    amount: { total: request.amountFen, currency: "CNY" },
    ...more,
  };
  const call = { method: "POST", path: `/v3/pay/transactions/${kind}`, body } as const;
  return line.callFor(call, (json) => answers[kind].parse(json) as z.output<(typeof answers)[K]>);
}

function signPage({ appId, merchantKey, clock }: WeChatMerchant, prepayId: string) {
  const timeStamp = String(Math.floor(clock() / 1000));
  const nonceStr = makeNonce();
  const packed = `prepay_id=${prepayId}`;
  const paySign = signLines(merchantKey, appId, timeStamp, nonceStr, packed);
  return { appId, timeStamp, nonceStr, package: packed, signType: "RSA", paySign };
}

const orderPath = ({ orderNo }: OrderReference): string => `/v3/pay/transactions/out-trade-no/${orderNo}`;

const query = (line: WeChatLine, order: OrderReference) =>
  orAbsent(["ORDER_NOT_EXIST", "ORDERNOTEXIST"], () =>
    line.callFor({ method: "GET", path: orderPath(order), query: { mchid: line.merchant.mchId } }, (json) => {
      const read = readTrade(json, line.merchant);
      if (read?.orderNo !== order.orderNo) throw new RangeError("the response is about another order");
      return read.payment;
    }),
  );

async function close(line: WeChatLine, order: OrderReference): Promise<Closing> {
  const body = { mchid: line.merchant.mchId };
  try {
    await line.call({ method: "POST", path: `${orderPath(order)}/close`, body });
    return "closed";
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : undefined;
    if (code === "ORDER_CLOSED" || code === "ORDERCLOSED") return "closed";
    if (code === "ORDER_PAID" || code === "ORDERPAID") return "paid";
    if (code === "ORDER_NOT_EXIST" || code === "ORDERNOTEXIST") return "absent";
    throw error;
  }
}

async function refund(line: WeChatLine, request: RefundRequest): Promise<Refund> {
  const body = {
    out_trade_no: request.order.orderNo,
    out_refund_no: request.refundNo,
    reason: cutText(request.reason, mostReason),
    notify_url: request.notifyUrl,
    amount: { refund: request.amountFen, total: request.order.amountFen, currency: "CNY" },
  };
  const call = { method: "POST", path: "/v3/refund/domestic/refunds", body } as const;
  return line.callFor(call, (json) => readRefundOf(request, json));
}

async function orAbsent<T>(codes: readonly string[], ask: () => Promise<T>): Promise<T | { state: "absent" }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatewayError && error.code !== undefined && codes.includes(error.code))
      return { state: "absent" };
    throw error;
  }
}
