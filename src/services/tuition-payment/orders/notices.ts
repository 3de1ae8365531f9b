import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import type { OwnReply } from "#platform/contract/endpoint.ts";
import { fail, writeSuccess } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { explain, Problem, sharedProblems } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import { toProblem } from "#platform/http/failure.ts";
import {
  type Gateway,
  GatewayError,
  type Notice,
  NoticeRefusal,
  type RawNotice,
} from "#services/tuition-payment/gateways/gateway.ts";
import { type Desk, getGateway } from "./desk.ts";
import { keepNotice } from "./history-store.ts";
import { type Settled, settlePayment, settleRefund } from "./settle.ts";

// A gateway gives a notice up after five seconds, and sends it again.
const answerMs = 4500;

/** Takes a notice as it arrived. @throws {Problem} when it was not taken; the gateway's own words are the caller's matter. */
export async function takeNotice(desk: Desk, gateway: Gateway, raw: RawNotice): Promise<void> {
  const given = new AbortController();
  const late = delay(answerMs, undefined, { signal: given.signal }).then(
    () => Promise.reject(new Problem("unavailable")),
    () => undefined,
  );
  const taking = believe(desk, gateway, raw);
  // What comes too late is done all the same, and its failure is nobody's any more.
  taking.catch(() => undefined);
  try {
    await Promise.race([taking, late]);
  } finally {
    given.abort();
  }
}

async function believe(desk: Desk, gateway: Gateway, raw: RawNotice): Promise<void> {
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

/** Answers a notice in the words that its gateway waits for. */
export async function answerNotice(desk: Desk, gateway: Gateway, request: FastifyRequest): Promise<OwnReply> {
  const failure = await takeNotice(desk, gateway, toRaw(request)).then(
    () => undefined,
    (error: unknown) => toProblem(error, {}),
  );
  if (failure) desk.platform.log.warn({ gateway: gateway.name, problem: failure.problem }, "a notice was not taken");
  const answer = gateway.answerNotice(failure?.problem);
  if (answer === "envelope") {
    if (failure) throw failure;
    return envelopeReply(request.language);
  }
  const { status, contentType, body } = answer;
  return { status, headers: contentType === null ? {} : { "content-type": contentType }, body };
}

const envelopeReply = (language: Language): OwnReply => ({
  status: 200,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: writeSuccess("1", language),
});

/** What the gateway that pretends is answered by notify, as that would be. */
export async function notifyOf(desk: Desk, notice: object, language: Language) {
  const gateway = getGateway(desk, "simulated");
  const raw = { body: Buffer.from(JSON.stringify(notice)), headers: {} };
  const failure = await takeNotice(desk, gateway, raw).then(
    () => undefined,
    (error: unknown) => {
      const problem = toProblem(error, {});
      if (problem.problem === "unknownError") desk.platform.log.error(toLoggable(error), "a notice failed");
      return problem;
    },
  );
  return failure
    ? fail(failure, sharedProblems, language)
    : (JSON.parse(envelopeReply(language).body) as ReturnType<typeof fail>);
}
