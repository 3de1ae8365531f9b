import { findCampusSignIn } from "#platform/messaging/index.ts";
import type { WebPage } from "#platform/process/service.ts";
import type { ToldToStudents } from "./cards/contract.ts";
import type { TuitionPlatform } from "./settings.ts";

const entrance = "/h5/tuition/";

/**
 * The pages of students. Nobody is signed in when a document is asked for, so that any well-formed number of an order has
 * its page: whether there is such an order, only its student hears.
 */
export const studentPages = ({ settings }: TuitionPlatform): WebPage => ({
  entry: "public/tuition",
  paths: [entrance, `${entrance}pay`, `${entrance}orders`, `${entrance}feedback`, `${entrance}orders/:orderNo`],
  title: { zh: "学费缴纳", en: "Tuition" },
  about: { zh: "查询应缴学费，在线支付，查看订单与收据", en: "See what is due, pay, and find orders and receipts" },
  exists: async ({ orderNo }) => orderNo === undefined || /^[0-9A-Za-z]{6,30}$/.test(orderNo),
  told: tellStudents(settings),
  forms: settings.PAY_CCB_MERCHANT_ID === undefined ? [] : [new URL(settings.PAY_CCB_PAGE_URL).origin],
});

const tellStudents = (settings: TuitionPlatform["settings"]): ToldToStudents => ({
  identity: settings.STUDENT_IDENTITY ?? null,
  signIn: settings.STUDENT_IDENTITY === "campus" ? findCampusSignIn(settings) : null,
});
