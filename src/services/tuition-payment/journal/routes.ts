import { parseDateTime, formatDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import { settleWrong } from "#services/tuition-payment/due-store.ts";
import { checkBooks } from "#services/tuition-payment/orders/ledger-store.ts";
import { exportCsv, exportSheet, journalSheet } from "#services/tuition-payment/workbooks.ts";
import type { JournalFilter as Wish, JournalLine, journalEndpoints } from "./contract.ts";
import {
  type JournalFilter,
  type JournalPlace,
  type JournalRow,
  listJournal,
  streamJournal,
  sumBalances,
} from "./journal-store.ts";

export function journalHandlers(platform: Platform): Handlers<typeof journalEndpoints> {
  const { pool, settings } = platform;
  const zone = settings.TIME_ZONE;
  return {
    readJournal: async ({ db, query: { cursor, limit, ...wish } }) => {
      const after = cursor === undefined ? undefined : toPlace(cursor);
      const rows = await listJournal(db, toFilter(wish, zone), { limit: limit + 1, after });
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      const list = rows.slice(0, limit).map((row) => toLine(row, zone));
      return { list, nextCursor: last ? `${last.at}-${last.source}-${last.id}` : null };
    },

    exportJournal: async (call) =>
      exportSheet(platform, call, journalSheet, () => streamJournal(pool, toFilter(call.query, zone))),

    exportJournalAsCsv: async (call) =>
      exportCsv(platform, call, { ...journalSheet, action: "exportJournalAsCsv" }, () =>
        streamJournal(pool, toFilter(call.query, zone)),
      ),

    readBalances: async ({ db, query }) =>
      (await sumBalances(db, zone, query)).map(({ date, channel, receivedFen, returnedFen, balanceFen }) => ({
        date,
        channel,
        received: toYuan(receivedFen),
        returned: toYuan(returnedFen),
        balance: toYuan(balanceFen),
      })),

    checkBooks: async ({ db }) => checkBooks(db),

    settleBooks: async ({ db, audit }) => {
      const payables = await settleWrong(db);
      audit.detail = { payables };
      return String(payables);
    },
  };
}

function toPlace(cursor: string): JournalPlace {
  const [at = 0, source = 0, id = 0] = cursor.split("-").map(Number);
  return { at, source, id };
}

const toFilter = ({ startTime, endTime, ...filter }: Wish, zone: string): JournalFilter => ({
  ...filter,
  from: startTime === undefined ? undefined : parseDateTime(startTime, zone),
  to: endTime === undefined ? undefined : parseDateTime(endTime, zone),
});

function toLine(row: JournalRow, zone: string): JournalLine {
  const { at, source: _source, id: _id, fen, ...line } = row;
  return { ...line, time: formatDateTime(new Date(at / 1000), zone), amount: toYuan(fen) };
}
