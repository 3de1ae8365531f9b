import type { JsonText } from "#platform/contract/envelope.ts";
import { type Db, startStatement } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { type ListQuery, readJson, selectFields, toObject, writePage } from "#services/disease-command/record-store.ts";
import {
  contains,
  equals,
  type FieldOf,
  instant,
  plain,
  type RecordTable,
  toFileAddress,
} from "#services/disease-command/record-table.ts";
import type { broadcastRecord, broadcastStatistics } from "./contract.ts";

export const statisticsTable: RecordTable<FieldOf<typeof broadcastStatistics>> = {
  table: "disease_command.broadcast_statistics",
  columns: {
    numOfDevice: plain("devices"),
    rateOfInline: plain("online_rate"),
    numOfBroadcasts: plain("broadcasts"),
    broadcastDuration: plain("duration_hours"),
    broadcastTime: plain("periods"),
  },
};

export const broadcasts: RecordTable<FieldOf<typeof broadcastRecord>> = {
  table: "disease_command.broadcast_record",
  columns: {
    title: plain("title"),
    address: plain("address"),
    broadcastType: plain("broadcast_type"),
    messageType: plain("message_type"),
    content: plain("content"),
    playTime: instant("played_at"),
    extraFile: plain("extra_file"),
    extraFileShowUrl: { name: "extra_file", read: toFileAddress },
  },
  filters: {
    title: contains("title"),
    broadcastType: equals("broadcast_type"),
    messageType: equals("message_type"),
  },
  files: "extraFile",
};

/** SQL for the statistics, which are one row from the beginning. */
export const writeStatistics = (settings: Settings): string =>
  toObject(`select ${selectFields(statisticsTable, settings)} from ${statisticsTable.table}`);

/** A page of broadcasts, with the figures of the statistics beside it. */
export function listBroadcasts(db: Db, settings: Settings, query: ListQuery): Promise<JsonText | undefined> {
  const statement = startStatement();
  const figures = `broadcasts as "numOfBroadcasts", duration_hours as "broadcastDuration"`;
  const page = `${writePage(statement, broadcasts, settings, query)} as "recordPage"`;
  return readJson(db, statement, toObject(`select ${figures}, ${page} from ${statisticsTable.table}`));
}
