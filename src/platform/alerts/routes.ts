import { seesOf } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { writeTimes } from "#platform/contract/times.ts";
import type { NamedCondition } from "#platform/process/condition.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { composeTest, openSenders } from "./channels.ts";
import type { AlertEndpoints, AlertRecord } from "./contract.ts";
import { type AlertParts, queueNotifications } from "./evaluate.ts";
import { countOpen, getLockedAlert, listAlerts, muteAlert, type StoredAlert, unmuteAlert } from "./store.ts";

type Parts = Pick<AlertParts, "platform" | "conditions">;

const muteMs = { hour: 3_600_000, day: 86_400_000, over: undefined } as const;

export const alertHandlers = ({ platform: { settings, clock }, conditions }: Parts): Handlers<AlertEndpoints> => ({
  listAlerts: async ({ db, query, caller: { services } }) => {
    const shown = { openFirst: query.orderField === undefined, services };
    const { rows, totalCount } = await listAlerts(db, query, shown, toListOrder(query, "openTime"));
    const list = rows.map((row) => toAlertRecord(row, conditions, settings.TIME_ZONE));
    return toPage(list, totalCount, query);
  },
  muteAlert: async ({ db, body: { id, until, reason }, caller, audit }) => {
    const alert = await getLockedAlert(db, caller, id);
    if (alert.isOver) throw explain("notAllowedNow", "告警已恢复", "the alert has been resolved");
    const lastsMs = muteMs[until];
    const end = lastsMs === undefined ? null : new Date(clock() + lastsMs);
    await muteAlert(db, alert, end, reason, caller.userName);
    audit.records = [id];
    audit.detail = { condition: alert.condition, until };
    return "1";
  },
  unmuteAlert: async ({ db, body: { id }, caller, audit }) => {
    const alert = await getLockedAlert(db, caller, id);
    if ((await unmuteAlert(db, alert)) === 0) throw new Problem("notFound");
    await queueNotifications(db, settings);
    audit.records = [id];
    audit.detail = { condition: alert.condition };
    return "1";
  },
  listAlertConditions: async ({ db, caller }) => {
    const open = await countOpen(db);
    return conditions
      .filter(({ service }) => seesOf(caller, service))
      .map(({ id, service, title, remedy, severity }) => {
        return { id, service, title, remedy, severity, open: open.get(id) ?? 0 };
      });
  },
  testAlertChannels: withoutTransaction(async ({ transact, audit, caller }) => {
    if (!seesOf(caller, "platform")) throw new Problem("forbidden");
    const message = composeTest(settings.ALERT_LANGUAGE);
    const results = [...openSenders(settings)].map(async ([channel, send]) => {
      const startedMs = performance.now();
      const sent = await send(message, clock());
      const durationMs = Math.round(performance.now() - startedMs);
      return { channel, delivered: sent.error === null, durationMs, ...sent };
    });
    const tested = await Promise.all(results);
    audit.detail = Object.fromEntries(tested.map(({ channel, delivered }) => [channel, delivered]));
    await transact(async () => "1");
    return tested;
  }),
});

function toAlertRecord(stored: StoredAlert, conditions: readonly NamedCondition[], zone: string): AlertRecord {
  const { mutedBy, mutedUntil, muteReason, told, ...row } = stored;
  const { title, remedy } = conditions.find(({ id }) => id === row.condition) ?? {};
  const mute = mutedBy === null ? null : { untilTime: mutedUntil, reason: muteReason ?? "", userName: mutedBy };
  return {
    ...writeTimes(row, zone),
    title: title ?? { zh: row.condition, en: row.condition },
    remedy: remedy ?? { zh: "", en: "" },
    mute: mute && writeTimes(mute, zone),
    told: told.map(({ channel, openAt, overAt }) =>
      writeTimes({ channel, openTime: new Date(openAt), overTime: overAt === null ? null : new Date(overAt) }, zone),
    ),
  };
}
