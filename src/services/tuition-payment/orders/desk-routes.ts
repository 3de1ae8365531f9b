import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import { decideReceived } from "./change-store.ts";
import {
  approve,
  askBeforeApproval,
  askOrder,
  askReceived,
  giveBack,
  giveBackSecond,
  keepFailed,
  refundAgain,
  refundOutside,
  refuse,
  settleLate,
} from "./deciding.ts";
import type { deskEndpoints, deskRow, refundEndpoints } from "./desk-contract.ts";
import { type DeskEntry, findDeskEntry, listDesk } from "./desk-store.ts";
import { type Desk, requireOrder } from "./desk.ts";
import { findOrder } from "./order-store.ts";
import { closeSettled, handleDifference } from "./reconcile-store.ts";
import { type DeskAction, listActions } from "./rules.ts";
import { toOrder } from "./wire.ts";

export function refundHandlers(desk: Desk): Handlers<typeof refundEndpoints> {
  const { pool, settings } = desk.platform;
  const present = async (db: Db, orderNo: string) =>
    toOrder(requireOrder(await findOrder(db, orderNo)), settings.TIME_ZONE);
  return {
    refundAgain: async ({ db, params: { orderNo, refundNo }, caller, audit }) => {
      const fen = await refundAgain(db, desk, orderNo, refundNo, caller.userName);
      Object.assign(audit, { records: [orderNo], detail: { refundNo, fen } });
      return present(db, orderNo);
    },

    refundOutside: async ({ db, params: { orderNo, refundNo }, body: { evidence }, caller, audit }) => {
      const fen = await refundOutside(db, orderNo, refundNo, { evidence, by: caller.userName });
      Object.assign(audit, { records: [orderNo], detail: { refundNo, fen, evidence } });
      return present(db, orderNo);
    },

    approveRefund: withoutTransaction(async ({ params: { orderNo, refundNo }, caller, transact, audit }) => {
      const by = caller.userName;
      const received = await askBeforeApproval(desk, orderNo, refundNo, by);
      await transact(async (tx) => {
        const fen = await approve(tx, orderNo, refundNo, { received, by });
        Object.assign(audit, { records: [orderNo], detail: { refundNo, fen } });
        return "1";
      });
      return present(pool, orderNo);
    }),

    refuseRefund: async ({ db, params: { orderNo, refundNo }, body: { reason }, caller, audit }) => {
      const fen = await refuse(db, orderNo, refundNo, { reason, by: caller.userName });
      Object.assign(audit, { records: [orderNo], detail: { refundNo, fen, reason } });
      return present(db, orderNo);
    },

    askOrder: withoutTransaction(async ({ params: { orderNo }, transact, audit }) => {
      await askOrder(desk, orderNo);
      await transact(async (tx) => {
        await closeSettled(tx, orderNo);
        audit.records = [orderNo];
        return "1";
      });
      return present(pool, orderNo);
    }),
  };
}

export function deskHandlers(desk: Desk): Handlers<typeof deskEndpoints> {
  const { pool, settings } = desk.platform;
  return {
    listDesk: async ({ db, query }) => {
      const { rows, totalCount } = await listDesk(db, query, toListOrder(query, "time"));
      return toPage(
        rows.map((row) => toDeskRow(row, settings.TIME_ZONE)),
        totalCount,
        query,
      );
    },

    actAtDesk: withoutTransaction(async ({ params: { id, action: named }, body = {}, caller, transact, audit }) => {
      const row = found(await findDeskEntry(pool, id));
      const action = listActions(row).find((each) => each === named);
      if (!action)
        throw explain("notAllowedNow", "当前不能执行该操作", "this action is not available for the row at present");
      const work = await preparations[action](desk, row, { ...body, by: caller.userName });
      await transact(async (tx) => {
        const fen = await work(tx);
        Object.assign(audit, {
          records: [id],
          detail: { action, orderNo: row.orderNo, ...(fen !== undefined && { fen }) },
        });
        return "1";
      });
      const after = (await findDeskEntry(pool, id)) ?? { ...row, handled: true };
      return toDeskRow(after, settings.TIME_ZONE);
    }),
  };
}

const numberOf = ({ id }: DeskEntry): number => Number(id.slice(1));

/**
 * Queries the gateway if necessary. Returns a function that writes the decision in a transaction and returns the amount
 * in fen, if there is one.
 */
type Prepare = (
  desk: Desk,
  row: DeskEntry,
  wish: {
    readonly by: string;
    readonly reason?: string | undefined;
    readonly evidence?: string | undefined;
    readonly note?: string | undefined;
  },
) => Promise<(tx: Db) => Promise<number | undefined>> | ((tx: Db) => Promise<number | undefined>);

const preparations: Readonly<Record<DeskAction, Prepare>> = {
  ask: async (desk, { orderNo }) => {
    await askOrder(desk, orderNo);
    return async (tx) => {
      await closeSettled(tx, orderNo);
      return undefined;
    };
  },
  settle: async (desk, { orderNo }, { by, reason = "" }) => {
    const received = await askReceived(desk, orderNo);
    return (tx) => settleLate(tx, desk, orderNo, { received, reason: reason || "款项到账，撤销原决定", by });
  },
  refund: async (desk, row, { by, ...wish }) => {
    const { orderNo, refundNo } = row;
    const reason = wish.reason || "退回待处理款项";
    if (row.kind === "long") return (tx) => giveBackSecond(tx, desk, { id: numberOf(row), orderNo }, { reason, by });
    if (row.kind === "refundAsked") {
      const received = await askBeforeApproval(desk, orderNo, refundNo, by);
      return (tx) => approve(tx, orderNo, refundNo, { received, by });
    }
    const received = await askReceived(desk, orderNo);
    return (tx) => giveBack(tx, desk, orderNo, { received, reason, by });
  },
  again:
    (desk, { orderNo, refundNo }, { by }) =>
    (tx) =>
      refundAgain(tx, desk, orderNo, refundNo, by),
  outside: (_desk, { orderNo, refundNo }, { by, ...wish }) => {
    const evidence = requireText("evidence", wish.evidence);
    return (tx) => refundOutside(tx, orderNo, refundNo, { evidence, by });
  },
  note: (_desk, row, { by, ...wish }) => {
    const note = requireText("note", wish.note);
    return (tx) => leave(tx, row, note, by);
  },
};

async function leave(tx: Db, row: DeskEntry, note: string, by: string): Promise<number | undefined> {
  const { orderNo, refundNo, kind } = row;
  if (kind === "refundAsked") return refuse(tx, orderNo, refundNo, { reason: note, by });
  if (kind === "refundFailed") return keepFailed(tx, orderNo, refundNo, { note, by });
  const isDone =
    kind === "late" || kind === "otherAmount"
      ? await decideReceived(tx, numberOf(row), by, note)
      : (await handleDifference(tx, numberOf(row), note, by)) === "done";
  if (!isDone) throw explain("notAllowedNow", "该款项已处理", "the payment exception has already been handled");
  return undefined;
}

function requireText(field: string, text = ""): string {
  if (text.trim() === "") throw explain("badFormat", `${field}: 不能为空`, `${field}: must not be empty`);
  return text.trim();
}

const toYuanOrNull = (fen: number | null): number | null => fen && toYuan(fen);

const toDeskRow = (row: DeskEntry, zone: string): z.input<typeof deskRow> => ({
  id: row.id,
  kind: row.kind,
  orderNo: row.orderNo,
  refundNo: row.refundNo || null,
  gateway: row.gateway,
  amount: toYuanOrNull(row.amountFen),
  theirAmount: toYuanOrNull(row.theirFen),
  time: formatDateTime(row.time, zone),
  actions: listActions(row),
  handled: row.handled,
  note: row.note,
  by: row.by,
});
