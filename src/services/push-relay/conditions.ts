import { formatDateTime } from "#platform/contract/times.ts";
import { type Fragment, sql } from "#platform/database/index.ts";
import { type Condition, type Finding, isAbove } from "#platform/process/condition.ts";
import type { RelaySettings } from "./settings.ts";

const part = "relay";
const overdueSeconds = 300;
const oldMinutes = 30;

export const isFailing = (flagDays: number): Fragment =>
  sql`deleted_at is null and statu = 0 and not paused and failing_since < now() - ${flagDays} * interval '1 day'`;

export const relayConditions: readonly Condition<RelaySettings>[] = [
  {
    name: "relay-stopped",
    title: { zh: "推送已停止", en: "Pushing has stopped" },
    remedy: { zh: "查看本进程的日志并重启", en: "Check the log of this process and restart it" },
    severity: "critical",
    of: { part, holds: ({ running }) => running === false },
  },
  {
    name: "pushes-late",
    title: { zh: "推送逾期", en: "Pushes are overdue" },
    remedy: {
      zh: "如仅个别项目逾期，在推送项目页检查其接收方；如全部逾期，检查数据库与网络",
      en: "If only some projects are overdue, check their receivers on the Push projects page. If all are overdue, check the database and the network",
    },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["overdueSeconds"], overdueSeconds) },
    holdMinutes: 5,
  },
  {
    name: "project-flagged",
    title: { zh: "推送项目持续失败", en: "A push project keeps failing" },
    remedy: {
      zh: "在推送项目页发送测试，联系该项目的负责人",
      en: "Send a test event on the Push projects page, and contact the person in charge of the project",
    },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["flaggedProjects"], 0) },
    find: async ({ platform: { pool, settings } }) => {
      const projects = await pool<TroubledProject[]>`
        select id, name, failing_since as since,
          (select count(*) from push_relay.queue where project_id = project.id) as pending
        from push_relay.project where ${isFailing(settings.PUSH_FLAG_DAYS)} order by id`;
      const [zh, en] = [
        "项目“{name}”自 {since} 起推送全部失败",
        'Every push to the project "{name}" has failed since {since}',
      ];
      return projects.map((project) => toFinding(project, settings.TIME_ZONE, zh, en));
    },
  },
  {
    name: "push-old",
    title: { zh: "推送积压", en: "Pushes are piling up" },
    remedy: {
      zh: "在投递记录页查看该项目；接收方恢复后会按顺序补发",
      en: "Check the project on the Deliveries page; the backlog is delivered in order once the receiver recovers",
    },
    severity: "warning",
    find: async ({ platform: { pool, settings } }) => {
      const projects = await pool<TroubledProject[]>`
        select id, name, since, pending
        from push_relay.project join (
          select project_id, min(queued_at) as since, count(*) as pending from push_relay.queue group by project_id
        ) as waiting on waiting.project_id = project.id
        where deleted_at is null and statu = 0 and not paused
          and since < now() - ${oldMinutes}::integer * interval '1 minute' order by id`;
      const [zh, en] = [
        "项目“{name}”最早的推送自 {since} 起一直等待投递",
        'The oldest push to the project "{name}" has been waiting since {since}',
      ];
      return projects.map((project) => toFinding(project, settings.TIME_ZONE, zh, en));
    },
  },
];

interface TroubledProject {
  readonly id: number;
  readonly name: string;
  readonly since: Date;
  readonly pending: number;
}

function toFinding({ id, name, since, pending }: TroubledProject, zone: string, zh: string, en: string): Finding {
  const fill = (text: string) =>
    text.replace(/\{(name|since)\}/g, (_, what) => (what === "name" ? name : formatDateTime(since, zone)));
  return { subject: String(id), says: { zh: fill(zh), en: fill(en) }, figures: { pending } };
}
