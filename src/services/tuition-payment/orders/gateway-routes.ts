import { createHash, randomBytes } from "node:crypto";
import { parse as parseForm } from "node:querystring";
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { OwnReply } from "#platform/contract/endpoint.ts";
import { fail, writeSuccess } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain, Problem, sharedProblems } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import { toProblem } from "#platform/http/failure.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { toFen } from "#services/tuition-payment/amounts.ts";
import {
  type Gateway,
  GatewayError,
  type GatewayName,
  type Notice,
  NoticeRefusal,
  type RawNotice,
} from "#services/tuition-payment/gateways/gateway.ts";
import { renderSimulatedPage, simulatedPagePolicy } from "#services/tuition-payment/gateways/simulated-page.ts";
import type { SimulatedGateway } from "#services/tuition-payment/gateways/simulated.ts";
import type { gatewayEndpoints, simulatedEndpoints } from "./contract.ts";
import { type Desk, getGateway, requireOrder, requireSimulated } from "./desk.ts";
import { keepNotice, wasAskedWithin } from "./history-store.ts";
import { findOrder, type OrderRow } from "./order-store.ts";
import { addParameters } from "./rules.ts";
import { askPayment, type Settled, settlePayment, settleRefund } from "./settle.ts";

interface Returned {
  readonly orderNo?: string | undefined;
  readonly ORDERID?: string | undefined;
}

/** The handlers of what gateways call, or send a payer's browser to. */
export const gatewayHandlers = (desk: Desk): Handlers<typeof gatewayEndpoints & typeof simulatedEndpoints> => ({
  takeNotice: {
    withoutTransaction: async ({ params, request }) => answerNotice(desk, getGateway(desk, params.gateway), request),
  },

  returnFromGateway: async ({ params, query }) => bringBack(desk, params.gateway, query),

  postFromGateway: {
    withoutTransaction: async ({ params, query, request }) =>
      bringBack(desk, params.gateway, { ...readReturned(request.body), ...query }),
  },

  actSimulated: {
    withoutTransaction: async ({ params: { orderNo }, body, request, language }) => {
      requireSimulated(desk, request);
      const simulated = requireThere(desk);
      const { result, statement, notify = true } = body;
      const amountFen = body.amount === undefined ? await findAmount(desk, simulated, orderNo) : toFen(body.amount);
      const statementFen = statement === undefined || statement === null ? statement : toFen(statement);
      const notice = await simulated.act(orderNo, { result, amountFen, statementFen });
      return { notice, reply: notice && notify ? await notifyOf(desk, notice, language) : null };
    },
  },

  showSimulated: async ({ params: { orderNo }, request, language }) => {
    requireSimulated(desk, request);
    const nonce = randomBytes(16).toString("base64");
    const page = renderSimulatedPage(language, await requireThere(desk).find(orderNo), nonce);
    const headers = {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": simulatedPagePolicy(nonce),
    };
    return request.method === "HEAD" ? { headers } : { headers, stream: Readable.from([page]) };
  },
});

function requireThere({ gateways: { simulated } }: Desk): SimulatedGateway {
  if (simulated) return simulated;
  throw explain("outsideNotConfigured", "未启用模拟支付", "the simulated gateway is not there");
}

/** The order's amount, when nobody says another. @throws {Problem} badFormat for an order that nobody knows. */
async function findAmount(
  { platform }: Desk,
  simulated: SimulatedGateway,
  orderNo: string,
): Promise<number | undefined> {
  if (await simulated.find(orderNo)) return undefined;
  const order = await findOrder(platform.pool, orderNo);
  if (order) return order.amountFen;
  throw explain("badFormat", "amount: 未知订单需要金额", "amount: is needed for an order that is not known");
}

/** What a bank's page posts: anything, of which the number is looked for. */
function readReturned(body: unknown): Returned {
  const form = Buffer.isBuffer(body) ? parseForm(body.toString(), "&", "=", { maxKeys: 100 }) : {};
  const [orderNo] = [form["orderNo"] ?? form["ORDERID"]].flat();
  return orderNo !== undefined && /^[0-9A-Za-z]{6,30}$/.test(orderNo) ? { orderNo } : {};
}

const leastSecondsBetween = 3;

/** Believes nothing that the browser brings: asks the gateway, and sends the payer on with what the order is then. */
async function bringBack(desk: Desk, name: GatewayName, { orderNo, ORDERID }: Returned): Promise<OwnReply> {
  const { pool, settings } = desk.platform;
  const wanted = orderNo ?? ORDERID ?? "";
  const order = requireOrder(await findOrder(pool, wanted));
  if (order.gateway !== name) throw new Problem("otherGateway");
  await askUnlessAsked(desk, name, order);
  const { status } = requireOrder(await findOrder(pool, wanted));
  const location = addParameters(order.redirectUrl ?? settings.PAY_REDIRECT_URL, { orderNo: wanted, status });
  return { status: 302, headers: { location }, body: "" };
}

/** Whoever knows the number of an order must not be able to have the gateway asked without end. */
async function askUnlessAsked(desk: Desk, name: GatewayName, order: OrderRow): Promise<void> {
  if (order.status !== "paying" && order.status !== "closed") return;
  const gateway = desk.gateways.all.get(name);
  if (!gateway || (await wasAskedWithin(desk.platform.pool, order.id, leastSecondsBetween))) return;
  try {
    await askPayment(desk, gateway, order, "query");
  } catch (error) {
    // The payer is told how the order stands; it is asked about again.
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Takes a notice as it arrived. @throws {Problem} when it was not taken; the gateway's own words are the caller's matter. */
async function takeNotice(desk: Desk, gateway: Gateway, raw: RawNotice): Promise<void> {
  const notice = await gateway.verifyNotice(raw).catch(refuse);
  const settled = await inTransaction(desk.platform.pool, (tx) => keepAndSettle(tx, desk, gateway, raw, notice));
  if (settled === "orderNotFound" || settled === "otherGateway") throw new Problem(settled);
  if (settled === "amountWrong") throw explain("amountWrong", "金额与订单不符", "the amount is not the order's");
}

function refuse(error: unknown): never {
  if (error instanceof NoticeRefusal)
    throw error.fault === "malformed"
      ? explain("badFormat", "通知无法读取", "the notice cannot be read")
      : explain("forbidden", "通知的签名无效", "the notice is not signed as it must be");
  if (error instanceof GatewayError) throw new Problem("outsideFailed");
  throw error;
}

/** The message is kept whatever it says: it was signed. */
async function keepAndSettle(tx: Db, desk: Desk, gateway: Gateway, raw: RawNotice, notice: Notice): Promise<Settled> {
  const { name } = gateway;
  const settled =
    notice.kind === "payment"
      ? await settlePayment(tx, desk.platform, { ...notice, gateway: name, by: "notice" })
      : await settleRefund(tx, { ...notice, gateway: name });
  const hash = createHash("sha256").update(raw.body).digest();
  await keepNotice(tx, name, notice.orderNo, raw, hash, settled);
  return settled;
}

/** Which of the headers are kept: those that a signature is in, and none that could name somebody. */
const isOfNotice = (name: string): boolean => name.startsWith("wechatpay-") || name === "content-type";

const toRaw = ({ body, headers }: FastifyRequest): RawNotice => ({
  body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isOfNotice(name))),
});

/** Why a notice was not taken; undefined: it was. */
async function tryNotice(desk: Desk, gateway: Gateway, raw: RawNotice): Promise<Problem | undefined> {
  try {
    await takeNotice(desk, gateway, raw);
    return undefined;
  } catch (error) {
    const failure = toProblem(error, {});
    desk.platform.log.warn({ gateway: gateway.name, problem: failure.problem }, "a notice was not taken");
    return failure;
  }
}

/** Answers a notice in the words that its gateway waits for. */
async function answerNotice(desk: Desk, gateway: Gateway, request: FastifyRequest): Promise<OwnReply> {
  const failure = await tryNotice(desk, gateway, toRaw(request));
  const answer = gateway.answerNotice(failure?.problem);
  if (answer === "envelope") {
    if (failure) throw failure;
    const headers = { "content-type": "application/json; charset=utf-8" };
    return { status: 200, headers, body: writeSuccess("1", request.language) };
  }
  const { status, contentType, body } = answer;
  return { status, headers: contentType === null ? {} : { "content-type": contentType }, body };
}

/** What the gateway that pretends is answered by notify, as that would be. */
async function notifyOf(desk: Desk, notice: object, language: Language) {
  const raw = { body: Buffer.from(JSON.stringify(notice)), headers: {} };
  const failure = await tryNotice(desk, getGateway(desk, "simulated"), raw);
  return failure
    ? fail(failure, sharedProblems, language)
    : (JSON.parse(writeSuccess("1", language)) as ReturnType<typeof fail>);
}
