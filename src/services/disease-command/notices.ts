import { sql } from "#platform/database/index.ts";
import { findReaderNotices } from "#platform/notices/reader-notices.ts";
import type { NoticeFields, NoticeKind } from "#platform/process/notice.ts";

export const diseaseNotices: readonly NoticeKind[] = [
  {
    name: "hospital-silent",
    title: { zh: "发热门诊未上报", en: "Fever-clinic figures are missing" },
    to: { zh: "数据范围为该医院的账号", en: "accounts whose scope is the hospital" },
    when: { zh: "每天 10 点和 16 点，直至上报", en: "daily at 10:00 and 16:00 until reported" },
    fields: { hospital: { zh: "医院", en: "Hospital" }, date: { zh: "日期", en: "Day" } },
    subject: { zh: "{hospital}今日尚未上报", en: "{hospital} has not reported today" },
    text: {
      zh: "{hospital} {date} 的发热门诊数据尚未上报，请登录填报。",
      en: "The fever-clinic figures of {hospital} for {date} are missing. Please sign in and enter them.",
    },
    hours: [10, 16],
    find: (seeking) =>
      findReaderNotices(
        seeking,
        "write",
        (readers) => sql`
          select reader.id as "accountId", concat_ws(' ', ${seeking.day}::text, ${seeking.hour}::int, reader.id, own.hospital) as key,
            own.hospital, ${seeking.day}::text as date
          from ${readers}, jsonb_array_elements_text(reader.scope -> 'hospitalName') as own (hospital)
          where not exists (select from disease_command.fever_clinic as told
            where told.statistics_date = ${seeking.day}::date and told.hospital = own.hospital)`,
      ),
    latest: (db) =>
      db.first<NoticeFields>`
        select hospital, to_char(statistics_date, 'YYYY-MM-DD') as date from disease_command.fever_clinic
        order by statistics_date desc, id desc limit 1`,
  },
];
