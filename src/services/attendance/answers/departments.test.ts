import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { before, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { fromBufferPromise } from "yauzl";
import type { Scope } from "#platform/contract/scope.ts";
import { type SignedIn, startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { identitySheet, makeMonth, monthSheet } from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const operator = await app.signIn("platform");
const { send, analyse, put } = await openAttendance(app, operator.token);

const month = "2026-05";
const card = "110101199001011237";
const masked = "1101************37";
const departments = ["人事处", "人事处", "后勤/车队", "后勤-车队", "", "人事处-档案室"];

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

async function fetchArchive({ token }: SignedIn, query: Record<string, string> = {}) {
  const url = new URL("/attendance/month/departments", app.url);
  url.search = new URLSearchParams({ month, ...query }).toString();
  const answer = await fetch(url, { headers: { admin_token: token } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) return { code: JSON.parse(bytes.toString()).code };
  const zip = await fromBufferPromise(bytes);
  const books: Record<string, Buffer> = {};
  for await (const entry of zip.eachEntry())
    books[entry.fileName] = await buffer(await zip.openReadStreamPromise(entry));
  return { name: answer.headers.get("content-disposition"), books };
}

const cardsOf = async (books: Record<string, Buffer> = {}) =>
  Object.fromEntries(
    await Promise.all(Object.entries(books).map(async ([name, book]) => [name, await readCards(book)])),
  );

const notesOf = async (book: Buffer | undefined) =>
  (await Array.fromAsync(streamXlsxRows(book ?? assert.fail(), { sheet: 1 }), ({ values }) => values.join(" "))).join(
    "\n",
  );

test("an archive has a workbook of each department, masked unless asked for, within the scope", async () => {
  const { name, books = {} } = await fetchArchive(operator);
  assert.equal(name, `attachment; filename="attendance-${month}.zip"`);
  assert.deepEqual(await cardsOf(books), {
    "无部门.xlsx": [masked],
    "人事处.xlsx": [masked, masked],
    "后勤-车队.xlsx": [masked],
    "后勤-车队 (2).xlsx": [masked],
    "人事处-档案室.xlsx": [masked],
  });
  const whole = await cardsOf((await fetchArchive(operator, { idCards: "whole" })).books);
  assert.deepEqual(whole["人事处.xlsx"], [card, card]);
  const scoped = await narrow({ scope: { department: ["后勤"] } });
  assert.deepEqual(Object.keys((await fetchArchive(scoped)).books ?? {}), ["后勤-车队.xlsx", "后勤-车队 (2).xlsx"]);
  const reader = await narrow({ rights: ["attendance.read"] });
  assert.equal((await fetchArchive(reader)).code, "10008");
  assert.equal((await fetchArchive(operator, { month: "2026-04" })).code, "10005");
  const [line] = await app.pool`
    select records, detail from platform.audit where action = 'downloadDepartments' and outcome = 'done' order by id limit 1`;
  assert.deepEqual(line, { records: [month], detail: { idCards: "masked" } });
});

test("a department's notes name nobody of another, before the lock and in the version", async () => {
  const { employees } = makeMonth({ month, people: departments.length, seed: 3, generation: 2026 });
  const correct = ({ userId, department: evidence }: { userId: string; department: string }) =>
    app.call("POST", "/attendance/correction", {
      token: operator.token,
      body: { month, userId, day: 6, correction: { kind: "present", campus: 1 }, evidence },
    });
  for (const [n, { userId }] of employees.entries())
    assert.equal((await correct({ userId, department: `证明${n}` })).json.code, "0");
  await analyse(month);
  const told = async (who: SignedIn, ...names: string[]) => {
    const books = (await fetchArchive(who)).books ?? {};
    return Promise.all(names.map(async (name) => (await notesOf(books[`${name}.xlsx`])).match(/证明\d/g) ?? []));
  };
  const shown = [["证明0", "证明1"], ["证明5"]];
  const parts = ["人事处", "人事处-档案室"] as const;
  assert.deepEqual(await told(operator, ...parts, "无部门"), [...shown, ["证明4"]]);
  const scoped = await narrow({ scope: { department: ["人事处", "后勤"] } });
  assert.deepEqual(await told(scoped, ...parts, "后勤-车队"), [...shown, ["证明3"]]);
  await put("lock", { month, note: "" });
  assert.deepEqual(await told(operator, ...parts), [[], []], "a version's notes are not divided");
  const { name, books } = await fetchArchive(operator);
  assert.equal(name, `attachment; filename="attendance-${month}-v1.zip"`);
  assert.equal(Object.keys(books ?? {}).length, 5);
});
