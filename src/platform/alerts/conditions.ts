import { hostname } from "node:os";
import type { AlertCondition, Finding, Looking } from "#platform/process/alert.ts";
import { type HealthPart, oldJobSeconds } from "#platform/process/health.ts";
import { listFailingChannels } from "./channel-store.ts";
import { listDeadJobs } from "./job-store.ts";

const minutes = { zh: "分钟", en: "minutes" };
const bytesPerGib = 1024 ** 3;

/** A part of health that is not well for longer than a moment. @param told parts whose degradation a service tells of */
const partTroubled = (told: ReadonlySet<string | undefined>): AlertCondition => ({
  name: "part-troubled",
  title: { zh: "运行状态异常", en: "A part is not well" },
  remedy: {
    zh: "在“运行状态”页查看该部分的数据",
    en: "See the part's figures on the page Health",
  },
  threshold: { unit: minutes, least: 1, most: 1440, standard: 5 },
  holdMinutes: "threshold",
  find: async ({ listHealth }) =>
    (await listHealth()).filter((part) => part.state !== "ok" && !isToldElsewhere(part, told)).map(tellPart),
});

const states = { degraded: { zh: "需要关注", en: "needs attention" }, failed: { zh: "故障", en: "failed" } } as const;

const tellPart = ({ name, title, state, figures }: HealthPart): Finding => {
  const { zh, en } = states[state as keyof typeof states];
  const says = { zh: `${title.zh}：${zh}`, en: `${title.en}: ${en}` };
  return { subject: name, says, figures: { state, ...onlyPlain(figures) } };
};

/** What a condition of its own tells, or a service's. */
function isToldElsewhere(part: HealthPart, told: ReadonlySet<string | undefined>): boolean {
  const { name, state, figures } = part;
  if (name === "files" || name === "backup") return true;
  const { oldestWaitingSeconds: waited } = figures;
  const areJobsLate = typeof waited === "number" && waited > oldJobSeconds;
  if (name === "jobs" && state === "degraded" && !areJobsLate) return true;
  return state === "degraded" && told.has(name);
}

const jobDead: AlertCondition = {
  name: "job-dead",
  title: { zh: "后台任务已失败", en: "A job has failed for good" },
  remedy: {
    zh: "在日志中查找该任务失败的原因，排除后重新执行",
    en: "Look for the task's failures in the log, mend the cause, then have it run again",
  },
  find: async ({ platform: { pool } }) =>
    (await listDeadJobs(pool)).map(({ task, count }) => ({
      subject: task,
      says: {
        zh: `任务 ${task} 有 ${count} 个已失败，不再重试`,
        en: `${count} of the task ${task} have failed and are not tried any more`,
      },
      figures: { count },
    })),
};

const backupOld: AlertCondition = {
  name: "backup-old",
  title: { zh: "备份过旧或失败", en: "The backup is old or has failed" },
  remedy: { zh: "在日志中查找备份失败的原因，然后手动备份一次", en: "See the log for why, then make a backup by hand" },
  threshold: { unit: minutes, least: 1, most: 1440, standard: 5 },
  holdMinutes: "threshold",
  find: async ({ listHealth }) => {
    const part = (await listHealth()).find(({ name }) => name === "backup");
    return !part || part.state === "ok" ? [] : [tellPart(part)];
  },
};

const onlyPlain = (figures: HealthPart["figures"]): Record<string, number | string> =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([key, value]) =>
      typeof value === "number" || typeof value === "string" ? [[key, value] as const] : [],
    ),
  );

const diskShort: AlertCondition = {
  name: "disk-short",
  title: { zh: "磁盘或上传空间不足", en: "Disk or room for files is short" },
  remedy: {
    zh: "扩大 DATA_DIR 所在的磁盘，或调整上传空间上限",
    en: "Enlarge the disk of DATA_DIR, or the quota of uploads",
  },
  threshold: { unit: { zh: "GiB 剩余", en: "GiB left" }, least: 1, most: 100_000, standard: 2 },
  ofMachine: true,
  find: async (looking) => {
    const part = (await looking.listHealth()).find(({ name }) => name === "files");
    return part ? tellRoom(part, looking) : [];
  },
};

function tellRoom({ state, figures }: HealthPart, { threshold }: Looking): Finding[] {
  const { freeDiskBytes: free, storeAnswers } = figures;
  const isShort = typeof free === "number" && free < threshold * bytesPerGib;
  if (state === "ok" && !isShort) return [];
  const machine = hostname();
  const gib = typeof free === "number" ? (free / bytesPerGib).toFixed(1) : "?";
  const says =
    storeAnswers === false || typeof free !== "number"
      ? { zh: `${machine}：文件存储不可用`, en: `${machine}: the store of files does not answer` }
      : { zh: `${machine}：磁盘剩余 ${gib} GiB`, en: `${machine}: ${gib} GiB of the disk are left` };
  return [{ subject: machine, says, figures: onlyPlain(figures) }];
}

const channelFailing: AlertCondition = {
  name: "channel-failing",
  title: { zh: "告警渠道不可用", en: "A channel of alerts fails" },
  remedy: { zh: "在“告警渠道”页测试该渠道", en: "Test it on the page of channels" },
  threshold: { unit: minutes, least: 1, most: 1440, standard: 15 },
  find: async ({ platform: { pool }, nowMs, threshold }) =>
    (await listFailingChannels(pool))
      .filter(({ failingSince }) => failingSince !== null && nowMs - failingSince.getTime() >= threshold * 60_000)
      .map(({ id, name }) => ({
        subject: String(id),
        says: { zh: `渠道“${name}”无法送达`, en: `The channel "${name}" cannot be reached` },
      })),
};

/** The platform's own conditions. @param conditions those of the services, which tell of some parts by themselves */
export const platformConditions = (conditions: readonly AlertCondition[]): readonly AlertCondition[] => [
  jobDead,
  partTroubled(new Set(conditions.map(({ part }) => part))),
  backupOld,
  diskShort,
  channelFailing,
];
