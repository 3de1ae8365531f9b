import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import type { Db } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type AlertKey, countOpen, listAlerts, lockAlert, muteAlert, unmuteAlert } from "./alert-store.ts";
import { maskAddress, refuseBadTarget, refuseUnknownConditions } from "./channel-rules.ts";
import {
  deleteChannels,
  findChannel,
  insertChannel,
  listChannels,
  lockChannel,
  type StoredChannel,
  updateChannel,
} from "./channel-store.ts";
import type { AlertEndpoints, ChannelUpdate } from "./contract.ts";
import { dropAlerts, listChoices, setChoice } from "./finding-store.ts";
import { haveTold } from "./looking.ts";
import { composeTest } from "./message.ts";
import type { NamedCondition } from "./model.ts";
import { toAlertRecord, toChannelRecord, toConditionRecord } from "./records.ts";
import { sendMessage } from "./sending.ts";
import { toWording } from "./telling.ts";
import { markReached } from "./telling-store.ts";

type AlertHandlers = Handlers<AlertEndpoints>;

export const alertHandlers = (platform: Platform, conditions: readonly NamedCondition[]): AlertHandlers => ({
  ...alerts(platform, conditions),
  ...choosing(platform, conditions),
  ...channels(platform, conditions),
});

const muteMs = { hour: 3_600_000, day: 86_400_000, over: undefined } as const;

const alerts = (
  { settings, clock }: Platform,
  conditions: readonly NamedCondition[],
): Pick<AlertHandlers, "listAlerts" | "muteAlert" | "unmuteAlert"> => ({
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
    await haveTold(db);
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

const choosing = (
  { clock }: Platform,
  conditions: readonly NamedCondition[],
): Pick<AlertHandlers, "listAlertConditions" | "updateAlertCondition"> => ({
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

const channels = (
  platform: Platform,
  conditions: readonly NamedCondition[],
): Pick<
  AlertHandlers,
  "listAlertChannels" | "createAlertChannel" | "updateAlertChannel" | "deleteAlertChannels" | "testAlertChannel"
> => ({
  listAlertChannels: async ({ db, query }) => {
    const { rows, totalCount } = await listChannels(db, toListOrder(query, "createTime"));
    return toPage(
      rows.map((row) => toChannelRecord(row, platform.settings.TIME_ZONE)),
      totalCount,
      query,
    );
  },
  createAlertChannel: async ({ db, body, audit }) => {
    refuseUnknownConditions(body.conditions, conditions);
    const channel = { ...body, address: tidyAddress(body.kind, body.address) };
    refuseBadTarget(channel, platform.settings);
    const id = await insertChannel(db, channel);
    await haveTold(db);
    audit.records = [id];
    audit.detail = { name: body.name, kind: body.kind };
    return String(id);
  },
  updateAlertChannel: async ({ db, body, audit }) => {
    refuseUnknownConditions(body.conditions ?? null, conditions);
    const stored = await lockChannel(db, body.id);
    if (!stored) throw new Problem("notFound");
    const change = toChange(body, stored);
    if (body.address !== undefined || body.secret) refuseBadTarget({ ...stored, ...change }, platform.settings);
    const { id, ...fields } = body;
    await updateChannel(db, id, change);
    await haveTold(db);
    audit.records = [id];
    audit.detail = { fields: Object.keys(fields).join(",") };
    return "1";
  },
  deleteAlertChannels: async ({ db, body, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const removed = await deleteChannels(db, body);
    if (removed.length === 0) throw new Problem("notFound");
    audit.records = removed.map(({ id }) => id);
    audit.detail = { names: removed.map(({ name }) => name).join(",") };
    return String(removed.length);
  },
  testAlertChannel: {
    withoutTransaction: async ({ db, body: { id }, audit, transact }) => {
      const channel = await findChannel(db, id);
      if (!channel) throw new Problem("notFound");
      audit.records = [id];
      const message = composeTest(toWording(channel, platform.settings, conditions));
      const sent = await sendMessage(channel, message, platform.settings, platform.clock());
      const delivered = sent.error === null;
      audit.detail = { delivered };
      await transact(async (tx) => {
        if (delivered) await markReached(tx, id);
        await haveTold(tx);
        return "1";
      });
      return { delivered, ...sent };
    },
  },
});

/** People write a list with blanks. */
const tidyAddress = (kind: StoredChannel["kind"], address: string): string =>
  kind === "mail"
    ? address
        .split(",")
        .map((one) => one.trim())
        .join(",")
    : address.trim();

/** An address as it is shown, and a secret that is empty, stand for what is stored. */
function toChange({ id: _id, address, secret, ...rest }: ChannelUpdate, stored: StoredChannel) {
  const isNew = address !== undefined && address !== maskAddress(stored);
  return {
    ...rest,
    address: isNew ? tidyAddress(stored.kind, address) : stored.address,
    secret: secret || stored.secret,
  };
}
