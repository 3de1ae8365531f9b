import { type Condition, isAbove } from "#platform/process/condition.ts";
import type { Figures } from "#platform/process/health.ts";
import { openSenders } from "./channels.ts";
import { hasBacklog, listDeadJobs } from "./store.ts";

const fullShare = 0.9;
const slowAnswerMs = 500;
const oldJobSeconds = 300;
const oldHours = 26;
// Twice what is kept for the database: somebody should look before files are refused.
const scarceShare = 2;

const isCrowded = (figures: Figures, used: string, most: string): boolean =>
  isAbove(figures[used], fullShare * Number(figures[most]));

/** What is new for less long is on its way. */
const minuteMs = 60_000;

export const platformConditions: readonly Condition[] = [
  {
    name: "version-too-old",
    title: {
      zh: "数据库版本过新，本版本不能运行",
      en: "The database is of a version beside which this one may not run",
    },
    remedy: { zh: "升级本进程", en: "Upgrade this process" },
    severity: "critical",
    of: { part: "database", holds: ({ mayRun }) => mayRun === false },
  },
  {
    name: "migrations-differ",
    title: { zh: "数据库与程序版本不一致", en: "The database is not of this version" },
    remedy: {
      zh: "完成升级：迁移待执行，或仍有旧版本进程",
      en: "Finish the upgrade: migrate, or replace old processes",
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
    remedy: { zh: "检查数据库服务器的负载、磁盘与慢语句", en: "See its load, its disk and its slowest statements" },
    severity: "warning",
    of: { part: "database", holds: ({ roundTripMs }) => isAbove(roundTripMs, slowAnswerMs) },
    holdMinutes: 5,
  },
  {
    name: "connections-short",
    title: { zh: "数据库连接即将用尽", en: "The database has few connections left" },
    remedy: { zh: "提高 max_connections，或减小 DATABASE_POOL", en: "Raise max_connections, or lower DATABASE_POOL" },
    severity: "warning",
    of: { part: "database", holds: (figures) => isCrowded(figures, "connections", "maxConnections") },
    holdMinutes: 5,
  },
  {
    name: "key-missing",
    title: { zh: "缺少数据密钥", en: "A data key is missing" },
    remedy: { zh: "为本进程设置全部所需的 DATA_KEY", en: "Give this process every key that DATA_KEY must name" },
    severity: "warning",
    of: { part: "sealing", holds: ({ missingKeys }) => isAbove(missingKeys, 0) },
  },
  {
    name: "jobs-stopped",
    title: { zh: "后台任务已停止", en: "Jobs are not worked off" },
    remedy: { zh: "查看本进程的日志并重启", en: "See this process's log, and start it again" },
    severity: "critical",
    of: { part: "jobs", holds: ({ running }) => running === false },
  },
  {
    name: "jobs-late",
    title: { zh: "后台任务逾期", en: "Jobs are late" },
    remedy: { zh: "提高 JOB_CONCURRENCY 或增加进程", en: "Raise JOB_CONCURRENCY, or add processes" },
    severity: "warning",
    of: { part: "jobs", holds: ({ oldestWaitingSeconds }) => isAbove(oldestWaitingSeconds, oldJobSeconds) },
    holdMinutes: 5,
  },
  {
    name: "job-dead",
    title: { zh: "后台任务已失败", en: "A job has failed for good" },
    remedy: {
      zh: "在日志中查找该任务失败的原因，排除后重新执行",
      en: "Look for the task's failures in the log, mend the cause, then have it run again",
    },
    severity: "warning",
    of: { part: "jobs", holds: ({ failed }) => isAbove(failed, 0) },
    find: async ({ platform: { pool } }) =>
      (await listDeadJobs(pool)).map(({ task, count }) => ({
        subject: task,
        says: { zh: `任务 ${task} 有 ${count} 个已失败，不再重试`, en: `${count} of ${task} are not tried any more` },
        figures: { count },
      })),
  },
  {
    name: "uploads-refused",
    title: { zh: "停止接收文件", en: "Files are refused" },
    remedy: { zh: "磁盘已满或文件存储不可用：扩容或恢复存储", en: "The disk is full or the store does not answer" },
    severity: "critical",
    of: { part: "files", holds: ({ refusesUploads }) => refusesUploads === true },
    ofMachine: true,
  },
  {
    name: "disk-short",
    title: { zh: "磁盘空间不足", en: "The disk is short" },
    remedy: { zh: "扩大 DATA_DIR 所在的磁盘", en: "Enlarge the disk of DATA_DIR" },
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
    title: { zh: "上传空间不足", en: "Room for files is short" },
    remedy: { zh: "提高 UPLOAD_QUOTA_GB，或删除不再需要的文件", en: "Raise UPLOAD_QUOTA_GB, or remove files" },
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
    title: { zh: "备份过旧或失败", en: "The backup is old or has failed" },
    remedy: {
      zh: "在日志中查找备份失败的原因，然后手动备份一次",
      en: "See the log for why, then make a backup by hand",
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
    title: { zh: "到期资料未清理", en: "Old records are not removed" },
    remedy: { zh: "在日志中查找 platform-retention 失败的原因", en: "See the log for why platform-retention fails" },
    severity: "warning",
    of: {
      part: "retention",
      holds: ({ limitedKinds, runAgeHours }) => isAbove(limitedKinds, 0) && isAbove(runAgeHours, oldHours),
    },
  },
  {
    name: "part-unread",
    title: { zh: "运行状态无法读取", en: "A part does not say how it is" },
    remedy: { zh: "在“运行状态”页查看原因", en: "See why on the page Health" },
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
    title: { zh: "告警渠道不可用", en: "A channel of alerts fails" },
    remedy: { zh: "在“告警”页测试渠道", en: "Test the channels on the page Alerts" },
    severity: "warning",
    holdMinutes: 15,
    find: async ({ platform: { pool, settings }, nowMs }) => {
      const channels = [...openSenders(settings).keys()];
      const behind = await Promise.all(channels.map((one) => hasBacklog(pool, one, new Date(nowMs - minuteMs))));
      return channels
        .filter((_, index) => behind[index])
        .map((channel) => ({
          subject: channel,
          says: { zh: `渠道 ${channel} 无法送达`, en: `The channel ${channel} cannot be reached` },
        }));
    },
  },
];
