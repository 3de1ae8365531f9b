import { formatDateTime } from "#platform/contract/times.ts";
import type { NoticeFields, NoticeKind } from "#platform/process/notice.ts";
import { isFailing } from "./conditions.ts";
import { openContact } from "./sealed.ts";
import type { RelaySettings } from "./settings.ts";

const toAddresses = (contact: string) =>
  contact.includes("@") ? { mail: contact } : { phone: contact.replaceAll(/[ ()-]/g, "") };

export const relayNotices: readonly NoticeKind<RelaySettings>[] = [
  {
    name: "project-flagged",
    title: { zh: "推送项目持续失败", en: "A push project keeps failing" },
    to: { zh: "推送项目的联系人", en: "the project's contact" },
    when: { zh: "连续失败数天后，每天一次", en: "after several days of failures, then daily" },
    fields: { project: { zh: "项目名称", en: "Project" }, since: { zh: "起始时间", en: "Since" } },
    subject: { zh: "“{project}”的推送持续失败", en: "Pushes to {project} keep failing" },
    text: {
      zh: "自 {since} 起，向“{project}”的推送全部失败。请检查接收方；恢复后，等待的变更会按顺序补发。",
      en: "All pushes to {project} have failed since {since}. Please check its receiver; once it recovers, the waiting changes are delivered in order.",
    },
    async *find({ platform: { pool, settings }, now }) {
      const days = settings.PUSH_FLAG_DAYS;
      const rows = await pool<{ id: number; key: string; contact: string; project: string; since: Date }[]>`
        select id, contact_sealed as contact, name as project, failing_since as since,
          concat_ws(' ', id, extract(epoch from failing_since),
            floor(extract(epoch from ${now}::timestamptz - failing_since) / 86400 - ${days}::float8)) as key
        from push_relay.project where contact_sealed is not null and ${isFailing(days)} order by id`;
      yield rows.map(({ id, key, contact, project, since }) => {
        const to = toAddresses(openContact(pool.keys, contact));
        const fields = { project, since: formatDateTime(since, settings.TIME_ZONE) };
        return { key, person: `project ${id}`, to, fields };
      });
    },
    latest: (db, zone) =>
      db.first<NoticeFields>`
        select name as project, to_char(failing_since at time zone ${zone}, 'YYYY-MM-DD HH24:MI:SS') as since from push_relay.project
        where deleted_at is null and failing_since is not null order by failing_since desc limit 1`,
  },
];
