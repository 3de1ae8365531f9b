import { exchangeForNumber, startNumberSession } from "#platform/accounts/proven-number.ts";
import { Problem } from "#platform/contract/problem.ts";
import { Within } from "#platform/database/index.ts";
import { createConfiguredCampusClient, findCampusSignIn } from "#platform/messaging/index.ts";
import { noticePreferenceHandlers } from "#platform/notices/preference-store.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { WebPage } from "#platform/process/service.ts";
import type { ToldOfProof } from "#platform/contract/proven-contract.ts";
import type { payLimitEndpoints } from "./contract.ts";
import type { studentEndpoints } from "./payable-contract.ts";
import {
  listDuePayable,
  listPayablesOfCard,
  listPayLimits,
  matchDuePayable,
  type PayableRow,
} from "./payable-store.ts";
import { toMatchedPayable, toOwnPayable, toPayLimit } from "./payables.ts";
import { findCardNumber } from "./sealed.ts";
import type { TuitionPlatform } from "./settings.ts";

export function studentHandlers({
  pool,
  settings,
}: TuitionPlatform): Handlers<typeof studentEndpoints & Pick<typeof payLimitEndpoints, "listOwnPayLimits">> {
  const zone = settings.TIME_ZONE;
  const campus = settings.STUDENT_IDENTITY === "campus" ? createConfiguredCampusClient(settings) : null;
  return {
    loginStudent: withoutTransaction(async ({ body }) => {
      const cardNumber = await exchangeForNumber(campus, body.code);
      const spelt = findCardNumber(pool.keys, cardNumber);
      return { cardNumber, ...(await startNumberSession(pool, spelt, settings.TOKEN_HOURS)) };
    }),

    findOwnPayable: async ({ db, guest: card }) => toOwnPayable(getDue(await listDuePayable(db, card)), zone),

    matchPayable: async ({ db, params }) =>
      toMatchedPayable(getDue(await matchDuePayable(db, params.studentNo.trim(), params.studentName.trim()))),

    listOwnPayables: async ({ db, guest: card }) =>
      (await listPayablesOfCard(db, card)).map((row) => toOwnPayable(row, zone)),

    listOwnPayLimits: async ({ db, guest: card }) => {
      const grades = new Set((await listPayablesOfCard(db, card)).map(({ grade }) => grade));
      return (await listPayLimits(db, Within.everywhere)).filter(({ grade }) => grades.has(grade)).map(toPayLimit);
    },

    // A new student without a student number gets no notices. The list is empty then, so that no preference is stored
    // under a hash of the identity card.
    ...noticePreferenceHandlers("tuition-payment", async (db, card) =>
      (await listPayablesOfCard(db, card)).flatMap(({ studentNo }) => studentNo ?? []),
    ),
  };
}

function getDue([row]: readonly PayableRow[]): PayableRow {
  if (!row) throw new Problem("paymentNotFound");
  return row;
}

const entrance = "/h5/tuition/";

/**
 * A request for a page has no session, so the page of an order is served for any order number; only the order's student
 * learns whether the order exists.
 */
export const studentPages = ({ settings }: TuitionPlatform): WebPage => ({
  entry: "public/tuition",
  paths: [
    entrance,
    `${entrance}pay`,
    `${entrance}orders`,
    `${entrance}account`,
    `${entrance}feedback`,
    `${entrance}orders/:orderNo`,
    `${entrance}link`,
  ],
  title: { zh: "学费缴纳", en: "Tuition" },
  about: {
    zh: "查询应缴学费，在线支付，查看订单与收据",
    en: "Check amounts due, pay online, and view orders and receipts",
  },
  exists: async ({ orderNo }) => orderNo === undefined || /^[0-9A-Za-z]{6,30}$/.test(orderNo),
  told: {
    identity: settings.STUDENT_IDENTITY ?? null,
    signIn: settings.STUDENT_IDENTITY === "campus" ? findCampusSignIn(settings) : null,
  } satisfies ToldOfProof,
  forms: settings.PAY_CCB_MERCHANT_ID === undefined ? [] : [new URL(settings.PAY_CCB_PAGE_URL).origin],
});
