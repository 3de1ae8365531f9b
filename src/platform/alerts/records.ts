import type { Bilingual } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { StoredAlert } from "./alert-store.ts";
import { maskAddress } from "./channel-rules.ts";
import type { StoredChannel } from "./channel-store.ts";
import type { AlertEndpoints, AlertRecord, ChannelRecord } from "./contract.ts";
import type { Choice } from "./finding-store.ts";
import type { NamedCondition } from "./model.ts";
import type * as z from "zod";

const orNull = (at: Date | null, zone: string): string | null => (at === null ? null : formatDateTime(at, zone));
const noWords: Bilingual = { zh: "", en: "" };

export function toAlertRecord(row: StoredAlert, conditions: readonly NamedCondition[], zone: string): AlertRecord {
  const condition = conditions.find(({ id }) => id === row.condition);
  const { mutedBy, muteReason, mutedUntil } = row;
  return {
    id: row.id,
    condition: row.condition,
    title: condition?.title ?? { zh: row.condition, en: row.condition },
    remedy: condition?.remedy ?? noWords,
    subject: row.subject,
    says: { zh: row.zh, en: row.en },
    figures: row.figures,
    sinceTime: formatDateTime(row.since, zone),
    openTime: formatDateTime(row.openedAt, zone),
    overTime: orNull(row.overAt, zone),
    mute:
      mutedBy === null ? null : { untilTime: orNull(mutedUntil, zone), reason: muteReason ?? "", userName: mutedBy },
    told: row.told.map(({ channel, openAt, overAt }) => ({
      channel,
      openTime: orNull(openAt === null ? null : new Date(openAt), zone),
      overTime: orNull(overAt === null ? null : new Date(overAt), zone),
    })),
  };
}

type ConditionRecord = z.output<AlertEndpoints["listAlertConditions"]["answer"]["data"]>[number];

export const toConditionRecord = (
  { id, service, title, remedy, threshold }: NamedCondition,
  choice: Choice | undefined,
  open: number,
): ConditionRecord => ({
  id,
  service,
  title,
  remedy,
  enabled: choice?.enabled ?? true,
  threshold: threshold ? { ...threshold, value: choice?.threshold ?? threshold.standard } : null,
  open,
});

export const toChannelRecord = (channel: StoredChannel, zone: string): ChannelRecord => ({
  id: channel.id,
  name: channel.name,
  kind: channel.kind,
  address: maskAddress(channel),
  hasSecret: channel.secret !== "",
  conditions: channel.conditions && [...channel.conditions],
  language: channel.language,
  enabled: channel.enabled,
  createTime: formatDateTime(channel.createdAt, zone),
  toldTime: orNull(channel.toldAt, zone),
  failingTime: orNull(channel.failingSince, zone),
  failure: channel.failure,
});
