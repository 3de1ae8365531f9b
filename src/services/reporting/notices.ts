import { type Db, sql } from "#platform/database/index.ts";
import { isInReaderScope, findReaderNotices } from "#platform/notices/reader-notices.ts";
import type { NoticeFields, NoticeKind } from "#platform/process/notice.ts";
import { places } from "./scope-contract.ts";

const waitingHours = 48;
const administrators = { zh: "数据范围包含该报备的管理员", en: "administrators whose scope includes the report" };
const fields = {
  company: { zh: "单位名称", en: "Organisation" },
  entryName: { zh: "项目名称", en: "Project" },
  trade: { zh: "所属行业", en: "Industry" },
  count: { zh: "件数", en: "Count" },
};
const columns = sql`company, entry_name as "entryName", trade`;

const findLatest = (db: Db): Promise<NoticeFields | undefined> =>
  db.first<NoticeFields>`
    select ${columns}, '1' as count from reporting.report where not deleted order by id desc limit 1`;

export const reportingNotices: readonly NoticeKind[] = [
  {
    name: "report-arrived",
    title: { zh: "新报备", en: "New report" },
    to: administrators,
    when: { zh: "提交时；10 分钟内的合为一条", en: "on submission; reports within ten minutes are combined" },
    fields,
    subject: { zh: "新报备：{entryName}", en: "New report: {entryName}" },
    text: {
      zh: "{company}报备了项目“{entryName}”（{trade}），请登录管理后台审核。",
      en: '{company} has registered the project "{entryName}" ({trade}). Please sign in to review it.',
    },
    gather: {
      minutes: 10,
      text: {
        zh: "收到 {count} 个新报备，最早的是{company}的“{entryName}”（{trade}），请登录管理后台审核。",
        en: '{count} new reports have been submitted, the first being "{entryName}" by {company} ({trade}). Please sign in to review them.',
      },
    },
    find: (seeking) =>
      findReaderNotices(
        seeking,
        "read",
        (readers) => sql`
          select reader.id as "accountId", report.id || ' ' || reader.id as key, ${columns}, '1' as count
          from reporting.report, ${readers}
          where created_at > ${seeking.since} and not deleted and ${isInReaderScope(places)} order by report.id`,
      ),
    latest: findLatest,
  },
  {
    name: "report-waiting",
    title: { zh: "报备待审核", en: "Reports awaiting review" },
    to: administrators,
    when: { zh: "超过 48 小时未审核，每天 9 点", en: "daily at 9:00, if a report has had no verdict for 48 hours" },
    fields,
    subject: { zh: "{count} 个报备待审核", en: "{count} reports are awaiting review" },
    text: {
      zh: "{count} 个报备超过 48 小时未审核，最早的是{company}的“{entryName}”（{trade}）。",
      en: '{count} reports have been awaiting review for more than 48 hours, the oldest being "{entryName}" by {company} ({trade}).',
    },
    hours: [9],
    find: (seeking) =>
      findReaderNotices(
        seeking,
        "read",
        (readers) => sql`
          select distinct on (reader.id) reader.id as "accountId", ${seeking.day} || ' ' || reader.id as key, ${columns},
            (count(*) over (partition by reader.id))::text as count
          from reporting.report, ${readers}
          where verdict = 0 and not closed and not deleted and ${isInReaderScope(places)}
            and created_at < ${seeking.now}::timestamptz - make_interval(hours => ${waitingHours}::integer)
          order by reader.id, created_at, report.id`,
      ),
    latest: findLatest,
  },
];
