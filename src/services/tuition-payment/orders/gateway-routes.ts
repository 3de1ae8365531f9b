import { randomBytes } from "node:crypto";
import { parse as parseForm } from "node:querystring";
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { OwnReply } from "#platform/contract/endpoint.ts";
import { fail, writeSuccess } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain, Problem, sharedProblems } from "#platform/contract/problem.ts";
import { inTransaction } from "#platform/database/index.ts";
import { toProblem } from "#platform/http/failure.ts";
import { describeBranding } from "#platform/http/html.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toFen } from "#services/tuition-payment/amounts.ts";
import {
  type Gateway,
  GatewayError,
  type GatewayName,
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
import { askPayment, settlePayment, settleRefund } from "./settle.ts";

export const gatewayHandlers = (desk: Desk): Handlers<typeof gatewayEndpoints & typeof simulatedEndpoints> => ({
  takeNotice: withoutTransaction(async ({ params, request }) =>
    answerNotice(desk, getGateway(desk, params.gateway), request),
  ),

  returnFromGateway: async ({ params, query }) => bringBack(desk, params.gateway, query.orderNo ?? query.ORDERID),

  // A bank's page may post any fields; only the order number is read.
  postFromGateway: withoutTransaction(async ({ params, query, request: { body } }) => {
    const form = Buffer.isBuffer(body) ? parseForm(body.toString(), "&", "=", { maxKeys: 100 }) : {};
    const [posted = ""] = [form["orderNo"] ?? form["ORDERID"]].flat();
    const orderNo = query.orderNo ?? (/^[0-9A-Za-z]{6,30}$/.test(posted) ? posted : query.ORDERID);
    return bringBack(desk, params.gateway, orderNo);
  }),

  actSimulated: withoutTransaction(async ({ params: { orderNo }, body, request, language }) => {
    requireSimulated(desk, request);
    const simulated = requireThere(desk);
    const { result, statement, notify = true } = body;
    const amountFen = body.amount === undefined ? await findAmount(desk, simulated, orderNo) : toFen(body.amount);
    const statementFen = statement === undefined || statement === null ? statement : toFen(statement);
    const notice = await simulated.act(orderNo, { result, amountFen, statementFen });
    return { notice, reply: notice && notify ? await notifyOf(desk, notice, language) : null };
  }),

  showSimulated: async ({ params: { orderNo }, request, language }) => {
    requireSimulated(desk, request);
    const nonce = randomBytes(16).toString("base64");
    const { institution, settings } = desk.platform;
    const branding = { ...describeBranding(institution.current(), language, settings.BASE_PATH), style: "" };
    const page = renderSimulatedPage(language, await requireThere(desk).find(orderNo), { nonce, branding });
    const headers = {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": simulatedPagePolicy(nonce),
    };
    return request.method === "HEAD" ? { headers } : { headers, stream: Readable.from([page]) };
  },
});

function requireThere({ gateways: { simulated } }: Desk): SimulatedGateway {
  if (simulated) return simulated;
  throw explain("outsideNotConfigured", "未启用模拟支付", "the simulated gateway is not enabled");
}

async function findAmount(
  { platform }: Desk,
  simulated: SimulatedGateway,
  orderNo: string,
): Promise<number | undefined> {
  if (await simulated.find(orderNo)) return undefined;
  const order = await findOrder(platform.pool, orderNo);
  if (order) return order.amountFen;
  throw explain("badFormat", "amount: 订单不存在时必须填写金额", "amount: is required if the order does not exist");
}

const leastSecondsBetween = 3;

/** Redirects the returning payer. The state of the order comes from a query of the gateway, never from the browser. */
async function bringBack(desk: Desk, name: GatewayName, orderNo = ""): Promise<OwnReply> {
  const { pool, settings } = desk.platform;
  const order = requireOrder(await findOrder(pool, orderNo));
  if (order.gateway !== name) throw new Problem("otherGateway");
  await askUnlessAsked(desk, name, order);
  const { status } = requireOrder(await findOrder(pool, orderNo));
  const location = addParameters(order.redirectUrl ?? settings.PAY_REDIRECT_URL, { orderNo, status });
  return { status: 302, headers: { location }, body: "" };
}

/** Anybody who knows an order number can cause a query, so an order is not queried again within a few seconds. */
export async function askUnlessAsked(desk: Desk, name: GatewayName, order: OrderRow): Promise<void> {
  if (order.status !== "paying" && order.status !== "closed") return;
  const gateway = desk.gateways.all.get(name);
  if (!gateway || (await wasAskedWithin(desk.platform.pool, order.id, leastSecondsBetween))) return;
  try {
    await askPayment(desk, gateway, order, "query");
  } catch (error) {
    // The payer sees the last known state; polling will update the order.
    if (!(error instanceof GatewayError)) throw error;
  }
}

function refuse(error: unknown): never {
  if (error instanceof NoticeRefusal)
    throw error.fault === "malformed"
      ? explain("badFormat", "通知无法读取", "the notice cannot be read")
      : explain("forbidden", "通知未通过验证", "the notice could not be verified");
  if (error instanceof GatewayError) throw new Problem("outsideFailed");
  throw error;
}

async function takeNotice({ platform }: Desk, gateway: Gateway, raw: RawNotice): Promise<Problem | undefined> {
  const { name } = gateway;
  try {
    const notice = await gateway.verifyNotice(raw).catch(refuse);
    const settled = await inTransaction(platform.pool, async (tx) => {
      const became =
        notice.kind === "payment"
          ? await settlePayment(tx, platform, { ...notice, gateway: name, by: "notice" })
          : await settleRefund(tx, { ...notice, gateway: name });
      // Every notice that passes verification is stored, even if it is then refused.
      await keepNotice(tx, name, notice.orderNo, raw, became);
      return became;
    });
    if (settled === "orderNotFound" || settled === "otherGateway") throw new Problem(settled);
    if (settled === "amountWrong")
      throw explain("amountWrong", "金额与订单不符", "the amount does not match the order");
    return undefined;
  } catch (error) {
    const failure = toProblem(error, {});
    platform.log.warn({ gateway: name, problem: failure.problem }, "a payment notice was not accepted");
    return failure;
  }
}

async function answerNotice(desk: Desk, gateway: Gateway, request: FastifyRequest): Promise<OwnReply> {
  // Only the signature headers and the content type are stored, since other headers could identify a person.
  const kept = Object.entries(request.headers).filter(
    ([header]) => header.startsWith("wechatpay-") || header === "content-type",
  );
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const failure = await takeNotice(desk, gateway, { body, headers: Object.fromEntries(kept) });
  const answer = gateway.answerNotice(failure?.problem);
  if (answer === "envelope") {
    if (failure) throw failure;
    const headers = { "content-type": "application/json; charset=utf-8" };
    return { status: 200, headers, body: writeSuccess("1", request.language) };
  }
  const { status, contentType } = answer;
  return { status, headers: contentType === null ? {} : { "content-type": contentType }, body: answer.body };
}

async function notifyOf(desk: Desk, notice: object, language: Language) {
  const raw = { body: Buffer.from(JSON.stringify(notice)), headers: {} };
  const failure = await takeNotice(desk, getGateway(desk, "simulated"), raw);
  return failure
    ? fail(failure, sharedProblems, language)
    : (JSON.parse(writeSuccess("1", language)) as ReturnType<typeof fail>);
}
