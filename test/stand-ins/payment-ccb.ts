import { createHash, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
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

// A stand-in for CCB: the payment form's page, the client interface for queries and refunds, and signed notifications.

const merchantId = "105320148140002";
const posId = "100001135";
const branchId = "322000000";
const user = "QUINTET-001";
const password = "stand-in-password";
const pageSize = 200;

interface Party {
  readonly hex: string;
  readonly key: KeyObject;
  readonly stranger: KeyObject;
  readonly books: PaymentBooks;
  readonly now: () => number;
  readonly notifyUrl: string;
}

const formFields =
  "MERCHANTID POSID BRANCHID ORDERID PAYMENT CURCODE TXCODE REMARK1 REMARK2 TYPE PUB GATEWAY CLIENTIP REGINFO PROINFO REFERER TIMEOUT".split(
    " ",
  );

export async function startCcb({
  now = Date.now,
  notifyUrl = "",
}: PaymentStandInOptions = {}): Promise<PaymentStandIn> {
  let skewMs = 0;
  const clock = (): number => now() + skewMs;
  const make = () => promisify(generateKeyPair)("rsa", { modulusLength: 1024 });
  const [{ privateKey: key, publicKey }, { privateKey: stranger }] = await Promise.all([make(), make()]);
  const hex = publicKey.export({ type: "spki", format: "der" }).toString("hex");
  const books = openPaymentBooks(clock, "1053");
  const notices = openNoticeSender();
  const party: Party = { hex, key, stranger, books, now: clock, notifyUrl };
  const server = await startPaymentServer((call) =>
    call.path === "/CCBIS/ccbMain" ? takeForm(party, call) : answerClient(party, call),
  );
  const makeNotice = (orderNo: string, forgery?: Forgery): SentNotice =>
    signNotice(party, requireBooked(books, orderNo), forgery);
  return {
    ...server,
    books,
    notices,
    forgeries: ["signature", "merchant", "currency", "altered", "amount", "missing"],
    settings: {
      PAY_CCB_MERCHANT_ID: merchantId,
      PAY_CCB_POS_ID: posId,
      PAY_CCB_BRANCH_ID: branchId,
      PAY_CCB_PUBLIC_KEY: hex,
      PAY_CCB_PAGE_URL: `${server.url}/CCBIS/ccbMain`,
      PAY_CCB_CLIENT_URL: `${server.url}/client`,
      PAY_CCB_USER: user,
      PAY_CCB_PASSWORD: password,
    },
    async visit(answered) {
      if (answered.kind !== "form") throw new Error("no form");
      const { action, fields } = answered.form;
      const reply = await fetch(action, { method: "POST", body: new URLSearchParams(fields) });
      if (reply.status !== 200) throw new Error(await reply.text());
    },
    pay(orderNo, amountFen) {
      books.pay(orderNo, amountFen);
      notices.send(orderNo, notifyUrl, (forgery) => makeNotice(orderNo, forgery));
    },
    makeNotice,
    refundCall: /5W1004/,
    billCall: /5W1002/,
    shiftClock: (ms) => void (skewMs = ms),
  };
}

const toReply = (status: number, text: string): PaymentReply => ({
  status,
  headers: { "content-type": "text/xml" },
  body: Buffer.from(text),
});

function takeForm({ hex, books, now, notifyUrl }: Party, { body }: PaymentCall): PaymentReply {
  const fields = new URLSearchParams(body.toString());
  const signed = formFields
    .map((name) => `${name}=${name === "PUB" ? hex.slice(-30) : (fields.get(name) ?? "")}`)
    .join("&");
  if (fields.get("MAC") !== createHash("md5").update(signed).digest("hex")) return toReply(400, "MAC");
  const isMine =
    fields.get("MERCHANTID") === merchantId && fields.get("POSID") === posId && fields.get("BRANCHID") === branchId;
  if (!isMine || fields.get("CURCODE") !== "01" || fields.get("TXCODE") !== "520100") return toReply(400, "fields");
  const expiresAtMs = fromBeijingDigits(fields.get("TIMEOUT") ?? "");
  if (!(expiresAtMs > now())) return toReply(400, "too late");
  const order = {
    orderNo: fields.get("ORDERID") ?? "",
    amountFen: fenOf(fields.get("PAYMENT") ?? ""),
    expiresAtMs,
    notifyUrl,
  };
  return books.open(order) ? toReply(200, "the bank's page") : toReply(400, "another order of this number");
}

/** CCB's code for 流水记录不存在: no such transaction. */
const nothingFound = "YDCA02910001";

type Field = (name: string) => string;

function answerClient(party: Party, { body }: PaymentCall): PaymentReply {
  const xml = new URLSearchParams(body.toString()).get("requestXml") ?? "";
  const field: Field = (name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
  const isKnown = field("CUST_ID") === merchantId && field("USER_ID") === user && field("PASSWORD") === password;
  const [code, info] = isKnown ? answerInfo(party, field) : ["0130Z0100001", ""];
  const names = code === nothingFound ? ["REQUEST_SN"] : ["REQUEST_SN", "CUST_ID", "TX_CODE"];
  const head = names.map((name) => `<${name}>${field(name)}</${name}>`).join("");
  return toReply(
    200,
    `<?xml version="1.0" encoding="GB18030"?><TX>${head}<RETURN_CODE>${code}</RETURN_CODE><RETURN_MSG></RETURN_MSG><LANGUAGE>CN</LANGUAGE><TX_INFO>${info}</TX_INFO></TX>\n`,
  );
}

function answerInfo(party: Party, field: Field): readonly [string, string] {
  const code = field("TX_CODE");
  if (code === "5W1002") return writeList(listPayments(party, field), field);
  if (code === "5W1003") return writeList(listRefunds(party, field), field);
  return code === "5W1004" ? refund(party, field) : ["0130Z0100002", ""];
}

const isWithin = (field: Field, ms: number): boolean => {
  const day = beijingTime(ms).slice(0, 10).replaceAll("-", "");
  return field("START") <= day && day <= field("END");
};

/** Today's payments and refunds are not settled yet and have the kind "0". */
const isOfKind = ({ now }: Party, field: Field, ms: number): boolean =>
  (beijingTime(ms).slice(0, 10) === beijingTime(now()).slice(0, 10)) === (field("KIND") === "0");

const element = (values: Readonly<Record<string, string>>): string =>
  `<LIST>${Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("")}</LIST>`;

function chosen({ books }: Party, field: Field): readonly BookedOrder[] {
  const order = books.orders.get(field("ORDER"));
  return field("ORDER") === "" ? [...books.orders.values()] : order ? [order] : [];
}

function listPayments(party: Party, field: Field): string[] {
  return chosen(party, field).flatMap((order) => {
    const told = party.books.statementFen.get(order.orderNo);
    const amountFen = field("ORDER") !== "" || told === undefined ? order.paidFen : told;
    if (order.state !== "paid" || amountFen === null) return [];
    if (!isWithin(field, order.paidAtMs) || !isOfKind(party, field, order.paidAtMs)) return [];
    const ORDER_STATUS = order.refunds.size > 0 ? "3" : "1";
    const time = { TRAN_DATE: beijingTime(order.paidAtMs), ACC_DATE: beijingTime(order.paidAtMs).slice(0, 10) };
    return [
      element({ ...time, ORDER: order.orderNo, PAYMENT_MONEY: yuanText(amountFen), POS_ID: posId, ORDER_STATUS }),
    ];
  });
}

const listRefunds = (party: Party, field: Field): string[] =>
  chosen(party, field).flatMap((order) =>
    [...order.refunds.values()]
      .filter(({ atMs }) => isWithin(field, atMs) && isOfKind(party, field, atMs))
      .map(({ refundNo, amountFen, atMs }) =>
        element({
          TRAN_DATE: beijingTime(order.paidAtMs),
          REFUND_DATE: beijingTime(atMs),
          ORDER_NUMBER: order.orderNo,
          PAY_AMOUNT: yuanText(order.paidFen),
          REFUNDEMENT_AMOUNT: yuanText(amountFen),
          REFUND_CODE: refundNo,
          STATUS: "1",
        }),
      ),
  );

function writeList(rows: readonly string[], field: Field): readonly [string, string] {
  if (rows.length === 0) return [nothingFound, ""];
  const page = Number(field("PAGE"));
  const shown = rows.slice((page - 1) * pageSize, page * pageSize).join("");
  return ["000000", `<TPAGE>${Math.ceil(rows.length / pageSize)}</TPAGE><CUR_PAGE>${page}</CUR_PAGE>${shown}`];
}

const refundCodes = {
  "no such order": nothingFound,
  "not paid": "0250E0200003",
  "too much": "0250E0200004",
  "another amount": "0250E0200005",
} as const;

/** Unlike Alipay and WeChat Pay, CCB rejects a repeated refund number. */
function refund({ books }: Party, field: Field): readonly [string, string] {
  const [orderNo, refundNo] = [field("ORDER"), field("REFUND_CODE")];
  if (refundNo.length > 15) return ["0250E0200007", ""];
  if (books.orders.get(orderNo)?.refunds.has(refundNo)) return ["0250E0200006", ""];
  const done = books.refund(orderNo, refundNo, fenOf(field("MONEY")));
  if (typeof done === "string") return [refundCodes[done], ""];
  return ["000000", `<ORDER_NUM>${orderNo}</ORDER_NUM><PAY_AMOUNT>${field("MONEY")}</PAY_AMOUNT>`];
}

function signNotice({ key, stranger }: Party, order: BookedOrder, forgery: Forgery | undefined): SentNotice {
  const fields = {
    POSID: forgery === "merchant" ? "100009999" : posId,
    BRANCHID: branchId,
    ORDERID: order.orderNo,
    PAYMENT: yuanText(order.paidFen),
    CURCODE: forgery === "currency" ? "14" : "01",
    REMARK1: "",
    REMARK2: "",
    ACC_TYPE: "12",
    SUCCESS: "Y",
    TYPE: "1",
    REFERER: "",
    CLIENTIP: "",
    ACCDATE: beijingTime(order.paidAtMs).slice(0, 10).replaceAll("-", ""),
  };
  const text = new URLSearchParams(fields).toString();
  const signature = sign("md5", Buffer.from(text), forgery === "signature" ? stranger : key).toString("hex");
  const sent = forgery === "amount" ? text.replace(/PAYMENT=[\d.]+/, "PAYMENT=0.01") : text;
  const body = Buffer.from(forgery === "missing" ? text : `${sent}&SIGN=${signature}`);
  return {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: forgery === "altered" ? alterByte(body) : body,
  };
}
