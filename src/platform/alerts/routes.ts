import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { NamedCondition } from "#platform/process/condition.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { AlertEndpoints, AlertRecord } from "./contract.ts";
import { haveTold } from "./looking.ts";
import { composeTest, type Wording } from "./message.ts";
import { openSenders } from "./senders.ts";
import {
  type AlertKey,
  type Choice,
  countOpen,
  dropAlerts,
  listAlerts,
  listChoices,
  lockAlert,
  muteAlert,
  setChoice,
  type StoredAlert,
  unmuteAlert,
} from "./store.ts";

type AlertHandlers = Handlers<AlertEndpoints>;

export interface AlertParts {
  readonly platform: Platform;
  /** Those of every service, whichever the process serves. */
  readonly conditions: readonly NamedCondition[];
}

export const alertHandlers = (parts: AlertParts): AlertHandlers => ({
  ...alerts(parts),
  ...choosing(parts),
  testAlertChannels: testChannels(parts),
});

const muteMs = { hour: 3_600_000, day: 86_400_000, over: undefined } as const;

const alerts = ({
  platform: { settings, clock },
  conditions,
}: AlertParts): Pick<AlertHandlers, "listAlerts" | "muteAlert" | "unmuteAlert"> => ({
  listAlerts: async ({ db, query }) => {
    const { state, condition } = query;
    const filter = { state, condition, openFirst: query.orderField === undefined };
    const { rows, totalCount } = await listAlerts(db, filter, toListOrder(query, "openTime"));
    return toPage(
      rows.map((row) => toAlertRecord(row, conditions, settings.TIME_ZONE)),
      totalCount,
      query,
    );
  },
  muteAlert: async ({ db, body: { id, until, reason }, caller, audit }) => {
    const alert = await getLockedAlert(db, id);
    if (alert.isOver) throw explain("notAllowedNow", "告警已恢复", "the alert is over");
    const lastsMs = muteMs[until];
    await muteAlert(db, alert, {
      until: lastsMs === undefined ? null : new Date(clock() + lastsMs),
      reason,
      mutedBy: caller.userName,
    });
    audit.records = [id];
    audit.detail = { condition: alert.condition, until };
    return "1";
  },
  unmuteAlert: async ({ db, body: { id }, audit }) => {
    const alert = await getLockedAlert(db, id);
    if (!(await unmuteAlert(db, alert))) throw new Problem("notFound");
    await haveTold(db, settings);
    audit.records = [id];
    audit.detail = { condition: alert.condition };
    return "1";
  },
});

async function getLockedAlert(tx: Db, id: number): Promise<AlertKey> {
  const alert = await lockAlert(tx, id);
  if (!alert) throw new Problem("notFound");
  return alert;
}

const choosing = ({
  platform: { clock },
  conditions,
}: AlertParts): Pick<AlertHandlers, "listAlertConditions" | "updateAlertCondition"> => ({
  listAlertConditions: async ({ db }) => {
    const [choices, open] = await Promise.all([listChoices(db), countOpen(db)]);
    return conditions.map((condition) => {
      const choice = choices.find((one) => one.condition === condition.id);
      return toConditionRecord(condition, choice, open.get(condition.id) ?? 0);
    });
  },
  updateAlertCondition: async ({ db, body: { id, enabled, threshold }, audit }) => {
    const condition = conditions.find((one) => one.id === id);
    if (!condition) throw new Problem("notFound");
    if (threshold !== undefined) refuseThreshold(condition, threshold);
    await setChoice(db, id, { enabled, threshold });
    if (enabled === false) await dropAlerts(db, id, new Date(clock()));
    audit.records = [id];
    audit.detail = { ...(enabled !== undefined && { enabled }), ...(threshold !== undefined && { threshold }) };
    return "1";
  },
});

/** @throws {Problem} badFormat beyond what the condition allows. */
function refuseThreshold({ threshold: allowed }: NamedCondition, threshold: number): void {
  if (!allowed) throw explain("badFormat", "threshold: 该条件没有阈值", "threshold: the condition has none");
  const { least, most } = allowed;
  if (threshold < least || threshold > most)
    throw explain("badFormat", `threshold: 应为${least}到${most}`, `threshold: must be ${least} to ${most}`);
}

const testChannels = (parts: AlertParts): AlertHandlers["testAlertChannels"] => ({
  withoutTransaction: async ({ transact, audit }) => {
    const { settings, clock } = parts.platform;
    const message = composeTest(toWording(parts));
    const results = [...openSenders(settings)].map(async ([channel, send]) => {
      const startedMs = performance.now();
      const sent = await send(message, clock());
      return {
        channel,
        delivered: sent.error === null,
        durationMs: Math.round(performance.now() - startedMs),
        ...sent,
      };
    });
    const tested = await Promise.all(results);
    audit.detail = Object.fromEntries(tested.map(({ channel, delivered }) => [channel, delivered]));
    await transact(async () => "1");
    return tested;
  },
});

export const toWording = ({ platform: { settings }, conditions }: AlertParts): Wording => {
  const { TIME_ZONE: timeZone, PUBLIC_URL: publicUrl, BASE_PATH: base, ALERT_LANGUAGE: language } = settings;
  const link = publicUrl === undefined ? undefined : `${publicUrl}${base}/console/platform/alerts`;
  return { conditions, language, timeZone, link };
};

const orNull = (at: Date | string | null, zone: string): string | null =>
  at === null ? null : formatDateTime(new Date(at), zone);
const noWords: Bilingual = { zh: "", en: "" };

function toAlertRecord(row: StoredAlert, conditions: readonly NamedCondition[], zone: string): AlertRecord {
  const { title, remedy } = conditions.find(({ id }) => id === row.condition) ?? {};
  const { id, condition, subject, zh, en, figures, mutedBy, muteReason, mutedUntil } = row;
  return {
    id,
    condition,
    title: title ?? { zh: condition, en: condition },
    remedy: remedy ?? noWords,
    subject,
    says: { zh, en },
    figures,
    sinceTime: formatDateTime(row.since, zone),
    openTime: formatDateTime(row.openedAt, zone),
    overTime: orNull(row.overAt, zone),
    mute:
      mutedBy === null ? null : { untilTime: orNull(mutedUntil, zone), reason: muteReason ?? "", userName: mutedBy },
    told: row.told.map(({ channel, openAt, overAt }) => ({
      channel,
      openTime: orNull(openAt, zone),
      overTime: orNull(overAt, zone),
    })),
  };
}

type ConditionRecord = z.output<AlertEndpoints["listAlertConditions"]["answer"]["data"]>[number];

const toConditionRecord = (
  { id, service, title, remedy, severity, threshold }: NamedCondition,
  choice: Choice | undefined,
  open: number,
): ConditionRecord => ({
  id,
  service,
  title,
  remedy,
  severity,
  enabled: choice?.enabled ?? true,
  threshold: threshold ? { ...threshold, value: choice?.threshold ?? threshold.standard } : null,
  open,
});
