import { type Db, type Fragment, sql, streamRows } from "#platform/database/index.ts";
import type { Notice, NoticeFields, NoticeKind, NoticeContext } from "#platform/process/notice.ts";
import { writeYuan } from "./amounts.ts";
import { dueDate, dueOfItem } from "./due-store.ts";
import { listAnswered } from "./feedback-store.ts";
import { listPayablesOfCard } from "./payable-store.ts";

const batchRows = 1000;
const student = { zh: "学生", en: "the student" };
const name = { zh: "姓名", en: "Name" };
const amount = { zh: "金额（元）", en: "Amount in yuan" };
const time = { zh: "日期", en: "Date" };
const years = { zh: "收费年度", en: "Charging year" };

interface Row {
  readonly key: string;
  readonly studentNo: string;
  readonly name: string;
  readonly years: string;
  readonly fen: number;
  readonly date: string;
}

const toFields = ({ name, years, fen, date }: Omit<Row, "key" | "studentNo">): NoticeFields => ({
  name,
  years,
  amount: writeYuan(fen),
  date,
});

/** Notices are addressed by student number, which is the student's UserId at DingTalk and WeCom. */
async function* tellStudents({ platform: { pool } }: Pick<NoticeContext, "platform">, rows: Fragment) {
  for await (const batch of streamRows<Row>(pool, rows, batchRows))
    yield batch.map(({ key, studentNo, ...row }): Notice => ({
      key,
      person: studentNo,
      to: { userId: studentNo },
      fields: toFields(row),
    }));
}

async function findLatest(db: Db, rows: Fragment): Promise<NoticeFields | undefined> {
  const row = await db.first<Row>`${rows} limit 1`;
  return row && toFields(row);
}

const zoneOf = ({ platform: { settings } }: NoticeContext): string => settings.TIME_ZONE;

const dues = sql`
  select payable.id, student_no, student_name as name, years, ${sql.raw(dueDate)} as until,
    (select sum(${sql.raw(dueOfItem)}) from unnest(payable.item_names, payable.item_fen) as item (name, fen))::bigint as fen
  from tuition_payment.payable where paid_by is null and student_no is not null`;
const dueColumns = sql`student_no as "studentNo", name, years, fen, to_char(until, 'YYYY-MM-DD') as date`;
const latestDue = sql`select ${dueColumns} from (${dues}) as due where until is not null order by id desc`;

// The ledger tells when money was booked, since a gateway may report its own time of a payment or refund hours later.
const paid = (zone: string) => sql`
  select order_no as key, student_no as "studentNo", student_name as name, coalesce(
      (select min(years) from tuition_payment.order_item where order_id = pay_order.id), '') as years,
    pay_order.amount_fen as fen, to_char(paid_at at time zone ${zone}, 'YYYY-MM-DD') as date
  from tuition_payment.ledger as booked join tuition_payment.pay_order on pay_order.id = booked.order_id
  where booked.what = 'payment' and booked.account not in ('tuition', 'surplus') and student_no is not null
    and exists (select from tuition_payment.ledger as line
      where line.posting = booked.posting and line.account = 'tuition')`;

const refunded = (zone: string) => sql`
  select refund_no as key, student_no as "studentNo", student_name as name, '' as years, refund.amount_fen as fen,
    to_char(done_at at time zone ${zone}, 'YYYY-MM-DD') as date
  from tuition_payment.ledger as booked join tuition_payment.refund on refund.id = booked.refund_id
    join tuition_payment.pay_order on pay_order.id = booked.order_id
  where booked.what = 'refund' and booked.account not in ('tuition', 'surplus') and student_no is not null`;

/**
 * Feedback of a new student is stored under the identity card, so the student number to which the notice is sent is
 * read from the payables.
 */
async function findAnswered(db: Db, since: Date, limit: number): Promise<Notice[]> {
  const answered = await listAnswered(db, since, limit);
  const found = answered.map(async ({ id, cardNumber }) => {
    const student = (await listPayablesOfCard(db, cardNumber)).find(({ studentNo }) => studentNo !== null);
    if (!student?.studentNo) return [];
    const { studentNo, studentName: name } = student;
    return [{ key: String(id), person: studentNo, to: { userId: studentNo }, fields: { name } }];
  });
  return (await Promise.all(found)).flat();
}

const unpaid = { fields: { name, years, amount, date: { zh: "缴费截止日期", en: "Due date" } } };

export const tuitionNotices: readonly NoticeKind[] = [
  {
    name: "due",
    title: { zh: "缴费提醒", en: "Payment reminder" },
    to: student,
    when: { zh: "截止日期前 14、7、3 天的 9 点", en: "14, 7 and 3 days before the due date, at 9:00" },
    ...unpaid,
    subject: { zh: "请在 {date} 前缴费", en: "Please pay by {date}" },
    text: {
      zh: "{name}同学：收费年度 {years} 还有 {amount} 元待缴，请在 {date} 前完成缴费。",
      en: "{name}: {amount} yuan for the charging year {years} are still due. Please pay by {date}.",
    },
    hours: [9],
    find: (seeking) =>
      tellStudents(
        seeking,
        sql`
          select due.id || ' ' || until || ' ' || (until - ${seeking.day}::date) as key, ${dueColumns} from (${dues}) as due
          where until - ${seeking.day}::date in (14, 7, 3) and fen > 0 order by due.id`,
      ),
    latest: (db) => findLatest(db, latestDue),
  },
  {
    name: "overdue",
    title: { zh: "欠费提醒", en: "Overdue reminder" },
    to: student,
    when: { zh: "截止日期过后，每周一次，9 点", en: "weekly after the due date, at 9:00" },
    ...unpaid,
    subject: { zh: "收费年度 {years} 的费用已逾期", en: "Fees for the charging year {years} are overdue" },
    text: {
      zh: "{name}同学：收费年度 {years} 还有 {amount} 元未缴，截止日期为 {date}。如有困难，请联系学院。",
      en: "{name}: {amount} yuan for the charging year {years} are unpaid; they were due on {date}. If you have difficulties, please contact your college.",
    },
    hours: [9],
    find: (seeking) =>
      tellStudents(
        seeking,
        // The key counts the weeks since the due date, so that there is one notice a week even if the server is down on
        // some days.
        sql`
          select due.id || ' ' || until || ' week ' || (${seeking.day}::date - until - 1) / 7 as key, ${dueColumns}
          from (${dues}) as due where until < ${seeking.day}::date and fen > 0 order by due.id`,
      ),
    latest: (db) => findLatest(db, latestDue),
  },
  {
    name: "paid",
    title: { zh: "缴费成功", en: "Payment received" },
    to: student,
    when: { zh: "到账时", en: "when received" },
    fields: { name, years, amount, date: time },
    subject: { zh: "缴费成功：{amount} 元", en: "Payment received: {amount} yuan" },
    text: {
      zh: "{name}同学：已收到你于 {date} 缴纳的 {amount} 元（收费年度 {years}）。",
      en: "{name}: we received your payment of {amount} yuan for the charging year {years} on {date}.",
    },
    find: (seeking) =>
      tellStudents(seeking, sql`${paid(zoneOf(seeking))} and booked.at > ${seeking.since} order by booked.id`),
    latest: (db, zone) => findLatest(db, sql`${paid(zone)} order by booked.at desc`),
  },
  {
    name: "refunded",
    title: { zh: "退款完成", en: "Refund completed" },
    to: student,
    when: { zh: "退款完成时", en: "when completed" },
    fields: { name, amount, date: time },
    subject: { zh: "退款 {amount} 元", en: "Refund of {amount} yuan" },
    text: {
      zh: "{name}同学：{amount} 元已于 {date} 退还。",
      en: "{name}: {amount} yuan were refunded on {date}.",
    },
    find: (seeking) =>
      tellStudents(seeking, sql`${refunded(zoneOf(seeking))} and booked.at > ${seeking.since} order by booked.id`),
    latest: (db, zone) => findLatest(db, sql`${refunded(zone)} order by booked.at desc`),
  },
  {
    name: "feedback-answered",
    title: { zh: "反馈已回复", en: "Feedback answered" },
    to: student,
    when: { zh: "回复时", en: "when answered" },
    fields: { name },
    subject: { zh: "你的反馈已有回复", en: "Your feedback has been answered" },
    text: {
      zh: "{name}同学：你提交的缴费反馈已有回复，请在学费缴纳页面的“意见反馈”中查看。",
      en: "{name}: your feedback on payments has been answered. Please read the reply under Feedback on the tuition page.",
    },
    async *find({ platform: { pool }, since }) {
      yield await findAnswered(pool, since, batchRows);
    },
    latest: async (db) => (await findAnswered(db, new Date(0), 1))[0]?.fields,
  },
  {
    name: "desk-waiting",
    title: { zh: "款项待处理", en: "Payments need attention" },
    to: {
      zh: "有资金权限且数据范围为全部的管理员",
      en: "administrators with the money right and without a limited data scope",
    },
    when: { zh: "每天 9 点", en: "daily at 9:00" },
    fields: { count: { zh: "笔数", en: "Count" } },
    subject: { zh: "{count} 笔款项待处理", en: "{count} payments need attention" },
    text: {
      zh: "有 {count} 笔款项等待处理，请打开“待处理款项”。",
      en: "{count} payments need attention. Please open the Payment exceptions page.",
    },
    hours: [9],
    async *find({ platform: { pool }, administrators, day }) {
      const count = await countDesk(pool);
      if (count === 0) return;
      const bursars = administrators.filter(({ may, scope }) => may("money") && scope === null);
      yield bursars.map(({ accountId, to }) => {
        const person = `account ${accountId}`;
        return { key: `${day} ${accountId}`, person, to, fields: { count: String(count) } };
      });
    },
    latest: async (db) => ({ count: String(await countDesk(db)) }),
  },
];

const countDesk = (db: Db): Promise<number> =>
  db.value<number>`select count(*) from tuition_payment.desk where not handled`;
