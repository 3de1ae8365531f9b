import assert from "node:assert/strict";
import { test } from "node:test";
import { erasePerson, showPerson } from "#quintet/persons.ts";
import { openPool } from "#platform/database/index.ts";
import { loadKeyring } from "#platform/sealing/settings.ts";
import { startTestApp } from "#test/app.ts";
import { startCommand } from "#test/crash/server.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { sampleReport } from "#test/sample-report.ts";
import { samplePayable } from "#test/tuition-payment.ts";

const DATA_KEY = Buffer.alloc(32, 7).toString("base64");
const app = await startTestApp({ settings: { DATA_KEY } });
const { token } = await app.signIn("tuition-payment");
const { token: operator } = await app.signIn("platform");
const pool = openPool(app.database.url, { connections: 2, keys: await loadKeyring({ DATA_KEY }) });
app.database.closers.push(() => pool.end());

const [card, phone] = ["99000020080101077X", "555 0100 7777"];
const save = (change: object) =>
  app.call("POST", "/tuitionpayment/payableinfo/save", { token, body: samplePayable({ ...change }) });
const command = (args: string[], input?: string) =>
  startCommand(args, { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, DATA_KEY }, undefined, undefined, input);

test("of one person all services tell what they have, sealed or not, and nobody else's", async () => {
  await app.call("POST", "/reporting/informationReporting/add", {
    body: sampleReport({ name: "李示例", phone, wxPhone: phone }),
  });
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
  await save({ studentNo: null, idCard: card, studentName: "李示例" });
  await save({ studentNo: "S88", studentName: "李示例", years: "2024" });
  await save({ studentNo: "S99" });
  const said = { feedbackPersonName: "李示例", feedbackPersonPhone: phone, feedbackInfo: "x" };
  await app.call("POST", "/tuitionpayment/feedbackmsg/save", { headers: { card_number: "S88" }, body: said });
  const found = await showPerson(pool, { card: card.toLowerCase(), phone: "55501007777" });
  assert.deepEqual(Object.keys(found), ["reporting", "tuition-payment"]);
  assert.partialDeepStrictEqual(found, {
    reporting: { report: [{ name: "李示例", phone, wxPhone: phone }] },
    "tuition-payment": { payable: [{ idCard: card, studentNo: null }], feedback: [{ phone }] },
  });
  assert.equal(found["reporting"]?.["report"]?.length, 1);
  assert.deepEqual(await showPerson(pool, { card: "S88000" }), {});
});

test("nothing is erased without a yes, and without saying who", async () => {
  const asked = command(["person", "erase", "--card"], `${card}\n`);
  const nobody = command(["person", "erase", "--yes"]);
  assert.deepEqual([(await asked.ended).code, (await nobody.ended).code], [1, 1]);
  assert.match(asked.output().err, /use --yes/);
  assert.match(nobody.output().err, /Specify the person with/);
  assert.equal((await showPerson(pool, { card }))["tuition-payment"]?.["payable"]?.length, 1);
});

test("who is meant is read from standard input and no argument, and the audit log has whose records were shown", async () => {
  const argument = command(["person", "show", "--card", card]);
  assert.equal((await argument.ended).code, 2);
  const shown = command(["person", "show", "--phone", "--card"], `${card}\n${phone}\n`);
  assert.equal((await shown.ended).code, 0, shown.output().err);
  const found = JSON.parse(shown.output().out);
  const { report, payable, feedback } = { ...found["reporting"], ...found["tuition-payment"] };
  const lines = await pool`
    select service, user_name as by, records, detail, address from platform.audit where action = 'showPerson' order by id`;
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => String(id));
  const local = { by: "command line", address: "local" };
  assert.deepEqual(lines, [
    { service: "reporting", records: ids(report), detail: { report: 1 }, ...local },
    {
      service: "tuition-payment",
      records: [...ids(payable), ...ids(feedback)],
      detail: { payable: 1, feedback: 1 },
      ...local,
    },
  ]);
});

test("a command that seals is in the audit log", async () => {
  // Only the password key pair was stored before there was a data key, so the command encrypts nothing else.
  assert.equal((await command(["seal"]).ended).code, 0);
  const lines = await pool`select user_name as by, records, detail from platform.audit where action = 'seal'`;
  assert.deepEqual(lines, [{ by: "command line", records: [], detail: { changed: 1, left: 0 } }]);
});

test("while an order is under way nothing at all is erased", async () => {
  const [row] = await pool<{ id: number }[]>`select id from tuition_payment.payable where student_no = 'S88'`;
  await pool`
    insert into tuition_payment.pay_order (order_no, card_number, student_no, student_name, grade, amount_fen, expires_at)
    values ('T000001', 'S88', 'S88', '李示例', '2022', 600000, now() + interval '1 hour')`;
  await pool`
    insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen)
    select id, ${row?.id ?? 0}, '2024', '学费', 600000 from tuition_payment.pay_order`;
  await assert.rejects(erasePerson(pool, { card: "S88", phone }, "test"), /T000001\. Nothing was erased/);
  assert.equal((await showPerson(pool, { phone }))["reporting"]?.["report"]?.length, 1);
});

test("while money of an order waits for a decision nothing at all is erased", async () => {
  const isKept = () =>
    assert.rejects(erasePerson(pool, { card: "S88", phone }, "test"), /T000001\. Nothing was erased/);
  await pool`
    update tuition_payment.pay_order set status = 'closed', closed_at = now(), gateway = 'simulated', received_fen = 100,
      received_at = now()`;
  await isKept();
  await pool`update tuition_payment.pay_order set status = 'paid', paid_at = now(), received_fen = null`;
  await pool`
    insert into tuition_payment.refund (order_id, refund_no, amount_fen, reason, is_surplus, status, failed_at)
    select id, 'T000001R', 600000, 'x', false, 'failed', now() from tuition_payment.pay_order`;
  await isKept();
  await pool`update tuition_payment.refund set ended_at = now(), ended_by = 'x'`;
});

test("erased, a person is found nowhere; what a ledger needs stays, and the audit log names nobody", async () => {
  await pool`update tuition_payment.pay_order set status = 'closed', closed_at = now()`;
  for (const person of [{ card: "S88", phone }, { card }]) await erasePerson(pool, person, "test");
  for (const person of [{ card: "S88" }, { card }, { phone }]) assert.deepEqual(await showPerson(pool, person), {});
  const [order] = await pool`select student_name, student_no, amount_fen from tuition_payment.pay_order`;
  assert.deepEqual(order, { student_name: "已删除", student_no: null, amount_fen: 600000 });
  const rows = await pool`select student_name, student_no from tuition_payment.payable order by id`;
  assert.equal(rows.length, 2);
  assert.match(rows[0]?.["student_no"], /^erased-\d+$/);
  assert.equal(rows[1]?.["student_no"], "S99");
  const { json } = await app.call("GET", "/reporting/informationReporting/list", { token: operator });
  assert.deepEqual(
    json.data.list.map((one: { name: string; phone: string }) => [one.name, one.phone]),
    [
      [sampleReport().name, sampleReport().phone],
      ["已删除", ""],
    ],
  );
  const lines =
    await pool`select service, records, detail from platform.audit where action = 'erasePerson' order by id`;
  assert.deepEqual(
    lines.map(({ service, records, detail }) => [service, records.length, detail]),
    [
      ["reporting", 1, { report: 1 }],
      ["tuition-payment", 3, { order: 1, payable: 1, feedback: 1 }],
      ["tuition-payment", 1, { payable: 1 }],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /S88|示例|5550100|555 0100/);
});

test("where an account is told is found by its user name, UserId and phone, and erased alone", async () => {
  const { userName, token: told } = await app.signIn("reporting");
  const own = { mail: "one@example.edu", userId: "ding-771", phone: "555 0100 7711" };
  const put = (body: object, as: string) => app.call("PUT", "/platform/notice/own", { token: as, body });
  await put({ ...own, told: true }, told);
  await put({ mail: "", userId: "", phone: "", told: true }, operator);
  for (const person of [{ user: userName }, { user: own.userId }, { phone: "55501007711" }])
    assert.partialDeepStrictEqual(await showPerson(pool, person), { platform: { "notice contact": [own] } });
  await erasePerson(pool, { phone: own.phone }, "test");
  assert.deepEqual(await showPerson(pool, { phone: own.phone }), {});
  const [line] = await pool`
    select records, detail from platform.audit where action = 'erasePerson' order by id desc limit 1`;
  assert.deepEqual(line?.["detail"], { "notice contact": 1 });
  assert.doesNotMatch(String(line?.["records"]), /771/);
  assert.equal(await pool.value<number>`select count(*) from platform.notice_contact`, 1);
});

test("what the relay has of a person is shown without the campus application's secret, and a contact is forgotten", async () => {
  const campus = await registerCampus(app, { token: operator });
  for (const contact of ["+55 501 008 888", "555 0100 9999"])
    await app.call("POST", "/wx/push/addPushProject", {
      token: operator,
      body: { url: "http://receiver.invalid/", project: contact, form: "raw", contact },
    });
  await campus.tell("addUser", { card_number: "R77", name: "李示例" });
  const { event } = (await showPerson(pool, { card: "R77" }))["push-relay"] ?? {};
  assert.equal(event?.length, 2);
  assert.ok(!JSON.stringify(event).includes(campus.appSecret));
  const contact = { phone: "555 0100 9999" };
  assert.partialDeepStrictEqual(await showPerson(pool, contact), {
    "push-relay": { "project contact": [{ project: "555 0100 9999", contact: "555 0100 9999" }] },
  });
  await erasePerson(pool, contact, "test");
  assert.deepEqual(await showPerson(pool, contact), {});
  const projects = (await app.call("GET", "/wx/push/queryPushProject", { token: operator })).json.data;
  assert.deepEqual(
    projects.map((one: { contact?: string }) => one.contact),
    [undefined, "+55 501 008 888"],
  );
});
