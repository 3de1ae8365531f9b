import { randomUUID } from "node:crypto";
import { type Caller, seesOf } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime, writeTimes } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { NamedNotice, NoticeFields } from "#platform/process/notice.ts";
import { openWriters } from "./channels.ts";
import { noticeChannels, type NoticeEndpoints, type NoticeRecord } from "./contract.ts";
import { findHour, type NoticeParts } from "./sending.ts";
import {
  findContact,
  listNotices,
  listEnabledKinds,
  readOrder,
  storeContact,
  type StoredNotice,
  storeOrder,
  switchKinds,
} from "./store.ts";
import { composeWording, type NoticeLanguage } from "./words.ts";

async function findSample(db: Db, kind: NamedNotice, zone: string): Promise<{ fields: NoticeFields; isReal: boolean }> {
  const found = await kind.latest(db, zone);
  const names = Object.entries(kind.fields).map(([name, { zh }]) => [name, `〔${zh}〕`]);
  return { fields: found ?? Object.fromEntries(names), isReal: found !== undefined };
}

export function noticeHandlers({ platform, kinds }: NoticeParts): Handlers<NoticeEndpoints> {
  const { settings, clock, pool } = platform;
  const say = (kind: NamedNotice, fields: NoticeFields, language: NoticeLanguage) =>
    composeWording(kind, fields, 1, { language, institution: platform.institution.current() });
  const writers = openWriters(settings);
  const seen = (caller: Caller): readonly NamedNotice[] => kinds.filter(({ service }) => seesOf(caller, service));
  const getKind = (caller: Caller, id: string): NamedNotice => found(seen(caller).find((one) => one.id === id));
  return {
    readNoticeSettings: async ({ db, caller }) => {
      const order = await readOrder(db);
      const on = new Set((await listEnabledKinds(db)).map(({ kind }) => kind));
      return {
        channels: order.map((channel) => ({ channel, isSet: writers.has(channel) })),
        kinds: seen(caller).map(({ id, service, title, to, when, fields }) => {
          const channels = order.filter((channel) => writers.get(channel)?.supports(id));
          return { id, service, title, to, when, fields, isOn: on.has(id), channels };
        }),
      };
    },
    changeNoticeSettings: async ({ db, body, caller, audit }) => {
      const now = new Date(clock());
      const local = formatDateTime(now, settings.TIME_ZONE);
      const given = body.kinds.map(({ id, isOn }) => ({ id, isOn, sought: findHour(getKind(caller, id), local) }));
      // The preference among channels applies to all services, so only operators of all services may change it.
      if (body.channels && !seesOf(caller, "platform")) throw new Problem("forbidden");
      await switchKinds(db, given, now);
      if (body.channels) await storeOrder(db, [...new Set([...body.channels, ...noticeChannels])]);
      audit.records = given.map(({ id }) => id);
      audit.detail = Object.fromEntries(given.map(({ id, isOn }) => [id, isOn]));
      return "1";
    },
    listNotices: async ({ db, query, caller }) => {
      const { rows, totalCount } = await listNotices(db, query, caller.services, toRange(query));
      return toPage(
        rows.map((row) => toNoticeRecord(row, kinds, settings.TIME_ZONE)),
        totalCount,
        query,
      );
    },
    previewNotice: async ({ db, query, caller }) => {
      const kind = getKind(caller, query.kind);
      const { fields, isReal } = await findSample(db, kind, settings.TIME_ZONE);
      const [zh, en] = [say(kind, fields, "zh"), say(kind, fields, "en")];
      return { subject: { zh: zh.subject, en: en.subject }, text: { zh: zh.text, en: en.text }, isReal };
    },
    tryNotice: withoutTransaction(async ({ body, caller, transact, audit }) => {
      const kind = getKind(caller, body.kind);
      const writer = writers.get(body.channel);
      if (!writer?.supports(kind.id))
        throw explain(
          "notAllowedNow",
          "该渠道未配置，或缺少此通知的模板",
          "the channel is not configured, or has no template for this notice",
        );
      const { fields } = await findSample(pool, kind, settings.TIME_ZONE);
      const message = { id: randomUUID(), kind: kind.id, ...say(kind, fields, settings.NOTICE_LANGUAGE) };
      const startedMs = performance.now();
      const { state: outcome, error } = await writer.send(body.to, message);
      const durationMs = Math.round(performance.now() - startedMs);
      audit.records = [kind.id];
      audit.detail = { channel: body.channel, outcome };
      await transact(async () => "1");
      return { outcome, durationMs, error };
    }),
    readOwnContact: ({ db, caller }) => findContact(db, caller.accountId),
    changeOwnContact: async ({ db, body, caller }) => {
      await storeContact(db, caller.accountId, body);
      return "1";
    },
  };
}

function toNoticeRecord(stored: StoredNotice, kinds: readonly NamedNotice[], zone: string): NoticeRecord {
  const title = kinds.find(({ id }) => id === stored.kind)?.title ?? { zh: stored.kind, en: stored.kind };
  return { ...writeTimes(stored, zone), channel: stored.channel === "" ? null : stored.channel, title };
}
