import assert from "node:assert/strict";
import { before, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import type { Scope } from "#platform/contract/scope.ts";
import { type SignedIn, startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { identitySheet, makeMonth, monthSheet } from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const operator = await app.signIn("platform");
const { send, analyse } = await openAttendance(app, operator.token);

const month = "2026-05";
const card = "110101199001011237";
const masked = "1101************37";
const departments = ["人事处", "人事处", "后勤/车队", "后勤-车队", ""];

before(async () => {
  const { monthLines } = makeMonth({ month, people: departments.length, seed: 3, generation: 2026 });
  const lines = monthLines.map((line, n) => ({ ...line, department: departments[n] ?? "" }));
  await send("month", [monthSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines })]);
  await send("work", [identitySheet(lines.map((line) => ({ ...line, idCard: card })))], { month });
  assert.equal((await analyse(month)).statu, 2);
});

async function narrow(to: { readonly rights?: readonly string[]; readonly scope?: Scope }): Promise<SignedIn> {
  const who = await app.signIn("platform");
  const { rights = null, scope = null } = to;
  await app.pool`
    update platform.account set rights = ${rights}, scope = ${scope && JSON.stringify(scope)} where id = ${who.id}`;
  return who;
}

async function fetchRows({ token }: SignedIn, query: Record<string, string>) {
  const url = new URL("/attendance/month/downLoad", app.url);
  url.search = new URLSearchParams({ month, ...query }).toString();
  const answer = await fetch(url, { headers: { admin_token: token } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.headers.get("content-type")?.startsWith("application/json")) {
    const { code, data } = JSON.parse(bytes.toString());
    return code === "0" ? (data as { idCard: string }[]).map(({ idCard }) => idCard) : code;
  }
  return readCards(bytes);
}

async function readCards(book: Buffer): Promise<unknown[]> {
  const [heading, ...rows] = await Array.fromAsync(streamXlsxRows(book), ({ values }) => values);
  return rows.map((row) => row[heading?.indexOf("身份证号") ?? -1]);
}

test("a department's workbook has whole identity cards only if asked for, by who may export", async () => {
  const [reader, scoped] = [
    await narrow({ rights: ["attendance.read"] }),
    await narrow({ scope: { department: ["人事处"] } }),
  ];
  const of = (department: string, more = {}) => ({ format: "xlsx", department, ...more });
  const whole = { idCards: "whole" };
  for (const [who, query, cards] of [
    [operator, of("人事处"), [masked, masked]],
    [operator, of("人事处", whole), [card, card]],
    [operator, { format: "xlsx" }, departments.map(() => card)],
    [operator, { format: "xlsx", idCards: "masked" }, departments.map(() => masked)],
    [operator, {}, departments.map(() => card)],
    [operator, { department: "人事处" }, [card, card]],
    [operator, of("人事处", { idCards: "all" }), "10001"],
    [reader, of("人事处"), "10008"],
    [reader, of("人事处", whole), "10008"],
    [reader, { department: "人事处", ...whole }, "10008"],
    [reader, { department: "人事处" }, [masked, masked]],
    [scoped, of("人事处"), [masked, masked]],
    [scoped, of("人事处", whole), [card, card]],
    [scoped, of("后勤/车队", whole), []],
  ] as const)
    assert.deepEqual(await fetchRows(who, query), cards, `${who.userName} ${JSON.stringify(query)}`);
  const lines = await app.pool`
    select detail from platform.audit where user_name = ${scoped.userName} and action = 'download' order by id limit 2`;
  const department = "人事处";
  assert.deepEqual(lines, [
    { detail: { idCards: "masked", department } },
    { detail: { idCards: "whole", department } },
  ]);
});
