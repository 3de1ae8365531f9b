import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { sealAll } from "#platform/data-keys/sealing.ts";
import { openPool, sql } from "#platform/database/index.ts";
import { openDataKey, openKeyring, readDataKey } from "#platform/sealing/keyring.ts";
import { sealedColumns } from "#quintet/app.ts";
import { encrypt } from "#services/push-relay/cipher.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { sampleReport } from "#test/sample-report.ts";
import { importFile, samplePayable, writePayables } from "#test/tuition-payment.ts";

// The tests use one database successively without a key, with a first key, with a second key, and without a key again,
// each time with a new server.

const [keyOne, keyTwo, wrong] = [1, 2, 3].map(() => randomBytes(32).toString("base64")) as [string, string, string];
const read = (text: string) => openDataKey(readDataKey(text));
const prefix = "/tuitionpayment/payableinfo";
const card = (n: number): string => `990000200801${String(n).padStart(5, "0")}X`;

const reachable = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32" };
const plain = await startTestApp({ settings: reachable });
const { database } = plain;
const next = (settings: Record<string, string>): Promise<TestApp> =>
  startTestApp({ settings: { ...reachable, ...settings }, beside: plain });
const receiver = await startReceiver(({ body }, response) => void response.end(body));
after(() => receiver.stop());
const { token } = await plain.signIn("tuition-payment");
const { token: operator } = await plain.signIn("platform");

const save = (app: TestApp, change: Record<string, unknown>) =>
  app.call("POST", `${prefix}/save`, { token, body: samplePayable(change) });
const own = async (app: TestApp, of: string) =>
  (await app.call("GET", `${prefix}/payableInfo`, { headers: { card_number: of } })).json.data?.id;
const rows = (n: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ 学号: null, 身份证号: card(n + index), 姓名: `新生${n + index}` }));
const seal = async (app: TestApp, keys: Parameters<typeof openKeyring>) => {
  const pool = openPool(app.database.url, { connections: 2, keys: openKeyring(...keys) });
  try {
    return await sealAll(pool, sealedColumns, { say() {} });
  } finally {
    await pool.end();
  }
};
const relayed = ["campus_app", "project", "subject", "event", "exchange"].map((name) => `push_relay.${name}`);
const ours = ["idempotent_answer", "key_pair"].map((name) => `platform.${name}`);
const tables = [
  "tuition_payment.payable",
  "tuition_payment.feedback",
  "tuition_payment.pay_order",
  "reporting.report",
  ...relayed,
  ...ours,
];
const dump = async (): Promise<string> =>
  JSON.stringify(await Promise.all(tables.map((table) => database.pool`select * from ${sql.identifier(table)}`)));

const phone = (n: number): string => `555 0100 ${String(n).padStart(4, "0")}`;
const report = (app: TestApp, n: number) =>
  app.call("POST", "/reporting/informationReporting/add", {
    body: sampleReport({ phone: phone(n), wxPhone: phone(n + 1000) }),
  });
const complain = (app: TestApp, n: number) =>
  app.call("POST", "/tuitionpayment/feedbackmsg/save", {
    headers: { card_number: `F${n}` },
    body: { feedbackPersonName: "张三", feedbackPersonPhone: phone(n), feedbackInfo: "x" },
  });
const said = async (app: TestApp, n: number): Promise<string[]> => {
  const headers = { card_number: `F${n}` };
  const { data } = (await app.call("GET", "/tuitionpayment/feedbackmsg/listOfCurrentUser", { headers })).json;
  return data.list.map((one: Record<string, string>) => one["feedbackPersonIdentify"]);
};
const find = async (app: TestApp, keyword: string): Promise<string[]> => {
  const query = { keyword };
  const reports = (await app.call("GET", "/reporting/informationReporting/list", { token: operator, query })).json.data;
  const said = (await app.call("GET", "/tuitionpayment/feedbackmsg/list", { token, query })).json.data;
  return [
    ...reports.list.map(({ phone: number, wxPhone }: Record<string, string>) => `${number}/${wxPhone}`),
    ...said.list.map(({ feedbackPersonPhone }: Record<string, string>) => feedbackPersonPhone),
  ];
};
const found = (n: number): string[] => [`${phone(n)}/${phone(n + 1000)}`, phone(n)];

const appSecret = "secret-of-campus-0123456789";
const readSecret = async (app: TestApp, id: string) =>
  (await app.call("GET", "/wx/push/project/secret", { token: operator, query: { id } })).json.data?.secret;

const campus = { appKey: "0123456789abcdef", appSecret, schoolCode: "990001" };
let [project, echo] = ["", ""];
const tell = async (app: TestApp, n: number): Promise<{ body: string; answer: string }> => {
  const raw_data = encrypt(JSON.stringify({ card_number: `P${n}`, name: `校友${n}`, telephone: phone(n) }), campus);
  const by = { app_key: campus.appKey, app_secret: appSecret, school_code: campus.schoolCode };
  const body = { ...by, event: "addUser", raw_data };
  assert.equal((await app.call("POST", "/wx/wxc/receive", { body })).status, 200);
  for (;;) {
    const query = { projectId: echo, subject: `P${n}`, status: "delivered" };
    const [delivery] = (await app.call("GET", "/wx/push/delivery/page", { token: operator, query })).json.data.list;
    if (delivery) return readExchange(app, delivery.id);
  }
};
const readExchange = async (app: TestApp, id: number): Promise<{ body: string; answer: string }> => {
  const { body, attempts } = (await app.call("GET", `/wx/push/delivery/exchange/${id}`, { token: operator })).json.data;
  return { body, answer: attempts.at(-1).response.body };
};
const readPeople = async (app: TestApp, keyword: string): Promise<string[]> => {
  const { json } = await app.call("GET", "/wx/push/directory/page", { token: operator, query: { keyword } });
  return json.data.list.map(
    ({ subject, data }: { subject: string; data: { telephone: string } }) => `${subject} ${data.telephone}`,
  );
};
const assertTold = async (app: TestApp, n: number): Promise<void> => {
  const { body, answer } = await tell(app, n);
  assert.equal(receiver.pushes.at(-1)?.body, body);
  assert.deepEqual([JSON.parse(body).data.telephone, answer], [phone(n), body]);
};
const retry = async (app: TestApp): Promise<string> => {
  const body = samplePayable({ studentNo: "R1" });
  const headers = { "idempotency-key": "once" };
  const { json, text } = await app.call("POST", `${prefix}/save`, { token, body, headers });
  assert.equal(json.code, "0", text);
  return json.data;
};
let answered = "";

test("without a key everything is stored as it is, and the start, health and settings say so", async () => {
  for (const n of [1, 2])
    assert.deepEqual([(await report(plain, n)).status, (await complain(plain, n)).status], [200, 200]);
  for (const n of [1, 2, 3]) assert.equal((await save(plain, { studentNo: `S${n}`, idCard: card(n) })).status, 200);
  const make = async (path: string, body: object) =>
    (await plain.call("POST", `/wx/push/${path}`, { token: operator, body })).json;
  project = (await make("addPushProject", { url: "http://receiver.invalid/x", project: "one" })).data;
  assert.match(project, /^\d+$/);
  assert.equal((await make("campusApp/save", { ...campus, name: "campus" })).code, "0");
  echo = (await make("addPushProject", { url: receiver.url, project: "two" })).data;
  await assertTold(plain, 5001);
  answered = await retry(plain);
  const stored = await dump();
  for (const text of [card(1), phone(1), phone(1001), phone(5001), appSecret, "PRIVATE KEY"])
    assert.ok(stored.includes(text), text);
  const { parts } = (await plain.call("GET", "/platform/health", { token: operator })).json.data;
  const part = parts.find(({ name }: { name: string }) => name === "sealing");
  assert.deepEqual(
    [part.state, part.figures],
    ["ok", { sealed: false, isAccepted: true, keyId: null, olderKeys: 0, missingKeys: 0, columnsLeft: 0 }],
  );
  assert.ok(plain.server.unsealed);
});

let first: TestApp;

test("the first key seals what is written, finds and joins what is not sealed yet", async () => {
  await plain.server.stop();
  const app = (first = await next({ DATA_KEY: keyOne }));
  assert.ok(Number(await own(app, card(1))) > 0);
  const [stored] = await database.pool`select secret from push_relay.project where id = ${project}`;
  assert.equal(await readSecret(app, project), stored?.["secret"]);
  assert.equal((await save(app, { studentNo: null, idCard: card(1).toLowerCase() })).json.code, "10004");
  assert.equal((await save(app, { studentNo: "S4", idCard: card(4) })).status, 200);
  assert.deepEqual([(await report(app, 3)).status, (await complain(app, 3)).status], [200, 200]);
  for (const n of [1, 3]) assert.deepEqual([await find(app, phone(n)), await said(app, n)], [found(n), [`F${n}`]]);
  await assertTold(app, 5002);
  assert.deepEqual(await readPeople(app, "校友"), [`P5002 ${phone(5002)}`, `P5001 ${phone(5001)}`]);
  assert.ok(!(await dump()).includes(phone(5002)));
  assert.equal(await retry(app), answered);
  // A search by part of a value finds plain values but not encrypted ones.
  assert.deepEqual(await find(app, "0100 000"), [...found(2).slice(0, 1), ...found(1).slice(0, 1), phone(2), phone(1)]);
  const [row] =
    await database.pool`select id_card as found, id_card_sealed as sealed from tuition_payment.payable where student_no = 'S4'`;
  assert.match(row?.["sealed"], new RegExp(`^sealed:A256GCM:${read(keyOne).id}:`));
  assert.match(row?.["found"], /^#/);
  assert.equal(await own(app, card(4).toLowerCase()), (await own(app, "S4")) as number);
  assert.equal(await own(app, row?.["found"]), undefined);
  // The import finds encrypted and plain rows: card 1 is plain, 4 is encrypted, the others are new.
  const twice = await importFile(app, token, await writePayables([...rows(1, 1), ...rows(4, 1), ...rows(10, 1)]));
  assert.equal(twice.json.code, "10020", twice.text);
  assert.deepEqual(
    twice.json.data.errors.map((error: { row: number }) => error.row),
    [2, 3],
  );
  const replaced = await importFile(app, token, await writePayables([...rows(1, 1), ...rows(10, 2)]), {
    replace: "true",
  });
  assert.equal(replaced.json.data, "3", replaced.text);
  assert.equal((await own(app, card(10))) > 0, true);
  assert.equal((await save(app, { studentNo: null, idCard: card(10) })).json.code, "10004");
});

test("a number that was changed in the database is shown as stored, with all other reports and feedback", async () => {
  const id = Number((await report(first, 4)).json.data);
  await database.pool`
    update reporting.report set phone_sealed = left(phone_sealed, -9), wx_phone = left(wx_phone, -9) where id = ${id}`;
  const [stored] = await database.pool`
    select phone_sealed as phone, wx_phone as "wxPhone" from reporting.report where id = ${id}`;
  const list = (await first.call("GET", "/reporting/informationReporting/list", { token: operator })).json.data?.list;
  assert.partialDeepStrictEqual(list, [{ id, ...stored }, { phone: phone(3) }]);
  const book = await first.call("GET", "/reporting/informationReporting/download", { token: operator });
  assert.equal(book.status, 200);
  await database.pool`delete from reporting.report where id = ${id}`;
  await complain(first, 4);
  const [feedback] = await database.pool`
    update tuition_payment.feedback set phone_sealed = left(phone_sealed, -9), card_number_sealed = left(card_number_sealed, -9)
    where id = (select max(id) from tuition_payment.feedback)
    returning id, phone_sealed as "feedbackPersonPhone", card_number_sealed as "feedbackPersonIdentify"`;
  const said = (await first.call("GET", "/tuitionpayment/feedbackmsg/list", { token })).json.data?.list;
  assert.partialDeepStrictEqual(said, [feedback, { feedbackPersonPhone: phone(3) }]);
  await database.pool`delete from tuition_payment.feedback where id = ${feedback?.["id"]}`;
});

test("quintet seal leaves nothing that tells a card or a secret, and a server works on it as before", async () => {
  const app = first;
  const { changed, left } = await seal(app, [read(keyOne)]);
  assert.equal(left, 0);
  assert.ok(changed >= 6, `${changed}`);
  assert.deepEqual(await seal(app, [read(keyOne)]), { changed: 0, left: 0 });
  const stored = await dump();
  const numbers = [...[1, 2, 4, 10].map(card), ...[1, 3, 1003, 5001].map(phone), '"F1"', '"F3"'];
  for (const text of [...numbers, "whsec_", appSecret, "PRIVATE KEY"]) assert.ok(!stored.includes(text), text);
  const answers = await database.pool`select data from platform.idempotent_answer where data not like 'sealed:%'`;
  assert.deepEqual([...answers], []);
  for (const n of [1, 2, 3, 4, 10, 11]) assert.ok((await own(app, card(n))) > 0, card(n));
  // Once everything is encrypted, a process with the key looks for a card among encrypted values first. It still finds
  // a card that a process without the key has stored as plain text.
  const health = (await app.call("GET", "/platform/health", { token: operator })).json.data;
  assert.equal(health.parts.find(({ name }: { name: string }) => name === "sealing").figures.columnsLeft, 0);
  await database.pool`
    insert into tuition_payment.payable (student_name, id_card, grade, years, amount_fen, item_names, item_fen)
    select student_name, ${card(30)}, grade, years, amount_fen, item_names, item_fen from tuition_payment.payable limit 1`;
  for (const n of [1, 30]) assert.ok((await own(app, card(n))) > 0, card(n));
  await database.pool`delete from tuition_payment.payable where id_card = ${card(30)}`;
  for (const n of [1, 3]) assert.deepEqual(await find(app, ` 5550100-${String(n).padStart(4, "0")}`), found(n));
  assert.deepEqual(await find(app, "0100 000"), []);
  await assertTold(app, 5003);
  assert.deepEqual(await readPeople(app, "p5001"), [`P5001 ${phone(5001)}`]);
  assert.equal(await retry(app), answered);
  assert.match(await readSecret(app, project), /^whsec_/);
  // New cards go straight into the table, whose unique keys detect duplicates.
  assert.equal((await importFile(app, token, await writePayables(rows(20, 5)))).json.data, "5");
  assert.equal((await importFile(app, token, await writePayables(rows(24, 2)))).json.code, "10020");
  await app.server.stop();
});

test("no key, and a wrong one, are refused with the id of the one that is needed; the key itself is in no message", async () => {
  const { id } = read(keyOne);
  const refusal = (says: RegExp) => (error: Error) => {
    assert.match(error.message, new RegExp(`data key ${id} \\(since`));
    assert.match(error.message, says);
    return ![keyOne, wrong].some((key) => error.message.includes(key));
  };
  await assert.rejects(next({}), refusal(/no data key is set/));
  await assert.rejects(next({ DATA_KEY: wrong }), refusal(new RegExp(`keys of this process are ${read(wrong).id}`)));
  await assert.rejects(next({ DATA_KEY_OLD: wrong }), refusal(/If the key is lost/));
});

test("another key takes the place of the first while a server writes, and the first is not needed any more", async () => {
  const app = await next({ DATA_KEY: keyTwo, DATA_KEY_OLD: keyOne });
  assert.ok((await own(app, card(1))) > 0);
  assert.equal((await save(app, { studentNo: null, idCard: card(11) })).json.code, "10004");
  const sealed = new AbortController();
  const sealing = seal(app, [read(keyTwo), [read(keyOne)]]).finally(() => sealed.abort());
  let written = 0;
  for (let n = 100; !sealed.signal.aborted; n++, written++) {
    assert.equal((await save(app, { studentNo: `W${n}`, idCard: card(n) })).status, 200);
    assert.ok((await own(app, card(2))) > 0);
  }
  assert.equal((await sealing).left, 0);
  assert.ok(written > 0);
  await app.server.stop();
  const alone = await next({ DATA_KEY: keyTwo });
  assert.deepEqual([await find(alone, phone(3)), await said(alone, 1)], [found(3), ["F1"]]);
  for (const n of [1, 2, 4, 20, 100]) assert.ok((await own(alone, card(n))) > 0, card(n));
  assert.deepEqual(await readPeople(alone, "P5001"), [`P5001 ${phone(5001)}`]);
  await assertTold(alone, 5004);
  assert.equal(await retry(alone), answered);
  assert.match(await readSecret(alone, project), /^whsec_/);
  assert.ok(!(await dump()).includes(`sealed:A256GCM:${read(keyOne).id}`));
  await alone.server.stop();
});

test("who leaves opens everything; then no key is needed", async () => {
  const app = await next({ DATA_KEY_OLD: keyTwo });
  assert.ok((await own(app, card(1))) > 0);
  assert.equal((await save(app, { studentNo: "L1", idCard: card(300) })).status, 200);
  assert.equal((await importFile(app, token, await writePayables(rows(20, 1)))).json.code, "10020");
  assert.equal((await seal(app, [undefined, [read(keyTwo)]])).left, 0);
  await app.server.stop();
  const without = await next({});
  assert.deepEqual([await find(without, "0100 0003"), await said(without, 1)], [found(3), ["F1"]]);
  assert.equal((await readPeople(without, "校友")).length, 4);
  await assertTold(without, 5005);
  for (const n of [1, 2, 4, 20, 100, 300]) assert.ok((await own(without, card(n))) > 0, card(n));
  assert.doesNotMatch(await dump(), /sealed:|"#/);
});
