import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import {
  countFeedback,
  deleteFeedback,
  findFeedback,
  insertFeedback,
  listFeedback,
  processFeedback,
} from "./feedback-store.ts";
import { toFeedback } from "./wire-rows.ts";

type Endpoints = Pick<
  typeof endpoints,
  | "saveFeedback"
  | "listOwnFeedback"
  | "deleteFeedback"
  | "listFeedback"
  | "countFeedback"
  | "findFeedback"
  | "processFeedback"
>;

/** The handlers of what students have to say. */
export function feedbackHandlers({ settings }: Platform): Handlers<Endpoints> {
  const zone = settings.TIME_ZONE;
  return {
    saveFeedback: async ({ db, body, guest: card }) => {
      const { feedbackPersonName: name, feedbackPersonPhone: phone, feedbackInfo: info } = body;
      return String(await insertFeedback(db, { cardNumber: card, name, phone, info }));
    },

    listOwnFeedback: async ({ db, query, guest: card }) => {
      const { rows, totalCount } = await listFeedback(db, { cardNumber: card }, toListOrder(query, "id"));
      return toPage(
        rows.map((row) => toFeedback(row, zone)),
        totalCount,
        query,
      );
    },

    deleteFeedback: async ({ db, params, guest: card }) => {
      if (!(await deleteFeedback(db, params.id, card))) throw new Problem("notFound");
      return "1";
    },

    listFeedback: async ({ db, query }) => {
      const isProcessed = query.status === undefined ? undefined : query.status === "2";
      const filter = { isProcessed, keyword: query.keyword };
      const { rows, totalCount } = await listFeedback(db, filter, toListOrder(query, "id"));
      return toPage(
        rows.map((row) => toFeedback(row, zone)),
        totalCount,
        query,
      );
    },

    countFeedback: ({ db }) => countFeedback(db),

    findFeedback: async ({ db, params }) => {
      const row = await findFeedback(db, params.id);
      if (!row) throw new Problem("notFound");
      return toFeedback(row, zone);
    },

    processFeedback: async ({ db, params, audit }) => {
      const outcome = await processFeedback(db, params.id);
      if (outcome === "unknown") throw new Problem("notFound");
      if (outcome === "was processed")
        throw explain("notAllowedNow", "该反馈已处理", "the feedback is processed already");
      audit.records = [params.id];
      return "1";
    },
  };
}
