import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { feedback, feedbackEndpoints } from "./feedback-contract.ts";
import {
  countFeedback,
  deleteFeedback,
  type FeedbackFilter,
  type FeedbackRow,
  findFeedback,
  insertFeedback,
  listFeedback,
  processFeedback,
  answerFeedback,
} from "./feedback-store.ts";

export function feedbackHandlers({ settings }: Platform): Handlers<typeof feedbackEndpoints> {
  const zone = settings.TIME_ZONE;
  const present = async (db: Db, filter: FeedbackFilter, query: ListQuery) => {
    const { rows, totalCount } = await listFeedback(db, filter, toListOrder(query, "id"));
    const list = rows.map((row) => toFeedback(row, zone));
    return toPage(list, totalCount, query);
  };
  return {
    saveFeedback: async ({ db, body, guest: card }) => {
      const { feedbackPersonName: name, feedbackPersonPhone: phone, feedbackInfo: info } = body;
      return String(await insertFeedback(db, { cardNumber: card, name, phone, info }));
    },

    listOwnFeedback: ({ db, query, guest: card }) => present(db, { cards: [card] }, query),

    deleteFeedback: async ({ db, params, guest: card }) => {
      if (!(await deleteFeedback(db, params.id, card))) throw new Problem("notFound");
      return "1";
    },

    listFeedback: ({ db, query }) => {
      const isProcessed = query.status === undefined ? undefined : query.status === "2";
      return present(db, { isProcessed, keyword: query.keyword }, query);
    },

    countFeedback: ({ db }) => countFeedback(db),

    findFeedback: async ({ db, params }) => {
      return toFeedback(found(await findFeedback(db, params.id)), zone);
    },

    processFeedback: async ({ db, params, audit }) => {
      const outcome = await processFeedback(db, params.id);
      if (outcome === "unknown") throw new Problem("notFound");
      if (outcome === "was processed")
        throw explain("notAllowedNow", "该反馈已处理", "the feedback has already been processed");
      audit.records = [params.id];
      return "1";
    },

    answerFeedback: async ({ db, params, body, audit }) => {
      const outcome = await answerFeedback(db, params.id, body.reply);
      if (outcome === "unknown") throw new Problem("notFound");
      if (outcome === "was answered")
        throw explain("notAllowedNow", "该反馈已回复", "the feedback has already been answered");
      audit.records = [params.id];
      return "1";
    },
  };
}

type ListQuery = z.output<(typeof feedbackEndpoints)["listOwnFeedback"]["query"]>;

export const toFeedback = (row: FeedbackRow, zone: string): z.input<typeof feedback> => ({
  id: row.id,
  feedbackPersonIdentify: row.cardNumber,
  feedbackPersonName: row.name,
  feedbackPersonPhone: row.phone,
  feedbackInfo: row.info,
  statu: row.processedAt === null ? "1" : "2",
  publishTime: formatDateTime(row.createdAt, zone),
  handleTime: row.processedAt && formatDateTime(row.processedAt, zone),
  ...(row.reply !== null && { reply: row.reply }),
});
