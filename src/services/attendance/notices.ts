import { type Db, type Fragment, sql, streamRows } from "#platform/database/index.ts";
import { isInReaderScope, findReaderNotices } from "#platform/notices/reader-notices.ts";
import type { Notice, NoticeFields, NoticeKind, NoticeContext } from "#platform/process/notice.ts";
import { places } from "./scope-contract.ts";
import type { AttendanceSettings } from "./settings.ts";
import { isOf } from "./whose.ts";

const batchRows = 1000;
const employee = { zh: "员工", en: "the employee" };
const name = { zh: "姓名", en: "Name" };
const month = { zh: "月份", en: "Month" };

type Row = { readonly key: string; readonly userId: string } & NoticeFields;

/** Notices are addressed by UserId, since the UserId in workbooks is the one at DingTalk. */
async function* tellEmployees(
  { platform: { pool } }: Pick<NoticeContext<AttendanceSettings>, "platform">,
  rows: Fragment,
) {
  for await (const batch of streamRows<Row>(pool, rows, batchRows))
    yield batch.map(({ key, userId, ...fields }): Notice => ({ key, person: userId, to: { userId }, fields }));
}

const analysed = sql`attendance.month join attendance.result using (month)`;
const toCount = (...fields: string[]): Fragment =>
  sql`${sql.join(
    fields.map((field) => sql`coalesce(substring(data ->> ${field} from '^[0-9]+(?:[.][0-9]+)?$')::numeric, 0)`),
    " + ",
  )}`;
const missing = toCount("daysOfcardShortageInHuangjiahu", "daysOfcardShortageInMoxuanhu");
const absent = toCount("absenteeismDay");
const gapFields = sql`name, month, (${missing})::text as missing, trim_scale(${absent})::text as absent`;
const hasGap = sql`(${missing} > 0 or ${absent} > 0)`;

const findLatest = (db: Db, rows: Fragment): Promise<NoticeFields | undefined> =>
  db.first<NoticeFields>`${rows} order by analysed_at desc nulls last, row limit 1`;

const seesObjection = sql`
  (reader.scope = 'null' or exists (select from attendance.roster where ${isOf("objection")} and ${isInReaderScope(places)}))`;
const judgedFields = sql`name, to_char(day, 'YYYY-MM-DD') as date`;

export const attendanceNotices: readonly NoticeKind<AttendanceSettings>[] = [
  {
    name: "attendance-gap",
    title: { zh: "考勤缺卡或旷工", en: "Missing punches or absence" },
    to: employee,
    when: { zh: "导入次日 9 点", en: "the day after the import, at 9:00" },
    fields: {
      name,
      month,
      missing: { zh: "缺卡天数", en: "Days with missing punches" },
      absent: { zh: "旷工天数", en: "Days of absence" },
    },
    subject: {
      zh: "{month} 考勤：缺卡 {missing} 天，旷工 {absent} 天",
      en: "{month}: {missing} days with missing punches, {absent} days absent",
    },
    text: {
      zh: "{name}：{month} 有 {missing} 天缺卡、{absent} 天旷工。如与实际不符，请在“我的考勤”中提出异议。",
      en: "{name}: {month} has {missing} days with missing punches and {absent} days of absence. If this is wrong, please raise an objection under My attendance.",
    },
    hours: [9],
    find: (seeking) =>
      tellEmployees(
        seeking,
        sql`
          select month || ' ' || ${seeking.day} || ' ' || row as key, user_id as "userId", ${gapFields} from ${analysed}
          where statu = 2 and user_id <> '' and ${hasGap}
            and (imported_at at time zone ${seeking.platform.settings.TIME_ZONE})::date = ${seeking.day}::date - 1
          order by month, row`,
      ),
    latest: (db) => findLatest(db, sql`select ${gapFields} from ${analysed} where ${hasGap}`),
  },
  {
    name: "month-ready",
    title: { zh: "月度考勤已生成", en: "Monthly attendance is ready" },
    to: employee,
    when: { zh: "该月首次分析完成时", en: "after the month's first analysis" },
    fields: { name, month },
    subject: { zh: "{month} 考勤已生成", en: "Your attendance for {month} is ready" },
    text: {
      zh: "{name}：你的 {month} 考勤已生成，请在“我的考勤”中核对并确认。",
      en: "{name}: your attendance for {month} is ready. Please check and confirm it under My attendance.",
    },
    find: (seeking) =>
      tellEmployees(
        seeking,
        // An employee with several rows in a month gets one notice.
        sql`
          select month || ' ' || user_id as key, user_id as "userId", name, month from ${analysed}
          where statu = 2 and user_id <> '' and analysed_at > ${seeking.since} order by month, row`,
      ),
    latest: (db) => findLatest(db, sql`select name, month from ${analysed}`),
  },
  {
    name: "objection-open",
    title: { zh: "考勤异议待处理", en: "Objections awaiting review" },
    to: {
      zh: "可以处理异议、且数据范围包含该员工的管理员",
      en: "administrators who may review objections and whose scope includes the employee",
    },
    when: { zh: "每天 9 点，直至处理", en: "daily at 9:00 until reviewed" },
    fields: { month, count: { zh: "件数", en: "Count" } },
    subject: { zh: "{count} 条考勤异议待处理", en: "{count} attendance objections are awaiting review" },
    text: {
      zh: "有 {count} 条考勤异议待处理，最早的属于 {month}。请登录管理后台处理。",
      en: "{count} attendance objections are awaiting review, the oldest for {month}. Please sign in to the console and review them.",
    },
    hours: [9],
    find: (seeking) =>
      findReaderNotices(
        seeking,
        "write",
        (readers) => sql`
          select reader.id as "accountId", ${seeking.day} || ' ' || reader.id as key, count(*)::text as count, min(month) as month
          from attendance.objection, ${readers} where state = 'open' and ${seesObjection} group by reader.id`,
      ),
    latest: (db) =>
      db.first<NoticeFields>`
        select month, '1' as count from attendance.objection order by id desc limit 1`,
  },
  {
    name: "objection-judged",
    title: { zh: "考勤异议已处理", en: "Objection reviewed" },
    to: employee,
    when: { zh: "处理时", en: "when reviewed" },
    fields: { name, date: { zh: "异议的日期", en: "Day of the objection" } },
    subject: { zh: "{date} 的考勤异议已处理", en: "Your objection for {date} has been reviewed" },
    text: {
      zh: "{name}：你对 {date} 考勤的异议已处理，请在“我的考勤”中查看结果。",
      en: "{name}: your attendance objection for {date} has been reviewed. The result is shown under My attendance.",
    },
    find: (seeking) =>
      tellEmployees(
        seeking,
        sql`
          select id::text as key, user_id as "userId", ${judgedFields} from attendance.objection
          where user_id <> '' and judged_at > ${seeking.since} order by id`,
      ),
    latest: (db) =>
      db.first<NoticeFields>`
        select ${judgedFields} from attendance.objection where judged_at is not null order by judged_at desc limit 1`,
  },
];
