import { randomBytes } from "node:crypto";
import { parse as parseForm } from "node:querystring";
import { Readable } from "node:stream";
import type { OwnReply } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { toFen } from "#services/tuition-payment/amounts.ts";
import { GatewayError, type GatewayName } from "#services/tuition-payment/gateways/gateway.ts";
import { renderSimulatedPage, simulatedPagePolicy } from "#services/tuition-payment/gateways/simulated-page.ts";
import type { SimulatedGateway } from "#services/tuition-payment/gateways/simulated.ts";
import { askPayment } from "./asking.ts";
import type { orderEndpoints } from "./contract.ts";
import { type Desk, getGateway, requireOrder, requireSimulated } from "./desk.ts";
import { wasAskedWithin } from "./history-store.ts";
import { answerNotice, notifyOf } from "./notices.ts";
import { findOrder, type OrderRow } from "./order-store.ts";
import { addParameters } from "./rules.ts";

type Endpoints = Pick<
  typeof orderEndpoints,
  "takeNotice" | "returnFromGateway" | "postFromGateway" | "actSimulated" | "showSimulated"
>;

interface Returned {
  readonly orderNo?: string | undefined;
  readonly ORDERID?: string | undefined;
}

/** The handlers of what gateways call, or send a payer's browser to. */
export const gatewayHandlers = (desk: Desk): Handlers<Endpoints> => ({
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
      const { notice } = await simulated.act(orderNo, { result, amountFen, statementFen });
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
