import { countOf } from "#platform/contract/language.ts";
import { type Condition, isAbove } from "#platform/process/condition.ts";
import type { Figures } from "#platform/process/health.ts";
import { openSenders } from "./channels.ts";
import { hasBacklog, listDeadJobs } from "./store.ts";

const fullShare = 0.9;
const slowAnswerMs = 500;
const oldJobSeconds = 300;
const oldHours = 26;
// The alert is raised when the free disk space falls below this multiple of `reserveBytes`, so that somebody can act
// before uploads are refused.
const scarceShare = 2;

const isCrowded = (figures: Figures, used: string, most: string): boolean =>
  isAbove(figures[used], fullShare * Number(figures[most]));

const minuteMs = 60_000;

export const platformConditions: readonly Condition[] = [
  {
    name: "version-too-old",
    title: {
      zh: "数据库版本过新，本版本不能运行",
      en: "The database schema is too new for this version",
    },
    remedy: { zh: "升级本服务进程", en: "Upgrade this server process" },
    severity: "critical",
    of: { part: "database", holds: ({ mayRun }) => mayRun === false },
  },
  {
    name: "migrations-differ",
    title: { zh: "数据库与程序版本不一致", en: "Schema and program versions differ" },
    remedy: {
      zh: "完成升级：执行待执行的迁移，并更换旧版本进程",
      en: "Finish the upgrade: run the pending migrations and replace processes of the old version",
    },
    severity: "warning",
    of: {
      part: "database",
      holds: ({ pendingMigrations, newerMigrations }) => isAbove(pendingMigrations, 0) || isAbove(newerMigrations, 0),
    },
    holdMinutes: 5,
  },
  {
    name: "database-slow",
    title: { zh: "数据库响应缓慢", en: "The database is slow" },
    remedy: {
      zh: "检查数据库服务器的负载、磁盘与慢语句",
      en: "Check the load, disk and slow statements of the database server",
    },
    severity: "warning",
    of: { part: "database", holds: ({ roundTripMs }) => isAbove(roundTripMs, slowAnswerMs) },
    holdMinutes: 5,
  },
  {
    name: "connections-short",
    title: { zh: "数据库连接即将用尽", en: "Database connections are nearly exhausted" },
    remedy: { zh: "提高 max_connections，或减小 DATABASE_POOL", en: "Raise max_connections, or lower DATABASE_POOL" },
    severity: "warning",
    of: { part: "database", holds: (figures) => isCrowded(figures, "connections", "maxConnections") },
    holdMinutes: 5,
  },
  {
    name: "key-missing",
    title: { zh: "缺少数据密钥", en: "A data key is missing" },
    remedy: {
      zh: "在本进程的 DATA_KEY 或 DATA_KEY_OLD 中补上缺少的密钥",
      en: "Add the missing key to DATA_KEY or DATA_KEY_OLD of this process",
    },
    severity: "warning",
    of: { part: "sealing", holds: ({ missingKeys }) => isAbove(missingKeys, 0) },
  },
  {
    name: "key-unset",
    title: { zh: "数据未加密", en: "Data is not encrypted" },
    remedy: {
      zh: "设置 DATA_KEY，或在首页搁置此项",
      en: "Set DATA_KEY, or postpone this setup item on the home page",
    },
    severity: "warning",
    of: { part: "sealing", holds: ({ sealed, isAccepted }) => sealed === false && isAccepted === false },
  },
  {
    name: "jobs-stopped",
    title: { zh: "后台任务已停止", en: "Background jobs have stopped" },
    remedy: { zh: "查看本进程的日志并重启", en: "Check the log of this process and restart it" },
    severity: "critical",
    of: { part: "jobs", holds: ({ running }) => running === false },
  },
  {
    name: "jobs-late",
    title: { zh: "后台任务逾期", en: "Background jobs are overdue" },
    remedy: { zh: "提高 JOB_CONCURRENCY 或增加进程", en: "Raise JOB_CONCURRENCY, or add processes" },
    severity: "warning",
    of: { part: "jobs", holds: ({ oldestWaitingSeconds }) => isAbove(oldestWaitingSeconds, oldJobSeconds) },
    holdMinutes: 5,
  },
  {
    name: "job-dead",
    title: { zh: "后台任务已失败", en: "Background jobs failed permanently" },
    remedy: {
      zh: "在日志中查找该任务失败的原因，排除后重新执行",
      en: "Find the cause in the log, fix it, then run the job again",
    },
    severity: "warning",
    of: { part: "jobs", holds: ({ failed }) => isAbove(failed, 0) },
    find: async ({ platform: { pool } }) =>
      (await listDeadJobs(pool)).map(({ task, count }) => ({
        subject: task,
        says: {
          zh: `${count} 个 ${task} 任务已失败，不再重试`,
          en: `${countOf(count, "job")} of task ${task} failed permanently`,
        },
        figures: { count },
      })),
  },
  {
    name: "uploads-refused",
    title: { zh: "文件上传已暂停", en: "Uploads are suspended" },
    remedy: {
      zh: "磁盘已满或文件存储不可用：请扩充磁盘空间，或恢复文件存储",
      en: "The disk is full or the file store is unreachable: add disk space, or restore the connection to the file store",
    },
    severity: "critical",
    of: { part: "files", holds: ({ refusesUploads }) => refusesUploads === true },
    ofMachine: true,
  },
  {
    name: "disk-short",
    title: { zh: "磁盘空间不足", en: "Low disk space" },
    remedy: { zh: "扩大 DATA_DIR 所在的磁盘", en: "Add space to the disk of DATA_DIR" },
    severity: "warning",
    of: {
      part: "files",
      holds: ({ freeDiskBytes, reserveBytes }) =>
        typeof freeDiskBytes === "number" && freeDiskBytes < scarceShare * Number(reserveBytes),
    },
    ofMachine: true,
  },
  {
    name: "quota-short",
    title: { zh: "文件存储配额即将用尽", en: "The upload quota is nearly used up" },
    remedy: {
      zh: "提高 UPLOAD_QUOTA_GB，或删除不再需要的文件",
      en: "Raise UPLOAD_QUOTA_GB, or delete files that are no longer needed",
    },
    severity: "warning",
    of: {
      part: "files",
      holds: (figures) =>
        isCrowded(figures, "usedBytes", "quotaBytes") ||
        Object.keys(figures).some(
          (key) => key.startsWith("usedBytes ") && isCrowded(figures, key, "serviceQuotaBytes"),
        ),
    },
  },
  {
    name: "backup-old",
    title: { zh: "备份过旧或失败", en: "The last backup failed or is too old" },
    remedy: {
      zh: "在日志中查找备份失败的原因，然后手动备份一次",
      en: "Find the cause in the log, then run a backup manually",
    },
    severity: "warning",
    of: {
      part: "backup",
      holds: ({ ageHours = 0, lastFailure = null }) =>
        ageHours === null || isAbove(ageHours, oldHours) || lastFailure !== null,
    },
  },
  {
    name: "retention-late",
    title: { zh: "到期资料未清理", en: "Expired records are not being deleted" },
    remedy: {
      zh: "在日志中查找 platform-retention 失败的原因",
      en: "Search the log for platform-retention to find the cause",
    },
    severity: "warning",
    of: {
      part: "retention",
      holds: ({ limitedKinds, runAgeHours }) => isAbove(limitedKinds, 0) && isAbove(runAgeHours, oldHours),
    },
  },
  {
    name: "part-unread",
    title: { zh: "运行状态无法读取", en: "A component's health cannot be read" },
    remedy: { zh: "在“运行状态”页查看原因", en: "See the cause on the Health page" },
    severity: "critical",
    holdMinutes: 5,
    find: async ({ parts }) =>
      parts
        .filter(({ unread }) => unread)
        .map(({ name, title: { zh, en }, figures: { reason } }) => ({
          subject: name,
          says: { zh: `${zh}：${String(reason)}`, en: `${en}: ${String(reason)}` },
        })),
  },
  {
    name: "channel-failing",
    title: { zh: "告警渠道不可用", en: "An alert channel is unavailable" },
    remedy: { zh: "在“告警”页测试渠道", en: "Test the channel on the Alerts page" },
    severity: "warning",
    holdMinutes: 15,
    find: async ({ platform: { pool, settings }, nowMs }) => {
      const channels = [...openSenders(settings).keys()];
      const behind = await Promise.all(channels.map((one) => hasBacklog(pool, one, new Date(nowMs - minuteMs))));
      return channels
        .filter((_, index) => behind[index])
        .map((channel) => ({
          subject: channel,
          says: { zh: `渠道 ${channel} 无法送达`, en: `The channel ${channel} cannot deliver messages` },
        }));
    },
  },
];
