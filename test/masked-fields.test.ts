import assert from "node:assert/strict";
import { before, test } from "node:test";
import type * as z from "zod";
import { compileMask } from "#platform/contract/masking.ts";
import { contracts } from "#quintet/app.ts";
import { type SignedIn, startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { identitySheet, makeMonth } from "#test/attendance/workbooks.ts";
import { sampleReport } from "#test/sample-report.ts";

const month = "2025-05";
const card = "110101199001011237";
const phone = "555 0100 0042";
const maskedCard = "1101************37";
const maskedPhone = "555******0042";

const app = await startTestApp();
const operator = await app.signIn("platform");
const { send, analyse, put } = await openAttendance(app, operator.token);

const reads: [service: string, path: string, query: object, shown: readonly string[], masked: readonly string[]][] = [];

before(async () => {
  const made = makeMonth({ month, people: 3, seed: 3, generation: 2026 });
  const [someone] = made.identityLines;
  assert.ok(someone);
  await send("month", [made.monthSheet]);
  await send("original", [made.originalSheet]);
  await send("work", [identitySheet([{ ...someone, idCard: card }])], { month });
  assert.equal((await analyse(month)).statu, 2);
  const { data: version } = (await put("lock", { month, note: "" })).json;
  const body = sampleReport({ phone, wxPhone: phone });
  const report = (await app.call("POST", "/reporting/informationReporting/add", { body })).json.data;
  await app.pool`
    insert into tuition_payment.feedback (card_number, name, phone, info) values (${card}, 'n', ${phone}, 'i')`;
  const [feedback] = await app.pool`select id from tuition_payment.feedback`;
  const attendance = (path: string, query: object) =>
    reads.push(["attendance", `/attendance/month/${path}`, query, [card], [maskedCard]]);
  attendance("downLoad", { month });
  attendance("downLoad", { month, curPage: 1 });
  attendance(`versions/${version}`, {});
  attendance("compare", { month, version });
  attendance("explain", { month, userId: someone.userId });
  reads.push(
    ["reporting", "/reporting/informationReporting/list", {}, [phone], [maskedPhone]],
    ["reporting", `/reporting/informationReporting/info/${report}`, {}, [phone], [maskedPhone]],
    ["tuition-payment", "/tuitionpayment/feedbackmsg/list", {}, [card, phone], [maskedCard, maskedPhone]],
    [
      "tuition-payment",
      `/tuitionpayment/feedbackmsg/info/${feedback?.["id"]}`,
      {},
      [card, phone],
      [maskedCard, maskedPhone],
    ],
  );
});

async function narrow(rights: readonly string[]): Promise<SignedIn> {
  const who = await app.signIn("platform");
  await app.pool`update platform.account set rights = ${rights} where id = ${who.id}`;
  return who;
}

test("who may read and not export sees the ends of cards and numbers; everybody else what is documented", async () => {
  const services = ["attendance", "reporting", "tuition-payment"];
  const reader = await narrow(services.map((service) => `${service}.read`));
  const exporter = await narrow(services.flatMap((service) => [`${service}.read`, `${service}.export`]));
  assert.equal(reads.length, 9);
  for (const [, path, query, shown, masked] of reads) {
    const read = async ({ token }: SignedIn) => (await app.call("GET", path, { token, query: query as never })).text;
    for (const who of [operator, exporter]) {
      const whole = await read(who);
      for (const text of shown) assert.ok(whole.includes(text), `${path}: ${whole.slice(0, 400)}`);
    }
    const narrowed = await read(reader);
    for (const text of shown) assert.ok(!narrowed.includes(text), `${path} shows ${text}`);
    for (const text of masked) assert.ok(narrowed.includes(text), `${path}: ${narrowed.slice(0, 400)}`);
    const restored = shown.reduce((text, one, index) => text.replaceAll(masked[index] ?? "", one), narrowed);
    assert.deepEqual(JSON.parse(restored), JSON.parse(await read(operator)), path);
  }
});

test("a service's own administrator is masked by the own rights", async () => {
  const clerk = await app.signIn("reporting");
  await app.pool`update platform.account set rights = '{reporting.read}' where id = ${clerk.id}`;
  const { json } = await app.call("GET", "/reporting/informationReporting/list", { token: clerk.token });
  assert.equal(json.data.list[0].phone, maskedPhone);
});

// These operations answer in full: the first two list emergency contacts, and the last one returns the caller's own
// contact.
const contacts = ["emergencyTeam/list", "emergencyTeam/member/list", "/platform/notice/own"];

test("no field of a card or a number is forgotten", () => {
  const forgotten = contracts.flatMap(({ endpoints }) =>
    Object.values(endpoints).flatMap(({ url, access, answer }) => {
      const isAdministrators = access.who !== "anyone" && access.who !== "guest";
      if (!isAdministrators || !("data" in answer) || contacts.some((one) => url.endsWith(one))) return [];
      return listNamed(answer.data).flatMap(([name, schema]) => (compileMask(schema) ? [] : [`${url} ${name}`]));
    }),
  );
  assert.deepEqual(forgotten, []);
});

function listNamed(schema: z.core.$ZodType): [string, z.core.$ZodType][] {
  const {
    shape = {},
    innerType,
    element,
    options = [],
  } = schema._zod.def as {
    shape?: Record<string, z.core.$ZodType>;
    innerType?: z.core.$ZodType;
    element?: z.core.$ZodType;
    options?: z.core.$ZodType[];
  };
  const own = Object.entries(shape).filter(([name]) => /phone$|^idCard$|Identify$|cardNumber$/i.test(name));
  return [
    ...own,
    ...[...Object.values(shape), innerType, element, ...options].flatMap((one) => (one ? listNamed(one) : [])),
  ];
}
