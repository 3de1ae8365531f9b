import { type KeyObject, sign, verify } from "node:crypto";
import iconv from "iconv-lite";
import { openCertificates, type SigningCertificate } from "#test/certificate.ts";
import type { PaymentStandIn, PaymentStandInOptions } from "./payment.ts";
import {
  beijingTime,
  type BookedOrder,
  fenOf,
  fromBeijingDigits,
  openPaymentBooks,
  requireBooked,
  type PaymentBooks,
  yuanText,
} from "./payment-books.ts";
import { alterByte, type Forgery, openNoticeSender, type SentNotice } from "./payment-notices.ts";
import { type PaymentCall, type PaymentReply, startPaymentServer } from "./payment-server.ts";

// A stand-in for ABC's TrustPay, modelled on recorded messages: JSON that both sides sign, notifications as signed XML
// in a form, and a statement as plain text in an answer. Answers have a TrxResponse section, except that to a payment
// request.

const merchantId = "103882200000958";

interface Party {
  readonly bank: SigningCertificate;
  readonly merchant: SigningCertificate;
  readonly stranger: SigningCertificate;
  readonly books: PaymentBooks;
  readonly now: () => number;
  url: string;
}

export async function startAbc({ now = Date.now }: PaymentStandInOptions = {}): Promise<PaymentStandIn> {
  let skewMs = 0;
  const clock = (): number => now() + skewMs;
  const [bank, merchant, stranger] = await openCertificates("1A2B3C4D", "1A2B3C4E", "1A2B3C4F");
  const books = openPaymentBooks(clock, "3B4A");
  const notices = openNoticeSender();
  const party: Party = { bank, merchant, stranger, books, now: clock, url: "" };
  const server = await startPaymentServer((call) => answer(party, call));
  party.url = server.url;
  const makeNotice = (orderNo: string, forgery?: Forgery): SentNotice =>
    signNotice(party, requireBooked(books, orderNo), forgery);
  return {
    ...server,
    books,
    notices,
    forgeries: ["signature", "merchant", "altered", "amount", "tradeNo", "missing"],
    settings: {
      PAY_ABC_MERCHANT_ID: merchantId,
      PAY_ABC_PRIVATE_KEY: merchant.privateKey.export({ type: "pkcs8", format: "pem" }),
      PAY_ABC_CERTIFICATE: bank.cert,
      PAY_ABC_BASE_URL: server.url,
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
    refundCall: /"TrxType":"Refund"/,
    billCall: /"TrxType":"Settle"/,
    shiftClock: (ms) => void (skewMs = ms),
  };
}

/** Signs a message of the bank, which encodes texts in GB18030. */
export function signEnvelope(message: object, key: KeyObject): Buffer {
  const text = iconv.encode(JSON.stringify({ Version: "V3.0.0", Format: "JSON", ...message }), "gb18030");
  const signature = sign("sha1", text, key).toString("base64");
  const tail = `,"Signature-Algorithm":"SHA1withRSA","Signature":"${signature}"}}`;
  return Buffer.concat([Buffer.from('{"MSG":{"Message":'), text, Buffer.from(tail)]);
}

interface Request {
  readonly TrxType: string;
  readonly OrderNo: string;
  readonly NewOrderNo: string;
  readonly TrxAmount: string;
  readonly PayTypeID: string;
  readonly SettleDate: string;
  readonly ResultNotifyURL: string;
  readonly Order: { readonly OrderNo: string; readonly OrderAmount: string; readonly orderTimeoutDate: string };
}

function answer(party: Party, { path, query, body }: PaymentCall): PaymentReply {
  if (path === "/pay")
    return {
      status: party.books.orders.has(query.get("TOKEN") ?? "") ? 200 : 404,
      headers: {},
      body: Buffer.from("the bank's page"),
    };
  const request = verifyRequest(party, body);
  const said = request ? route(party, request) : { ReturnCode: "2302" };
  const response = { ReturnCode: "0000", ErrorMessage: "交易成功", TrxType: request?.TrxType ?? "", ...said };
  const message = {
    Merchant: { ECMerchantType: "EBUS", MerchantID: merchantId },
    ...(request?.TrxType === "PayReq" ? response : { TrxResponse: response }),
  };
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=gb18030" },
    body: signEnvelope(message, party.bank.privateKey),
  };
}

function verifyRequest({ merchant }: Party, body: Buffer): Request | undefined {
  const text = body.toString();
  const end = text.lastIndexOf(',"Signature-Algorithm":"SHA1withRSA","Signature":"');
  const message = text.slice('{"Message":'.length, end);
  const signature = Buffer.from(/"Signature":"([^"]+)"\}$/.exec(text)?.[1] ?? "", "base64");
  if (end === -1 || !verify("sha1", Buffer.from(message), merchant.publicKey, signature)) return undefined;
  const { Merchant: party, TrxRequest: request } = JSON.parse(message) as {
    Merchant: { MerchantID: string };
    TrxRequest: Request;
  };
  return party.MerchantID === merchantId ? request : undefined;
}

function route(party: Party, request: Request): object {
  if (request.TrxType === "PayReq") return prepare(party, request);
  if (request.TrxType === "Refund") return refund(party, request);
  if (request.TrxType === "Settle") return settle(party, request.SettleDate);
  const found = request.PayTypeID === "Refund" ? findRefund(party, request.OrderNo) : findOrder(party, request.OrderNo);
  return found ? { Order: Buffer.from(JSON.stringify(found)).toString("base64") } : {};
}

function prepare({ books, url, now }: Party, { Order: wanted, ResultNotifyURL: notifyUrl }: Request): object {
  const { OrderNo: orderNo } = wanted;
  const expiresAtMs = fromBeijingDigits(wanted.orderTimeoutDate);
  const isTaken =
    expiresAtMs > now() && books.open({ orderNo, amountFen: fenOf(wanted.OrderAmount), expiresAtMs, notifyUrl });
  return isTaken ? { OrderNo: orderNo, PaymentURL: `${url}/pay?TOKEN=${orderNo}` } : { ReturnCode: "2301" };
}

const toHost = (ms: number) => {
  const [HostDate, HostTime] = beijingTime(ms).replaceAll("-", "/").split(" ");
  return { HostDate, HostTime };
};

function findOrder({ books, now }: Party, orderNo: string): object | undefined {
  const order = books.orders.get(orderNo);
  if (!order) return undefined;
  if (order.state !== "paid")
    return {
      OrderNo: orderNo,
      OrderAmount: yuanText(order.amountFen),
      Status: now() > order.expiresAtMs ? "00" : "01",
    };
  const Status = order.refunds.size > 0 ? "05" : "04";
  return {
    OrderNo: orderNo,
    OrderAmount: yuanText(order.paidFen),
    Status,
    iRspRef: order.tradeNo,
    ...toHost(order.paidAtMs),
  };
}

function findRefund({ books }: Party, refundNo: string): object | undefined {
  const { refund } = books.findRefund(refundNo) ?? {};
  if (!refund) return undefined;
  const no = { OrderNo: refundNo, iRspRef: refund.refundTradeNo };
  return { ...no, RefundAmount: yuanText(refund.amountFen), Status: "04" };
}

/** Unlike Alipay and WeChat Pay, ABC rejects a repeated refund number. */
function refund({ books }: Party, { OrderNo, NewOrderNo, TrxAmount }: Request): object {
  if (books.orders.get(OrderNo)?.refunds.has(NewOrderNo)) return { ReturnCode: "2304" };
  const done = books.refund(OrderNo, NewOrderNo, fenOf(TrxAmount));
  if (typeof done === "string") return { ReturnCode: "2303" };
  return {
    OrderNo,
    NewOrderNo,
    TrxAmount: yuanText(done.amountFen),
    iRspRef: done.refundTradeNo,
    ...toHost(done.atMs),
  };
}

const headings =
  "商户号|交易类型|订单编号|交易时间|交易金额|商户账号|商户动账金额|客户账号|账户类型|商户回佣手续费|商户分期手续费|会计日期|主机流水号|9014流水号|原订单号";

function settle({ books }: Party, date: string): object {
  const records = books.listDay(date.replaceAll("/", "-")).map((row) => {
    const { orderNo, tradeNo } = row.order;
    const [type, no, amountFen, movement, original] =
      row.kind === "payment"
        ? ["Sale", orderNo, row.amountFen, tradeNo, ""]
        : ["Refund", row.refund.refundNo, row.refund.amountFen, row.refund.refundTradeNo, orderNo];
    const time = beijingTime(row.kind === "payment" ? row.atMs : row.refund.atMs).replaceAll(/\D/g, "");
    const amount = yuanText(amountFen);
    const account = ["30700000000000000", amount, "6228000000000000000", "401", "0.00", "0.00", time.slice(0, 8)];
    return [merchantId, type, no, time, amount, ...account, "461602083", movement, original].join("|");
  });
  return { SettleDate: date, ZIPDetailRecords: "", DetailRecords: [headings, ...records].join("^^") };
}

function signNotice({ bank, stranger }: Party, order: BookedOrder, forgery: Forgery | undefined): SentNotice {
  const fields = {
    ReturnCode: "0000",
    ErrorMessage: "交易成功",
    ECMerchantType: "EBUS",
    MerchantID: forgery === "merchant" ? "103882200000999" : merchantId,
    TrxType: "ABCSoftTokenPay",
    OrderNo: order.orderNo,
    Amount: yuanText(order.paidFen),
    ...toHost(order.paidAtMs),
    NotifyType: "1",
    iRspRef: order.tradeNo,
  };
  const inside = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`);
  const text = iconv.encode(`<TrxResponse>${inside.join("")}</TrxResponse>`, "gb18030");
  const signature = sign("sha1", text, (forgery === "signature" ? stranger : bank).privateKey).toString("base64");
  const tail = `</Message><Signature-Algorithm>SHA1withRSA</Signature-Algorithm><Signature>${signature}</Signature></MSG>`;
  const sent = spoil(Buffer.concat([Buffer.from("<MSG><Message>"), text, Buffer.from(tail)]), forgery);
  return {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(new URLSearchParams({ MSG: sent.toString("base64") }).toString()),
  };
}

function spoil(signed: Buffer, forgery: Forgery | undefined): Buffer {
  if (forgery === "altered") return alterByte(signed);
  const text = signed.toString("latin1");
  if (forgery === "amount") return Buffer.from(text.replace(/<Amount>[\d.]+/, "<Amount>0.01"), "latin1");
  if (forgery === "tradeNo") return Buffer.from(text.replace("<iRspRef>", "<iRspRef>9"), "latin1");
  if (forgery === "missing") return Buffer.from(text.replace(/<Signature>.*<\/Signature>/, ""), "latin1");
  return signed;
}
