import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { sql } from "#platform/database/index.ts";
import { hashPerson } from "#platform/notices/store.ts";
import { isQuietHours } from "#platform/notices/words.ts";
import { relayNotices } from "#services/push-relay/notices.ts";
import { startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { startMailServer } from "#test/stand-ins/mail-server.ts";
import { startDingtalkApp, startWecomApp } from "#test/stand-ins/work-apps.ts";
import { findZone } from "./zones.ts";

const mails = await startMailServer();
const dingtalk = await startDingtalkApp("key", "app-secret", "77");
const wecom = await startWecomApp("corp", "corp-secret", 1000002);
const settings = {
  TIME_ZONE: findZone(12),
  NOTICE_LANGUAGE: "both",
  SMTP_URL: `smtp://127.0.0.1:${mails.port}?tls=none`,
  MAIL_FROM: "quintet@example.edu",
  DINGTALK_APP_KEY: "key",
  DINGTALK_APP_SECRET: "app-secret",
  DINGTALK_AGENT_ID: "77",
  DINGTALK_BASE_URL: dingtalk.url,
  OUTSIDE_TIMEOUT_MS: "1000",
  STUDENT_IDENTITY: "header",
  EMPLOYEE_IDENTITY: "header",
};
const app = await startTestApp({ settings });
after(() => Promise.all([mails.close(), dingtalk.close(), wecom.close()]));
const { pool } = app;
const { token } = await app.signIn("platform");
const reader = await app.signIn("reporting");

const call = async (method: string, path: string, body?: unknown, as: string | undefined = token) =>
  app.call(method, `/platform/notice${path}`, { token: as, ...(body !== undefined && { body }) });
const list = async (query = "") => (await call("GET", `/list?pageSize=1000${query}`)).json.data.list;
const switchOn = (...ids: string[]) => call("PUT", "/settings", { kinds: ids.map((id) => ({ id, isOn: true })) });
const reach = (change: object, as: string) =>
  call("PUT", "/own", { mail: "", userId: "", phone: "", told: true, ...change }, as);

async function pass(): Promise<void> {
  await pool`update platform.notice_kind set sought = ''`;
  await pool`select graphile_worker.add_job('platform-notices')`;
  await settle();
  // A second run sends the notices that the first run has found.
  await pool`update platform.notice set due_at = now() where state = 'waiting'`;
  await pool`select graphile_worker.add_job('platform-notices')`;
  await settle();
}

async function settle(): Promise<void> {
  for (let left = 1; left > 0;)
    left = await pool.value<number>`
      select count(*) from graphile_worker.jobs where task_identifier like 'platform-notices%' and attempts < max_attempts`;
}

function readText(raw: string): string {
  const [head = "", ...body] = raw.split("\r\n\r\n");
  const whole = body.join("\r\n\r\n");
  if (/base64/.test(head)) return Buffer.from(whole, "base64").toString();
  const bytes = whole
    .replaceAll("=\r\n", "")
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

const owe = (studentNo: string, days = 7) => pool`
  insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen, due_date)
  values (${studentNo}, '学生' || ${studentNo}, '2026', '2026', 480000, '{学费}', '{480000}',
    (now() at time zone ${settings.TIME_ZONE})::date + ${days}::integer)`;

beforeEach(async () => {
  for (const table of [
    "platform.notice",
    "platform.notice_kind",
    "platform.notice_pause",
    "platform.notice_contact",
    "tuition_payment.payable",
  ])
    await pool.query(`delete from ${table}`, []);
  mails.mails.length = dingtalk.told.length = dingtalk.received.length = 0;
});

describe("a notice", () => {
  test("of a kind that is off is not stored, and one that waits is not sent once it is switched off", async () => {
    await owe("2026001");
    await pass();
    assert.deepEqual([await list(), dingtalk.told], [[], []]);
    await switchOn("tuition-payment.due");
    dingtalk.fail({ errcode: 88 }, { path: "/topapi/message/corpconversation/asyncsend_v2" });
    await pass();
    assert.deepEqual(
      (await list()).map((one: never) => one["state"]),
      ["waiting"],
    );
    await call("PUT", "/settings", { kinds: [{ id: "tuition-payment.due", isOn: false }] });
    await pool`delete from platform.notice_pause`;
    await pass();
    assert.deepEqual([await list(), dingtalk.told], [[], []]);
  });

  test("reaches its student in both languages, once, and nothing of it is kept but to whom it was", async () => {
    for (const days of [14, 7, 3, 5]) await owe(`202600${days}`, days);
    await switchOn("tuition-payment.due");
    await pass();
    await pass();
    assert.deepEqual(dingtalk.told.map(({ to }) => to).toSorted(), ["20260014", "2026003", "2026007"]);
    const told = dingtalk.told.find(({ to }) => to === "2026007");
    assert.match(
      told?.text ?? "",
      /^请在 .* 前缴费 · Please pay by 20\d\d-\d\d-\d\d\n学生2026007同学：收费年度 2026 还有 4800 元待缴[^]*4800 yuan for the charging year 2026/,
    );
    const [one] = await list("&state=sent");
    assert.deepEqual([one.channel, one.error, one.title.en], ["dingtalk", null, "Payment reminder"]);
    assert.match(one.whom, /^202\*{4}\d{4}$|^20\*{3}$/);
    const left = await pool`select * from platform.notice where content is not null or person_hash is not null`;
    assert.equal(left.length, 0);
    assert.doesNotMatch(JSON.stringify(app.logged), /学生2026007|app-secret/);
  });

  test("that is refused is not tried again; one that nobody has answered to is of unknown outcome; the channel goes on later", async () => {
    await owe("nobody-1");
    await switchOn("tuition-payment.due");
    await pass();
    assert.deepEqual(
      (await list()).map(({ state, error }: never) => [state, error]),
      [["refused", "dingtalk: the call was rejected (errcode 33012)"]],
    );
    await owe("2026002");
    dingtalk.fail("silent", { path: "/topapi/message/corpconversation/asyncsend_v2" });
    await pass();
    assert.equal((await list("&state=unknown")).length, 1);
    await owe("2026003");
    dingtalk.fail({ status: 503 }, { path: "/topapi/message/corpconversation/asyncsend_v2", times: 2 });
    for (const failures of [2, 3, 0]) {
      await pool`update platform.notice_pause set until = now()`;
      await pass();
      assert.equal(await pool.value`select coalesce(sum(failures), 0)::int from platform.notice_pause`, failures);
    }
    assert.deepEqual(
      dingtalk.told.map(({ to }) => to),
      ["2026003"],
    );
  });

  test("whose sender was killed is never sent again", async () => {
    await switchOn("tuition-payment.due");
    await owe("2026001");
    await owe("2026002");
    dingtalk.fail({ errcode: 88 }, { path: "/topapi/message/corpconversation/asyncsend_v2", times: 2 });
    await pass();
    await pool`delete from platform.notice_pause`;
    await pool`update platform.notice set state = 'sending', state_at = now() - interval '6 minutes'
      where id = (select min(id) from platform.notice)`;
    await pass();
    assert.deepEqual(dingtalk.told.length, 1);
    assert.deepEqual((await list()).map((one: never) => one["state"]).toSorted(), ["sent", "unknown"]);
  });

  test("that is put off again and again ends after a week", async () => {
    await switchOn("tuition-payment.due");
    await owe("2026001");
    await pass();
    await pool`
      update platform.notice set state = 'waiting', content = 'x', created_at = now() - interval '8 days', attempts = 12,
        due_at = now() + interval '23 hours'`;
    await pool`select graphile_worker.add_job('platform-notices')`;
    await settle();
    assert.deepEqual(
      (await list()).map((one: never) => one["state"]),
      ["expired"],
    );
  });

  test("is sent with a new token where the old one has ended, and a wrong secret waits to be put right", async () => {
    await switchOn("tuition-payment.due");
    await owe("2026001");
    await pass();
    dingtalk.forgetToken();
    await owe("2026002");
    await pass();
    assert.equal(dingtalk.told.length, 2);
    dingtalk.forgetToken();
    dingtalk.fail({ errcode: 40096 }, { path: "/gettoken" });
    await owe("2026003");
    await pass();
    assert.deepEqual(
      (await list("&state=waiting")).map((one: never) => one["error"]),
      ["dingtalk: the call was rejected (errcode 40096)"],
    );
  });

  test("does not reach a student or employee who has asked not to be told, nor what waits for them, until they ask again", async () => {
    await pool`insert into attendance.month (month) values ('2026-09')`;
    await pool`
      insert into attendance.roster (month, employee, name, user_id, work_number, group_name, department, imports, rows)
      values ('2026-09', 1, '员工', 'UID-5', '5', '', '', '{}', '{}')`;
    const wish = (path: string, headers: Record<string, string>) => async (told?: boolean) =>
      (
        await app.call(told === undefined ? "GET" : "PUT", path, {
          headers,
          ...(told !== undefined && { body: { told } }),
        })
      ).json;
    const student = (card_number: string) => wish("/tuitionpayment/notice/own", { card_number });
    const employee = (employee_no: string) => wish("/attendance/own/notices", { employee_no });
    for (const nobody of [student("2026011"), employee("6")])
      for (const told of [undefined, false]) assert.equal((await nobody(told)).code, "10005");
    await switchOn("tuition-payment.due");
    dingtalk.fail({ errcode: 88 }, { path: "/topapi/message/corpconversation/asyncsend_v2" });
    await owe("2026011");
    await pass();
    for (const one of [student("2026011"), employee("5")]) {
      assert.equal((await one()).data.told, true);
      for (let twice = 0; twice < 2; twice++) assert.equal((await one(false)).data, "1");
      assert.equal((await one()).data.told, false);
    }
    assert.deepEqual(await pool.values`select person_hash from platform.notice_refusal order by service`, [
      hashPerson("attendance", "UID-5"),
      hashPerson("tuition-payment", "2026011"),
    ]);
    await owe("2026012");
    await pool`delete from platform.notice_pause`;
    await pass();
    assert.deepEqual(
      dingtalk.told.map(({ to }) => to),
      ["2026012"],
    );
    for (const one of [student("2026011"), employee("5")]) assert.equal((await one(true)).data, "1");
    await pass();
    assert.deepEqual(dingtalk.told.map(({ to }) => to).toSorted(), ["2026011", "2026012"]);
    await pool`delete from attendance.month where month = '2026-09'`;
  });

  test("about reports goes to whose scope has them, those of ten minutes in one", async () => {
    const other = await app.signIn("reporting");
    await pool`update platform.account set scope = '{"trade": ["教育"]}' where id = ${other.id}`;
    await pool`update platform.account set scope = null where id = ${reader.id}`;
    await reach({ mail: "all@example.edu" }, reader.token);
    const again = await app.call("POST", "/reporting/user/login", {
      body: { userName: other.userName, password: other.password },
    });
    await reach({ mail: "some@example.edu" }, again.json.data.token);
    await switchOn("reporting.report-arrived");
    for (const trade of ["教育", "医疗", "教育"])
      await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ trade }) });
    await pass();
    await pass();
    assert.deepEqual(mails.mails.flatMap(({ to }) => to).toSorted(), ["all@example.edu", "some@example.edu"]);
    const texts = mails.mails.map(({ to, raw }) => [to[0], readText(raw)] as const);
    assert.match(new Map(texts).get("all@example.edu") ?? "", /收到 3 个新报备[^]*3 new reports have been submitted/);
    assert.match(new Map(texts).get("some@example.edu") ?? "", /收到 2 个新报备/);
    assert.equal((await list("&state=sent")).length, 5);
    await reach({ mail: "all@example.edu", told: false }, reader.token);
    await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ trade: "医疗" }) });
    await pass();
    assert.equal(mails.mails.length, 2);
  });
});

test("each kind finds whom it is for, and reads in both languages", async () => {
  const { kinds } = (await call("GET", "/settings")).json.data;
  const ids = kinds.map(({ id }: never) => id);
  await pool`
    insert into tuition_payment.pay_order (order_no, card_number, student_no, student_name, grade, amount_fen, status, expires_at, paid_at, gateway)
    values ('NOTICE0001', 'S7', 'S7', '李示例', '2022', 600050, 'refunded', now(), now(), 'simulated')`;
  await pool`
    insert into tuition_payment.refund (order_id, refund_no, amount_fen, reason, is_surplus, status, done_at)
    select id, 'NOTICER001', 50, 'x', false, 'done', now() from tuition_payment.pay_order`;
  await pool`
    insert into tuition_payment.ledger (posting, order_id, refund_id, what, account, gateway, amount_fen)
    select posting, refund.order_id, case posting when 2 then refund.id end, what, account, 'simulated', fen
    from tuition_payment.refund, (values (1, 'payment', 'gateway', 600050), (1, 'payment', 'tuition', -600050),
      (2, 'refund', 'tuition', 50), (2, 'refund', 'gateway', -50)) as line (posting, what, account, fen)`;
  await pool`insert into attendance.month (month, statu, imported_at, analysed_at) values ('2026-10', 2, now() - interval '1 day', now())`;
  await pool`
    insert into attendance.result (month, row, name, user_id, work_number, group_name, department, data, warnings)
    select '2026-10', n, '员工' || n, 'E' || n, '', '', '', case n when 1 then '{"daysOfcardShortageInHuangjiahu":"2","absenteeismDay":"0.50"}'
      else '{"daysOfcardShortageInHuangjiahu":"","absenteeismDay":"0"}' end::json, '[]' from generate_series(1, 2) as n`;
  await pool`
    insert into attendance.roster (month, employee, name, user_id, work_number, group_name, department, imports, rows)
    select '2026-10', n, '员工' || n, 'E' || n, '', '', '部门' || n, '{}', '{}' from generate_series(1, 2) as n`;
  await pool`
    insert into attendance.objection (month, user_id, work_number, group_name, name, day, kind, text, files, punches, state, judged_at)
    select '2026-10', user_id, '', '', '员工', date '2026-10-01' + day, 'other', 'x', '{}', '[]', state, case state when 'refused' then now() end
    from (values ('E1', 1, 'open'), ('E1', 2, 'open'), ('E2', 2, 'open'), ('E2', 3, 'refused')) as made (user_id, day, state)`;
  const [judge, judgeOfOne] = [await app.signIn("attendance"), await app.signIn("attendance")];
  await pool`update platform.account set scope = '{"department": ["部门1"]}' where id = ${judgeOfOne.id}`;
  const hospital = await app.signIn("disease-command");
  await pool`update platform.account set scope = '{"hospitalName": ["示例医院"]}' where id = ${hospital.id}`;
  await pool`insert into disease_command.fever_clinic (statistics_date, hospital, fever_patients, epidemic_patients) values ('2026-01-01', '示例医院', 1, 0)`;
  const told = (accountId: number, userId: string) =>
    pool`insert into platform.notice_contact (account_id, addresses, told) values (${accountId}, ${JSON.stringify({ userId })}, true)`;
  await told(hospital.id, "H1");
  await told(judge.id, "A-all");
  await told(judgeOfOne.id, "A-one");
  const { token: atRelay } = await app.signIn("push-relay");
  for (const contact of ["runner@example.edu", ""])
    await app.call("POST", "/wx/push/addPushProject", {
      token: atRelay,
      body: { url: "https://receiver.example.edu/", project: `图书馆${contact}`, contact },
    });
  await pool`update push_relay.project set failing_since = now() - interval '73 hours'`;
  await owe("S-late", -3);
  await pool`
    insert into tuition_payment.feedback (card_number, name, phone, info, processed_at, reply)
    values ('S-late', 'x', '1', 'x', now(), '已核对'), ('S-none', 'x', '1', 'x', now(), '已核对'), ('S-late', 'x', '1', 'x', now(), null)`;
  await owe("S-soon", 3);
  await switchOn(...ids);
  await pass();
  await pass();
  const wrong = app.logged.filter(({ msg }) => /could not be collected/.test(String(msg)));
  assert.deepEqual(wrong, []);
  const found = new Map(dingtalk.told.map(({ to, text }) => [`${to} ${text}`, text]));
  assert.deepEqual([...found.keys()].map((key) => key.split(" ")[0]).toSorted(), [
    "A-all",
    "A-one",
    "E1",
    "E1",
    "E2",
    "E2",
    "H1",
    "S-late",
    "S-late",
    "S-soon",
    "S7",
    "S7",
  ]);
  assert.deepEqual(
    mails.mails.map(({ to }) => to),
    [["runner@example.edu"]],
  );
  assert.match(readText(mails.mails[0]?.raw ?? ""), /All pushes to 图书馆runner@example.edu have failed since 20/);
  const texts = [...found.values()].join("\n");
  for (const words of [
    /2 days with missing punches and 0\.5 days/,
    /3 attendance objections are awaiting review/,
    /2 attendance objections are awaiting review/,
    /员工: your attendance objection for 2026-10-04 has been reviewed/,
    /示例医院今日尚未上报/,
    /6000\.50? yuan/,
    /0\.50? yuan were refunded/,
    /3 元|4800 元未缴/,
    /your feedback on payments has been answered/,
  ])
    assert.match(texts, words);
  for (const id of ids) {
    const { subject, text, isReal } = (await call("GET", `/preview?kind=${id}`)).json.data;
    assert.doesNotMatch(`${subject.zh}${subject.en}${text.zh}${text.en}`, /[{}]|undefined/, id);
    assert.equal(isReal, true, id);
  }
});

test("a project that goes on failing is told of once in 24 hours, while it is neither paused nor well", async () => {
  const [kind] = relayNotices;
  const keysAfter = async (hours: number) => {
    const now = new Date(Date.now() + hours * 3_600_000);
    const platform = { pool, settings: { PUSH_FLAG_DAYS: 3, TIME_ZONE: settings.TIME_ZONE } };
    return (await Array.fromAsync(kind?.find({ platform, now } as never) ?? [])).flat().map(({ key }) => key);
  };
  const [first, same, next] = [await keysAfter(0), await keysAfter(22), await keysAfter(24)];
  assert.equal(first.length, 1);
  assert.deepEqual(same, first);
  assert.notDeepEqual(next, first);
  for (const change of [sql`paused = true`, sql`paused = false, failing_since = now() - interval '71 hours'`]) {
    await pool`update push_relay.project set ${change}`;
    assert.deepEqual(await keysAfter(0), []);
  }
});

test("the preview of a project that goes on failing has the time of the configured time zone", async () => {
  const { TIME_ZONE: zone } = settings;
  const [since] = await pool.values<string>`
    update push_relay.project set failing_since = now() - interval '4 days'
    returning to_char(failing_since at time zone ${zone}, 'YYYY-MM-DD HH24:MI:SS')`;
  const { text } = (await call("GET", "/preview?kind=push-relay.project-flagged")).json.data;
  assert.match(text.en, new RegExp(`since ${since}`));
});

test("nobody is told at night, and the night is as long as clocks say", async () => {
  const asleep = await startTestApp({ settings: { ...settings, TIME_ZONE: findZone(2) } });
  await asleep.pool`insert into platform.notice_kind (kind) values ('tuition-payment.due')`;
  await asleep.pool`insert into platform.notice (kind, key_hash, person_hash, content, channel, whom, due_at)
    values ('tuition-payment.due', 'x', 'x', '{"to":"1","fields":{}}', 'dingtalk', '1', now())`;
  await asleep.pool`select graphile_worker.add_job('platform-notices')`;
  for (let left = 1; left > 0;)
    left = await asleep.pool
      .value<number>`select count(*) from graphile_worker.jobs where task_identifier like 'platform-notices%' and attempts < max_attempts`;
  assert.equal(await asleep.pool.value`select state from platform.notice`, "waiting");
  assert.equal(dingtalk.told.length, 0);
  const held = (from: string, hours: number) =>
    Array.from({ length: hours }, (_, hour) =>
      isQuietHours(Date.parse(from) + hour * 3_600_000, "Europe/Berlin"),
    ).filter(Boolean).length;
  assert.deepEqual(
    [held("2026-03-28T20:00:00Z", 14), held("2026-10-24T19:00:00Z", 14), held("2026-06-10T18:00:00Z", 14)],
    [8, 10, 9],
  );
});

describe("operations", () => {
  test("are refused to who may not call them, and say what is wrong", async () => {
    assert.equal((await call("GET", "/settings", undefined, reader.token)).status, 403);
    assert.equal(
      (await call("PUT", "/settings", { kinds: [{ id: "tuition-payment.nothing", isOn: true }] })).json.code,
      "10005",
    );
    const { token: ofOne } = await app.signIn("platform", { services: ["reporting"] });
    assert.equal(
      (await call("PUT", "/settings", { kinds: [{ id: "tuition-payment.due", isOn: true }] }, ofOne)).json.code,
      "10005",
    );
    assert.equal((await call("PUT", "/settings", { channels: ["sms"] }, ofOne)).json.code, "10008");
    assert.equal((await call("GET", "/preview?kind=tuition-payment.due", undefined, ofOne)).json.code, "10005");
    assert.equal((await call("PUT", "/own", { mail: "a@b, c@d", userId: "", phone: "", told: true })).status, 400);
    assert.equal(
      (await call("POST", "/trial", { kind: "tuition-payment.due", channel: "sms", to: "1" })).json.code,
      "10007",
    );
  });

  test("preview a real record, and try a channel", async () => {
    const empty = (await call("GET", "/preview?kind=tuition-payment.due")).json.data;
    assert.deepEqual([empty.isReal, empty.subject.zh], [false, "请在 〔缴费截止日期〕 前缴费"]);
    await owe("2026009");
    const { isReal, text } = (await call("GET", "/preview?kind=tuition-payment.due")).json.data;
    assert.equal(isReal, true);
    assert.match(text.en, /^学生2026009: 4800 yuan for the charging year 2026 are still due/);
    const tried = await call("POST", "/trial", { kind: "tuition-payment.due", channel: "dingtalk", to: "operator-1" });
    assert.equal(tried.json.data.outcome, "sent");
    assert.deepEqual(
      dingtalk.told.map(({ to }) => to),
      ["operator-1"],
    );
    assert.equal((await list()).length, 0);
  });

  test("say which channel is first", async () => {
    const both = {
      ...settings,
      WECOM_CORP_ID: "corp",
      WECOM_APP_SECRET: "corp-secret",
      WECOM_AGENT_ID: "1000002",
      WECOM_BASE_URL: wecom.url,
    };
    const second = await startTestApp({ settings: both });
    const { token: as } = await second.signIn("platform");
    const put = await second.call("PUT", "/platform/notice/settings", {
      token: as,
      body: { channels: ["dingtalk"], kinds: [] },
    });
    assert.equal(put.json.data, "1");
    const read = await second.call("GET", "/platform/notice/settings", { token: as });
    assert.deepEqual(read.json.data.kinds.find(({ id }: never) => id === "tuition-payment.due").channels, [
      "dingtalk",
      "mail",
      "wecom",
    ]);
    for (const to of ["2026001", "nobody", "@all", "2026001|2026002", "2026001,2026002"]) {
      const tried = await second.call("POST", "/platform/notice/trial", {
        token: as,
        body: { kind: "tuition-payment.due", channel: "wecom", to },
      });
      assert.equal(tried.json.data.outcome, to === "2026001" ? "sent" : "refused", to);
    }
    assert.deepEqual(
      wecom.told.map(({ to }) => to),
      ["2026001"],
    );
  });
});
