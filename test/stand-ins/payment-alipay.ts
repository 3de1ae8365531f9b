import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import iconv from "iconv-lite";
import { buildArchive } from "#test/archive-fixture.ts";
import type { PaymentStandIn, PaymentStandInOptions } from "./payment.ts";
import {
  beijingTime,
  type BookedOrder,
  type BookedRow,
  fenOf,
  fromBeijingDigits,
  openPaymentBooks,
  type PaymentBooks,
  requireBooked,
  yuanText,
} from "./payment-books.ts";
import { alterByte, type Forgery, openNoticeSender, type SentNotice } from "./payment-notices.ts";
import { type PaymentCall, type PaymentReply, startPaymentServer } from "./payment-server.ts";

// A stand-in for Alipay, modelled on recorded messages: a form signed by the merchant, an answer of two parts, one of
// which is signed byte for byte, notifications as a signed form, and a GBK bill in an archive.

const appId = "2021005199606982";
const sellerId = "2088331578818800";

interface Party {
  readonly alipay: KeyObject;
  readonly stranger: KeyObject;
  readonly merchant: KeyObject;
  readonly books: PaymentBooks;
  readonly now: () => number;
  url: string;
}

// The stand-ins of a process share their keys, since making them takes half a second.
const makeKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
type Keys = ReturnType<typeof makeKeys>;
let kept: readonly [Keys, Keys, Keys] | undefined;

export async function startAlipay({ now = Date.now }: PaymentStandInOptions = {}): Promise<PaymentStandIn> {
  let skewMs = 0;
  const clock = (): number => now() + skewMs;
  const [alipay, merchant, stranger] = (kept ??= [makeKeys(), makeKeys(), makeKeys()]);
  const books = openPaymentBooks(clock, "20261124220014");
  const notices = openNoticeSender();
  const keys = { alipay: alipay.privateKey, merchant: merchant.publicKey, stranger: stranger.privateKey };
  const party: Party = { ...keys, books, now: clock, url: "" };
  const server = await startPaymentServer((call) => answer(party, call));
  party.url = server.url;
  const makeNotice = (orderNo: string, forgery?: Forgery): SentNotice =>
    signNotice(party, requireBooked(books, orderNo), forgery);
  return {
    ...server,
    books,
    notices,
    forgeries: ["signature", "merchant", "seller", "currency", "altered", "amount", "tradeNo", "missing"],
    settings: {
      PAY_ALIPAY_APP_ID: appId,
      PAY_ALIPAY_SELLER_ID: sellerId,
      // Alipay's key tool and console show keys as base64 without PEM headers.
      PAY_ALIPAY_PRIVATE_KEY: merchant.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
      PAY_ALIPAY_PUBLIC_KEY: alipay.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
      PAY_ALIPAY_BASE_URL: `${server.url}/gateway.do`,
    },
    async visit(answered) {
      if (answered.kind !== "redirect") throw new Error("no address");
      const reply = await fetch(answered.url);
      if (reply.status !== 200) throw new Error(await reply.text());
    },
    pay(orderNo, amountFen) {
      const order = books.pay(orderNo, amountFen);
      notices.send(orderNo, order.notifyUrl, (forgery) => makeNotice(orderNo, forgery));
    },
    makeNotice,
    refundCall: /method=alipay\.trade\.refund&/,
    billCall: /^\/bill\?/,
    shiftClock: (ms) => void (skewMs = ms),
  };
}

interface Content {
  readonly out_trade_no: string;
  readonly out_request_no: string;
  readonly total_amount: string;
  readonly refund_amount: string;
  readonly time_expire: string;
  readonly product_code: string;
  readonly subject: string;
  readonly bill_date: string;
}

type Said = Readonly<Record<string, unknown>>;

const joinFields = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

function answer(party: Party, { path, query, body }: PaymentCall): PaymentReply {
  if (path === "/bill") return { status: 200, headers: {}, body: packBill(party, query.get("date") ?? "") };
  const { sign: signature = "", ...fields } = Object.fromEntries([...query, ...new URLSearchParams(body.toString())]);
  const { method = "", app_id, biz_content = "{}" } = fields;
  const text = Buffer.from(joinFields(fields));
  const isGood = app_id === appId && verify("sha256", text, party.merchant, Buffer.from(signature, "base64"));
  const content = JSON.parse(biz_content) as Content;
  const page = products[method];
  if (page !== undefined) return openPage(party, isGood && content.product_code === page, content, fields);
  const said = isGood ? route(party, method, content) : refuse("isv.invalid-signature", "40002");
  return { status: 200, headers: { "content-type": "text/html;charset=utf-8" }, body: signAnswer(party, method, said) };
}

const products: Readonly<Record<string, string>> = {
  "alipay.trade.wap.pay": "QUICK_WAP_WAY",
  "alipay.trade.page.pay": "FAST_INSTANT_TRADE_PAY",
};

function openPage(
  { books, now }: Party,
  isGood: boolean,
  content: Content,
  { notify_url: notifyUrl = "" },
): PaymentReply {
  const expiresAtMs = fromBeijingDigits(content.time_expire.replaceAll(/\D/g, ""));
  const order = { orderNo: content.out_trade_no, amountFen: fenOf(content.total_amount), expiresAtMs, notifyUrl };
  const isTaken = isGood && !/[/=&,]/.test(content.subject) && expiresAtMs > now() && books.open(order);
  return { status: isTaken ? 200 : 400, headers: {}, body: Buffer.from("Alipay's page") };
}

/** The signature alternately follows and precedes the response, since recorded answers have it in either place. */
let answers = 0;

function signAnswer({ alipay }: Party, method: string, said: Said): Buffer {
  const text = JSON.stringify(said);
  const part = `"${method.replaceAll(".", "_")}_response":${text}`;
  const signature = `"sign":"${sign("sha256", Buffer.from(text), alipay).toString("base64")}"`;
  return Buffer.from(`{${(++answers % 2 === 0 ? [part, signature] : [signature, part]).join(",")}}`);
}

const refuse = (sub_code: string, code = "40004"): Said => ({
  code,
  msg: "Business Failed",
  sub_code,
  sub_msg: "失败",
});
const agree = (more: Said): Said => ({ code: "10000", msg: "Success", ...more });

function route(party: Party, method: string, content: Content): Said {
  const { books } = party;
  const order = books.orders.get(content.out_trade_no);
  if (method === "alipay.data.dataservice.bill.downloadurl.query") {
    if (books.listDay(content.bill_date).length === 0) return refuse("isp.bill_not_exist");
    return agree({ bill_download_url: `${party.url}/bill?date=${content.bill_date}` });
  }
  if (!order) return refuse("ACQ.TRADE_NOT_EXIST");
  if (method === "alipay.trade.query") return showTrade(order);
  if (method === "alipay.trade.close") return closeTrade(order);
  if (method === "alipay.trade.refund") return refund(party, order, content);
  return showRefund(order, content.out_request_no);
}

const isGivenBack = ({ refunds, paidFen }: BookedOrder): boolean =>
  [...refunds.values()].reduce((sum, { amountFen }) => sum + amountFen, 0) === paidFen;

function stateOf(order: BookedOrder): string {
  if (order.state === "pending") return "WAIT_BUYER_PAY";
  return order.state === "closed" || isGivenBack(order) ? "TRADE_CLOSED" : "TRADE_SUCCESS";
}

const showTrade = (order: BookedOrder): Said =>
  agree({
    buyer_logon_id: "ljf***@sandbox.com",
    buyer_pay_amount: "0.00",
    buyer_user_type: "PRIVATE",
    invoice_amount: "0.00",
    out_trade_no: order.orderNo,
    point_amount: "0.00",
    receipt_amount: "0.00",
    ...(order.state === "paid" ? { send_pay_date: beijingTime(order.paidAtMs) } : {}),
    total_amount: yuanText(order.state === "paid" ? order.paidFen : order.amountFen),
    trade_no: order.tradeNo,
    trade_status: stateOf(order),
  });

function closeTrade(order: BookedOrder): Said {
  if (order.state !== "pending") return refuse("ACQ.TRADE_STATUS_ERROR");
  order.state = "closed";
  return agree({ out_trade_no: order.orderNo, trade_no: order.tradeNo });
}

function refund({ books }: Party, order: BookedOrder, { out_request_no: refundNo, refund_amount }: Content): Said {
  const isNew = !order.refunds.has(refundNo);
  const done = books.refund(order.orderNo, refundNo, fenOf(refund_amount));
  if (done === "not paid") return refuse("ACQ.TRADE_STATUS_ERROR");
  if (typeof done === "string") return refuse("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL");
  const all = [...order.refunds.values()].reduce((sum, { amountFen }) => sum + amountFen, 0);
  return agree({
    buyer_logon_id: "ljf***@sandbox.com",
    fund_change: isNew ? "Y" : "N",
    gmt_refund_pay: beijingTime(done.atMs),
    out_trade_no: order.orderNo,
    refund_fee: yuanText(all),
    send_back_fee: isNew ? yuanText(done.amountFen) : "0.00",
    trade_no: order.tradeNo,
  });
}

/** Alipay answers a query for an unknown refund with success and without refund fields. */
function showRefund(order: BookedOrder, refundNo: string): Said {
  const known = order.refunds.get(refundNo);
  if (!known) return agree({});
  return agree({
    out_request_no: refundNo,
    out_trade_no: order.orderNo,
    refund_amount: yuanText(known.amountFen),
    refund_status: "REFUND_SUCCESS",
    gmt_refund_pay: beijingTime(known.atMs),
    total_amount: yuanText(order.paidFen),
    trade_no: order.tradeNo,
  });
}

function signNotice({ alipay, stranger }: Party, order: BookedOrder, forgery: Forgery | undefined): SentNotice {
  const fields = {
    gmt_create: beijingTime(order.paidAtMs),
    charset: "utf-8",
    subject: "2026 学费、住宿费",
    buyer_id: "2088102534368455",
    invoice_amount: yuanText(order.paidFen),
    notify_id: createHash("md5").update(order.orderNo).digest("hex"),
    fund_bill_list: `[{"amount":"${yuanText(order.paidFen)}","fundChannel":"ALIPAYACCOUNT"}]`,
    notify_type: "trade_status_sync",
    trade_status: "TRADE_SUCCESS",
    app_id: forgery === "merchant" ? "2021005199606983" : appId,
    seller_id: forgery === "seller" ? "2088331578818801" : sellerId,
    gmt_payment: beijingTime(order.paidAtMs),
    notify_time: beijingTime(order.paidAtMs),
    version: "1.0",
    out_trade_no: order.orderNo,
    total_amount: yuanText(order.paidFen),
    trade_no: order.tradeNo,
    auth_app_id: appId,
    ...(forgery === "currency" ? { trans_currency: "USD" } : {}),
  };
  const key = forgery === "signature" ? stranger : alipay;
  const signature = sign("sha256", Buffer.from(joinFields(fields)), key).toString("base64");
  const sent = {
    ...fields,
    sign_type: "RSA2",
    ...(forgery === "missing" ? {} : { sign: signature }),
    ...(forgery === "amount" ? { total_amount: "0.01" } : {}),
    ...(forgery === "tradeNo" ? { trade_no: "2026112422001400000000001" } : {}),
  };
  const body = Buffer.from(new URLSearchParams(sent).toString());
  const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
  return { headers, body: forgery === "altered" ? alterByte(body) : body };
}

const headings =
  "支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,订单金额（元）,商家实收（元）,支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,券名称,商家红包消费金额（元）,卡消费金额（元）,退款批次号/请求号,服务费（元）,分润（元）,备注";
const line = (text: string): string => `#-----------------------------------------${text}`;

function packBill({ books }: Party, date: string): Buffer {
  const rows = books.listDay(date).map(writeRow);
  const text = [
    "#支付宝业务明细查询",
    `#账号：[${sellerId}0156]`,
    `#起始日期：[${date} 00:00:00]   终止日期：[${date} 23:59:59]`,
    line("业务明细列表----------------------------------------"),
    headings,
    ...rows,
    line("业务明细列表结束------------------------------------"),
    `#交易合计：${rows.length}笔，商家实收共0.00元，商家优惠共0.00元`,
    "",
  ].join("\n");
  const summary = ["#支付宝业务汇总查询", "#账号", ""].join("\n");
  return buildArchive([
    { name: `${sellerId}0156_${date}_summary.csv`, content: iconv.encode(summary, "gbk") },
    { name: `${sellerId}0156_${date}.csv`, content: iconv.encode(text, "gbk") },
  ]);
}

function writeRow(row: BookedRow): string {
  const { tradeNo, orderNo, paidAtMs } = row.order;
  const isRefund = row.kind === "refund";
  const [type, atMs] = isRefund ? ["退款", row.refund.atMs] : ["交易", row.atMs];
  const amount = isRefund ? `-${yuanText(row.refund.amountFen)}` : yuanText(row.amountFen);
  const times = [beijingTime(paidAtMs), beijingTime(atMs)];
  const money = [amount, amount, "0.00", "0.00", "0.00", "0.00", "0.00", "", "0.00\t", "0.00"];
  const head = [`${tradeNo}\t`, `${orderNo}\t`, `${type}\t`, "2026 学费、住宿费", ...times, "\t", "\t", "\t", "\t"];
  return [...head, "*水(602***)\t", ...money, isRefund ? row.refund.refundNo : "\t", "0.00", "0.00", ""].join(",");
}
