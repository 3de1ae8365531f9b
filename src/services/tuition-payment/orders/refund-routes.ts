import type { Handlers } from "#platform/process/handler.ts";
import type { orderEndpoints } from "./contract.ts";
import { type Desk, requireOrder } from "./desk.ts";
import { findOrder } from "./order-store.ts";
import { askReceived, requestRefund, returnMismatch } from "./refunding.ts";
import { toOrder } from "./wire.ts";

type Endpoints = Pick<typeof orderEndpoints, "refundOrder" | "giveBackOrder">;

/** The handlers of money that goes back. */
export function refundHandlers(desk: Desk): Handlers<Endpoints> {
  const { pool, settings } = desk.platform;
  const zone = settings.TIME_ZONE;
  return {
    refundOrder: async ({ db, params: { orderNo }, body: { reason, items }, caller, audit }) => {
      const fen = await requestRefund(db, desk, orderNo, { reason, items, by: caller.userName });
      audit.records = [orderNo];
      audit.detail = { fen };
      return toOrder(requireOrder(await findOrder(db, orderNo)), zone);
    },

    giveBackOrder: {
      withoutTransaction: async ({ params: { orderNo }, body: { reason }, caller, transact, audit }) => {
        const received = await askReceived(desk, orderNo);
        await transact(async (tx) => {
          const fen = await returnMismatch(tx, desk, orderNo, received, { reason, by: caller.userName });
          audit.records = [orderNo];
          audit.detail = { fen };
          return "1";
        });
        return toOrder(requireOrder(await findOrder(pool, orderNo)), zone);
      },
    },
  };
}
